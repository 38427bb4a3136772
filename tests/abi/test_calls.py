"""The host's calls: each answered in its own words, whatever is sent."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.abi.calls import Calls
from qr.abi.contract import NOT_HANDLED, OK, USAGE_OK, registration, service_down, unknown_method
from qr.actors.current import Current
from qr.actors.door import Door
from qr.actors.journal import Journal
from qr.actors.messages import Apply, Report
from qr.clock import SystemClock
from qr.settings import Settings

METHODS = [
    "scheduler.pick",
    "usage.handle",
    "management.handle",
    "management.register",
    "plugin.quiesce",
    "x",
]


@pytest.fixture
def calls(tmp_path):
    settings = Settings(state_dir=tmp_path)
    return Calls(Door(), Current(settings), Journal(), settings, SystemClock(), lambda: None)


def config(text, schema=6):

    return json.dumps(
        {"schema_version": schema, "config_yaml": base64.b64encode(text.encode()).decode()}
    ).encode()


def messages(calls):
    return calls._door.mailbox.drain()


async def test_without_a_supervisor_a_pick_is_not_handled(calls):
    assert await calls.answer("scheduler.pick", b"{}") == NOT_HANDLED


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"[]", b'{"Candidates":7}', b'{"Options":{"Headers":{"a":7}}}', b"\xff"]
)
async def test_a_pick_that_cannot_be_read_is_not_handled_and_counted(calls, body):
    assert await calls.answer("scheduler.pick", body) == NOT_HANDLED
    assert calls.unreadable == 1


@given(method=st.sampled_from(METHODS), body=st.binary(max_size=60))
async def test_no_bytes_make_a_call_fail(method, body):
    settings = Settings(state_dir=Path("/nowhere"))
    calls = Calls(Door(), Current(settings), Journal(), settings, SystemClock(), lambda: None)
    answer = json.loads(await calls.answer(method, body))
    assert set(answer) <= {"ok", "result", "error"}
    assert answer["ok"] or method not in ("scheduler.pick", "usage.handle", "plugin.quiesce")


async def test_unknown_methods_are_said_to_be_unknown(calls):
    assert await calls.answer("model.route", b"{}") == unknown_method()
    assert await calls.answer("plugin.quiesce", b"") == OK


@pytest.mark.parametrize("schema", [0, 1, 3, 6, 99])
async def test_a_registration_is_valid_whatever_the_settings_are(calls, schema):
    for text in ("mode: shadow\n", "mode: loud\n", "}{", ""):
        assert await calls.answer("plugin.register", config(text, schema)) == registration(schema)
    assert calls.schema == max(schema, 1)


async def test_good_settings_are_in_force_at_once_and_bad_ones_stay_out(calls):
    await calls.answer("plugin.register", config("enabled: true\npriority: 100\nmode: shadow\n"))
    assert calls._current.settings.rules.mode == "shadow"
    assert [type(message) for message in messages(calls)] == [Apply]
    await calls.answer("plugin.reconfigure", config("mode: loud\nmax_age: -1\n"))
    assert calls._current.settings.rules.mode == "shadow"
    assert len(calls._current.problems) == 2
    assert messages(calls) == []
    await calls.answer("plugin.reconfigure", config("mode: shadow\n"))
    assert calls._current.problems == ()
    assert calls._current.generation == 1


async def test_a_key_that_is_gone_from_the_hosts_settings_falls_back(calls):
    await calls.answer("plugin.register", config("max_age: 60\n"))
    await calls.answer("plugin.reconfigure", config("mode: active\n"))
    assert calls._current.settings.rules.max_age == 900


async def test_a_usage_record_becomes_a_report_without_its_secrets(calls):
    record = {
        "Provider": "Claude",
        "AuthID": "a",
        "APIKey": "sk-secret",
        "Source": "ann@example.com",
        "RequestedAt": "2026-10-12T09:15:04.5+02:00",
        "TTFT": 500_000_000,
        "Failed": True,
        "Failure": {"StatusCode": 429, "Body": '{"error":{"message":"secret words"}}'},
        "SessionID": "claude:raw",
        "ResponseHeaders": None,
    }
    assert await calls.answer("usage.handle", json.dumps(record).encode()) == USAGE_OK
    (report,) = messages(calls)
    assert isinstance(report, Report)
    assert (report.attempt.account, report.attempt.provider, report.attempt.status) == ("a", "claude", 429)
    assert report.attempt.observed_at - report.attempt.started_at == 0.5
    assert report.failure.cls == "rate_limited"
    assert not any(word in str(report) for word in ("sk-secret", "ann@", "secret words", "claude:raw"))
    assert calls.feedback == 1


@pytest.mark.parametrize(
    "record", [{}, {"Provider": "claude"}, {"AuthID": "a"}, {"Provider": "", "AuthID": "a"}]
)
async def test_a_record_of_nobody_tells_nothing(calls, record):
    assert await calls.answer("usage.handle", json.dumps(record).encode()) == USAGE_OK
    assert messages(calls) == []


async def test_a_time_from_the_future_or_none_is_now(calls):
    for requested in ("2999-01-01T00:00:00Z", "", "0001-01-01T00:00:00Z", "soon"):
        record = {"Provider": "claude", "AuthID": "a", "RequestedAt": requested, "Latency": 10**9}
        await calls.answer("usage.handle", json.dumps(record).encode())
        (report,) = messages(calls)
        assert report.attempt.observed_at <= SystemClock().now()


async def test_what_was_answered_before_the_clock_was_set_back_keeps_its_age(calls):
    """
    An answer of ten minutes whose headers came after one second is 599 seconds old, whatever the clock says.
    """
    before = SystemClock().now()
    requested = datetime.fromtimestamp(before + 3000, UTC).isoformat()
    record = {"Provider": "claude", "AuthID": "a", "RequestedAt": requested, "Latency": 600 * 10**9}
    await calls.answer("usage.handle", json.dumps({**record, "TTFT": 10**9}).encode())
    (report,) = messages(calls)
    assert before - 600 <= report.attempt.started_at <= SystemClock().now() - 600
    assert report.attempt.observed_at == pytest.approx(report.attempt.started_at + 1)


async def test_a_bug_is_answered_as_if_the_service_were_down(calls):
    async def broken(_):
        raise RuntimeError("a bug")

    calls._methods["scheduler.pick"] = broken
    assert await calls.answer("scheduler.pick", b"{}") == NOT_HANDLED
    calls._methods["management.handle"] = broken
    assert await calls.answer("management.handle", b"{}") == service_down("management.handle")


async def test_without_pages_the_host_gets_none(calls):
    assert b"no_pages" in await calls.answer("management.register", b"{}")
    assert b"no_pages" in await calls.answer("management.handle", b"{}")
