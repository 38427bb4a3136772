"""What an answer with status 200 may hold: usage, or any nonsense there is."""

import gzip
import json
import zlib

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qr.settings import Settings
from qr.upstream.credentials import Credential
from qr.upstream.usage import Limits, PollResult, poll, poll_options

from .servers import (
    CLAUDE_BODY,
    CODEX_BODY,
    Provider,
    drips,
    endless,
    hangs_up,
    percents,
    says,
    says_json,
    serving,
    zipped,
)

OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("claude", {"five_hour": None, "seven_day": None, "extra_usage": {"is_enabled": True}}),
        ("claude", {"five_hour": None, "limits": []}),
        ("codex", {"plan_type": "enterprise", "rate_limit": None}),
        ("codex", {"plan_type": "free", "rate_limit": {"allowed": True, "primary_window": None}}),
    ],
)
async def test_an_account_without_plan_windows_teaches_nothing_and_is_no_error(ask, provider, body):
    async with serving(Provider([says_json(body)])) as server:
        result = await ask(server.url, provider=provider, account_id="acct-1")
    assert result.error is None
    assert result.observation.readings == ()
    assert not result.observation.full


async def test_codex_without_limits_and_without_an_account_id_says_what_is_missing(ask):
    async with serving(Provider([says_json({"plan_type": "free", "rate_limit": None})])) as provider:
        result = await ask(provider.url, provider="codex")
    assert result.observation is None
    assert "account_id" in result.error


UNUSABLE = {
    "empty": (says(200), "empty"),
    "no content": (says(204), "204"),
    "a web page": (says(200, b"<html>hello</html>", content_type="text/html; charset=utf-8"), "web page"),
    "text": (says(200, b"hello"), "no JSON"),
    "not a number": (says(200, b'{"five_hour": {"utilization": NaN}}'), "no JSON"),
    "beyond numbers": (says(200, b'{"five_hour": {"utilization": 1e999}}'), "no JSON"),
    "two values": (says(200, b"{}{}"), "no JSON"),
    "latin-1": (says(200, '{"a": "é"}'.encode("latin-1")), "no JSON"),
    "an array": (says_json([CLAUDE_BODY]), "no object"),
    "a number": (says_json(7), "no object"),
    "null": (says_json(None), "no object"),
    "nested without end": (says(200, b'{"five_hour":' + b"[" * 100_000), "no JSON"),
    "half of it": (says(200, json.dumps(CLAUDE_BODY).encode()[:80]), "no JSON"),
    "an object of something else": (says_json({"detail": "hello"}), "nothing of usage"),
    "windows of the wrong type": (
        says_json({"five_hour": 7, "seven_day": "x", "limits": {}}),
        "could be read",
    ),
    "windows of the wrong type that look like nothing": (
        says_json({"five_hour": 0, "seven_day": "", "limits": {}}),
        "could be read",
    ),
    "windows without a percent": (
        says_json({"five_hour": {"utilization": "x"}, "seven_day": {"utilization": []}}),
        "could be read",
    ),
    "cut off": (says(200, json.dumps(CLAUDE_BODY).encode()[:80], length=900), "cut off"),
    "a bad chunk": (says(200, b"zz\r\n{}\r\n", length=0, transfer_encoding="chunked"), "cut off"),
    "a missing last chunk": (drips(OK + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n", 0), "cut off"),
    "no HTTP": (drips(b"220 mail.example ESMTP\r\n", 0), "no HTTP"),
    "a head without end": (endless(b"HTTP/1.1 200 OK\r\nx: ", b"y" * 4096), "no HTTP"),
    "silence": (hangs_up, "cut off"),
    "damaged gzip": (says(200, b"\x1f\x8bnonsense", content_encoding="gzip"), "damaged"),
    "half a gzip": (says(200, gzip.compress(b"{}" * 99)[:-9], content_encoding="gzip"), "cut off"),
    "deflate": (says(200, zlib.compress(b"{}"), content_encoding="deflate"), "not asked for"),
    "brotli": (says(200, b"\x0b\x01\x80{}\x03", content_encoding="br"), "not asked for"),
    "gzip in gzip": (says(200, b"", content_encoding="gzip, gzip"), "not asked for"),
    "a redirect": (says(302, location="http://127.0.0.1:1/"), "redirects are not followed"),
    "not modified": (says(304), "redirects are not followed"),
}


@pytest.mark.parametrize(("behaviour", "why"), UNUSABLE.values(), ids=UNUSABLE)
async def test_an_answer_that_makes_no_sense_is_an_error_with_a_short_reason(ask, behaviour, why):
    async with serving(Provider([behaviour])) as provider:
        result = await ask(provider.url)
    assert result.observation is None
    assert why in result.error
    assert len(result.error) < 120


SMALL = Limits(connect=0.5, whole=2, body=4096)

TOO_LARGE = {
    "announced": says(200, b" " * 5000),
    "endless": endless(OK + b"\r\n", b" " * 65_536),
    "endless chunks": endless(OK + b"transfer-encoding: chunked\r\n\r\n", b"3e8\r\n" + b" " * 1000 + b"\r\n"),
    "a gzip bomb": zipped(b" " * 50_000_000),
    "a small gzip that grows by one byte too many": zipped(b" " * 4097),
    "endless gzip": endless(OK + b"content-encoding: gzip\r\n\r\n", b"\0" * 65_536),
}


@pytest.mark.parametrize("behaviour", TOO_LARGE.values(), ids=TOO_LARGE)
async def test_a_body_is_bounded_on_the_wire_and_after_decompression(ask, behaviour):
    async with serving(Provider([behaviour])) as provider:
        result = await ask(provider.url, limits=SMALL)
    assert "larger than 4096 bytes" in result.error
    assert result.duration < 1.5


async def test_the_largest_body_allowed_is_read(ask):
    body = json.dumps(CLAUDE_BODY).encode().ljust(4096)
    async with serving(Provider([says(200, body), zipped(body)])) as provider:
        for _ in range(2):
            assert percents(await ask(provider.url, limits=SMALL))["weekly"] == 54.0


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def spots(value, at=()):
    """The paths of all values within *value*."""
    yield at
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from spots(child, (*at, key))


def replaced(value, at, new):
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = replaced(value[at[0]], at[1:], new)
    return copy


@settings(max_examples=300, deadline=None)
@given(
    case=st.sampled_from([("claude", CLAUDE_BODY), ("codex", CODEX_BODY)]).flatmap(
        lambda case: st.tuples(st.just(case[0]), st.just(case[1]), st.sampled_from(list(spots(case[1]))))
    ),
    wrong=json_values,
)
async def test_any_value_in_any_field_ends_in_percents_or_in_an_error(case, wrong):
    """The transport is httpx's in-memory one: thousands of answers, one poll each."""
    provider, body, at = case
    answer = json.dumps(replaced(body, at, wrong)).encode()
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=answer))
    result = await poll(
        Credential(provider, "token", "acct-1"),
        options=poll_options(Settings()),
        proxy=None,
        connect=lambda _: transport,
    )
    assert (result.observation is None) == (result.error is not None)
    if result.observation is not None:
        for reading in result.observation.readings:
            assert reading.used_percent is None or 0 <= reading.used_percent <= 100
            assert reading.resets_at is None or reading.resets_at > 0


@settings(max_examples=200, deadline=None)
@given(status=st.integers(200, 599), body=st.binary(max_size=200))
async def test_any_bytes_with_any_status_end_in_a_result(status, body):
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=body))
    result = await poll(
        Credential("claude", "token"),
        options=poll_options(Settings()),
        proxy=None,
        connect=lambda _: transport,
    )
    assert isinstance(result, PollResult)
    assert result.error
