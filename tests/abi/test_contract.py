"""The host's JSON: lenient in what is read, exact in what is answered, and silent about secrets."""

import base64
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.abi import contract

SECRETS = (
    "sk-client-1",
    "ann@example.com",
    "claude:0c1f",
    "rate_limit_error",
    "cookie",
    "Bearer key",
    "hidden",
)

USAGE = {
    "Provider": "claude",
    "ExecutorType": "ClaudeExecutor",
    "Model": "claude-sonnet-4-5",
    "Alias": "claude-sonnet-4-5",
    "APIKey": "sk-client-1",
    "AuthID": "claude-ann@example.com.json",
    "AuthIndex": "3f9a0c5512de77b1",
    "AuthType": "oauth",
    "Source": "ann@example.com",
    "ServiceTier": "default",
    "Generate": True,
    "RequestedAt": "2026-10-12T09:15:04.123456789+02:00",
    "Latency": 2311000000,
    "TTFT": 804000000,
    "Failed": True,
    "Failure": {"StatusCode": 429, "Body": '{"error":{"type":"rate_limit_error"}}'},
    "Detail": {"InputTokens": 1, "OutputTokens": 2, "CacheReadTokens": 3, "TotalTokens": 6},
    "ResponseHeaders": {"Anthropic-Ratelimit-Unified-5h-Utilization": ["1.0"], "Set-Cookie": ["cookie"]},
    "RequestID": "b71c",
    "BaseURL": "https://api.anthropic.com",
    "SessionID": "claude:0c1f",
    "ParentSessionID": "",
    "Stream": True,
}


def shown(value: object) -> list[str]:
    return [secret for secret in SECRETS if secret in repr(value) or secret in str(value)]


def test_a_usage_record_is_read_in_the_host_s_words() -> None:
    record = contract.decode_usage(json.dumps(USAGE).encode())
    assert (record.provider, record.auth_id, record.model) == (
        "claude",
        "claude-ann@example.com.json",
        "claude-sonnet-4-5",
    )
    assert (record.failed, record.status, record.latency, record.ttft) == (True, 429, 2311000000, 804000000)
    assert record.started_at == pytest.approx(1791789304.123456)
    assert record.session_id == "claude:0c1f"
    assert record.detail == contract.Tokens(1, 2, cache_read_tokens=3, total_tokens=6)
    assert record.headers()["Anthropic-Ratelimit-Unified-5h-Utilization"] == ["1.0"]
    assert shown(record) == []
    assert shown(record.failure) == []


def test_the_keys_of_a_usage_record_are_not_even_decoded() -> None:
    assert not {"api_key", "apikey", "source"} & set(contract.UsageRecord.__struct_fields__)


@pytest.mark.parametrize("missing", list(USAGE))
def test_every_field_of_a_usage_record_may_be_missing(missing: str) -> None:
    less = {key: value for key, value in USAGE.items() if key != missing}
    contract.decode_usage(json.dumps(less).encode())


def test_an_old_host_s_empty_usage_record_is_read() -> None:
    record = contract.decode_usage(
        b'{"ResponseHeaders":null,"Failure":null,"Detail":null,"Quota":{"new":1},"RequestedAt":"x"}'
    )
    assert (record.headers(), record.status, record.started_at) == ({}, 0, None)


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("2026-10-12T16:00:00Z", 1791820800.0),
        ("2026-10-12T18:00:00+02:00", 1791820800.0),
        ("2026-10-12T09:00:00.5-07:00", 1791820800.5),
        ("2026-10-12T16:00:00.123456789Z", 1791820800.123456),
        ("1970-01-01T00:00:00Z", 0.0),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-12:00", 253402343999.0),
        ("2026-10-12T16:00:00", None),
        ("2026-13-12T16:00:00Z", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_times_of_the_host_become_epoch_seconds(time: str, seconds: float | None) -> None:
    assert contract.epoch_seconds(time) == (seconds if seconds is None else pytest.approx(seconds, abs=1e-5))


@given(st.text(max_size=40))
def test_any_text_for_a_time_is_a_number_or_none(text: str) -> None:
    assert contract.epoch_seconds(text) is None or contract.epoch_seconds(text) >= 0


def test_the_configuration_comes_in_base64() -> None:
    yaml = "mode: shadow\nproxy: hidden\n"
    body = {"config_yaml": base64.b64encode(yaml.encode()).decode(), "schema_version": 6}
    request = contract.decode_register(json.dumps(body).encode())
    assert (request.config, request.schema_version) == (yaml, 6)
    assert shown(request) == []


@pytest.mark.parametrize("body", [b"{}", b'{"config_yaml":null}', b'{"config_yaml":"","new":[]}'])
def test_a_registration_without_anything_is_one_of_the_oldest_schema(body: bytes) -> None:
    assert contract.decode_register(body) == contract.Register(contract.decode_register(body).config_yaml)
    assert contract.decode_register(body).config == ""


def test_a_configuration_that_is_no_text_is_read_all_the_same() -> None:
    assert contract.decode_register(b'{"config_yaml":"//4="}').config == "��"


@pytest.mark.parametrize(
    ("schema", "answered"), [(3, 3), (5, 5), (6, 6), (7, 6), (99, 6), (1, 1), (0, 1), (-3, 1)]
)
def test_the_schema_is_the_host_s_but_never_above_ours(schema: int, answered: int) -> None:
    result = json.loads(contract.registration(schema))["result"]
    assert result["schema_version"] == answered
    assert all(result["metadata"][name].strip() for name in ("Name", "Version", "Author", "GitHubRepository"))
    assert result["capabilities"] == dict.fromkeys(
        ("scheduler", "scheduler_across_priorities", "usage_plugin", "management_api"), True
    )


def test_the_metadata_is_short_for_it_comes_back_with_every_pick() -> None:
    metadata = json.loads(contract.registration(6))["result"]["metadata"]
    assert len(metadata["ConfigFields"]) <= 2
    assert len(json.dumps(metadata)) < 500


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_a_chosen_account_comes_back_byte_by_byte(account: str) -> None:
    envelope = contract.chosen(account)
    assert json.loads(envelope) == {"ok": True, "result": {"AuthID": account, "Handled": True}}
    assert envelope.startswith(b'{"ok":true,"result":{"AuthID":"')
    assert envelope.endswith(b'","Handled":true}}')


def test_not_handled_is_the_contract_s_constant() -> None:
    assert contract.NOT_HANDLED == b'{"ok":true,"result":{"Handled":false}}'
    assert len(contract.NOT_HANDLED) == 38


def test_errors_are_envelopes() -> None:
    assert json.loads(contract.error("broken", 'a "b"')) == {
        "ok": False,
        "error": {"code": "broken", "message": 'a "b"'},
    }
    assert json.loads(contract.unknown_method())["error"]["code"] == "unknown_method"


def test_a_management_request_is_read_with_its_body_decoded() -> None:
    request = contract.decode_management(
        b'{"Method":"POST","Path":"/v0/management/plugins/quota-router/refresh","Headers":{"Authorization":'
        b'["Bearer key"],"Empty":null},"Query":{"auth":["ann@example.com"]},"Body":"eyJhIjoxfQ==",'
        b'"host_callback_id":"cb-17"}'
    )
    assert (request.method, request.path) == ("POST", "/v0/management/plugins/quota-router/refresh")
    assert request.query == {"auth": ["ann@example.com"]}
    assert request.body == b'{"a":1}'
    assert shown(request) == []


def test_a_resource_request_has_no_body() -> None:
    request = contract.decode_management(
        b'{"Method":"GET","Path":"/x","Headers":null,"Query":null,"Body":null}'
    )
    assert (request.headers, request.query, request.body) == (None, None, None)


def test_management_answers_are_in_the_host_s_words() -> None:
    answer = contract.management_answer(200, {"Content-Type": ["text/html"]}, b"\xff<p>")
    assert json.loads(answer)["result"] == {
        "StatusCode": 200,
        "Headers": {"Content-Type": ["text/html"]},
        "Body": base64.b64encode(b"\xff<p>").decode(),
    }
    registered = contract.management_registration(
        [contract.Route("GET", "/plugins/quota-router/status")],
        [contract.Resource("/ui", "Quota Router", "Accounts"), contract.Resource("/ui/app.js")],
    )
    assert json.loads(registered)["result"] == {
        "routes": [{"Method": "GET", "Path": "/plugins/quota-router/status"}],
        "resources": [
            {"Path": "/ui", "Menu": "Quota Router", "Description": "Accounts"},
            {"Path": "/ui/app.js"},
        ],
    }


def test_where_the_host_serves_us_is_read() -> None:
    request = contract.decode_management_register(
        b'{"Plugin":{},"BasePath":"/v0/management","ResourceBasePath":"/v0/resource/plugins/quota-router"}'
    )
    assert request.resource_base_path == "/v0/resource/plugins/quota-router"


@pytest.mark.parametrize(
    "decode",
    [
        contract.decode_usage,
        contract.decode_register,
        contract.decode_management,
        contract.decode_management_register,
    ],
)
@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{", b"\xff", b'{"Method":7,"config_yaml":7,"Model":7,"ResourceBasePath":7}'],
)
def test_what_is_not_the_contract_s_json_is_a_decode_error(decode, body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(body)


def test_json_that_is_nested_without_end_is_a_decode_error() -> None:
    with pytest.raises(msgspec.DecodeError, match="nested too deeply"):
        contract.decode_usage(b'{"New":' + b"[" * 200_000)
