"""No input whatever raises, and none gives a number out of its range."""

import json
from math import isfinite
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from qr.quota import claude, codex
from qr.quota.failures import read_failure
from qr.quota.fields import epoch, family, number, percent, retry_after
from qr.quota.signals import KINDS, SignalError, read_signal

NOW = 1788280000.0

CASES = [
    json.loads(path.read_text())
    for path in sorted((Path(__file__).parents[1] / "evidence" / "cases").glob("*.json"))
]

INPUTS = [case["input"] for case in CASES if case["kind"] in KINDS]


def members(value):
    """All keys and single values in what was captured."""
    if isinstance(value, dict):
        return set(value).union(*map(members, value.values()))
    return set().union(*map(members, value)) if isinstance(value, list) else {value}


captured = st.sampled_from(sorted(members(INPUTS), key=str))

odd = st.sampled_from(
    [
        10**400,
        "NaN",
        "1e309",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+14:00",
        "<html>",
        '{"error":',
        "codex",
    ]
)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | captured | odd

anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | captured, inner, max_size=6)
    ),
    max_leaves=30,
)


def changed(value):
    """What was captured, with parts of it left out or exchanged for anything."""
    if isinstance(value, dict):
        return st.fixed_dictionaries({}, optional={key: changed(one) for key, one in value.items()}) | scalars
    if isinstance(value, list):
        return st.tuples(*map(changed, value)).map(list) | scalars
    return st.just(value) | scalars | st.lists(scalars, max_size=2)


signals = st.sampled_from(INPUTS).flatmap(changed)


def part(*names):
    """One part of a captured signal, changed."""
    parts = [one[name] for one in INPUTS for name in names if name in one]
    return st.sampled_from(parts).flatmap(changed) | anything


bodies = part("body", "body_text")

headers = part("headers")


def assert_in_range(observation):
    names = [reading.window for reading in observation.readings]
    assert len(names) == len(set(names))
    assert names or not observation.full
    for reading in observation.readings:
        assert reading.used_percent is None or 0 <= reading.used_percent <= 100
        assert is_time(reading.resets_at)
        assert not (reading.paid and reading.refused)


def is_time(seconds):
    return seconds is None or (seconds > 0 and isfinite(seconds) and seconds == int(seconds))


@given(headers, st.integers(0, 600))
def test_any_headers_are_read(known, status):
    assert_in_range(claude.read_headers(known, status=status, observed_at=NOW))
    assert_in_range(codex.read_headers(known, status=status, observed_at=NOW))


@given(bodies)
def test_any_usage_body_is_read(body):
    assert_in_range(claude.read_usage(body, observed_at=NOW))
    assert_in_range(codex.read_usage(body, observed_at=NOW))


EVENT = {
    "type": "codex.rate_limits",
    "plan_type": "plus",
    "rate_limits": {
        "primary": {"used_percent": 100, "window_minutes": 300, "resets_at": NOW + 5},
        "secondary": {},
    },
    "limit_name": None,
    "credits": {"has_credits": True, "balance": None},
}


@given(changed(EVENT) | anything)
def test_any_event_is_read(event):
    assert_in_range(codex.read_event(event, observed_at=NOW))


@given(
    provider=st.sampled_from(["claude", "codex", "other"]),
    endpoint=st.sampled_from(["inference", "usage", "refresh"]),
    status=st.none() | st.integers(0, 600) | st.sampled_from([401, 403, 429]),
    known=st.none() | headers,
    body=bodies | st.text(max_size=60),
    model=st.none() | st.text(max_size=12),
    transport=st.sampled_from([None, "websocket_event", "sse_event"]),
)
def test_any_failure_is_read(provider, endpoint, status, known, body, model, transport):
    failure = read_failure(
        provider=provider,
        endpoint=endpoint,
        status=status,
        headers=known,
        body=body,
        model=model,
        observed_at=NOW,
        transport=transport,
    )
    assert is_time(failure.until)
    assert failure.until is None or failure.cls in ("quota_exhausted", "rate_limited")
    assert failure.window is None or failure.cls == "quota_exhausted"


@given(st.sampled_from(KINDS) | anything, signals | anything)
def test_any_signal_is_read_or_refused_with_a_reason(kind, signal):
    try:
        read_signal(kind, signal)
    except SignalError as error:
        refused = str(error)
    else:
        refused = "input: "
    assert refused.startswith(("kind: ", "input: ", "input."))


@given(anything, st.floats() | st.floats(0, 2e9))
def test_any_field_is_in_range_or_not_told(value, now):
    assert percent(value) is None or 0 <= percent(value) <= 100
    assert number(value) is None or isfinite(number(value))
    assert is_time(epoch(value))
    assert is_time(retry_after({"retry-after": value}, now))
    assert family(value) is None or family(value)
