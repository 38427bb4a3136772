"""The captured cases, and what a signal file must look like."""

import json
import re
from pathlib import Path

import pytest

from qr.quota.signals import KINDS, SignalError, read_signal

CASES = [
    json.loads(path.read_text())
    for path in sorted((Path(__file__).parents[1] / "evidence" / "cases").glob("*.json"))
]

CANONICAL = re.compile(r"five_hour|weekly|monthly|weekly:.+")

HEADERS = {"status": 200, "headers": {}, "observed_at": 1788280000}

FAILURE = {"provider": "claude", "endpoint": "usage", "status": 429, "headers": {}, "observed_at": 1788280000}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["kind"] in KINDS], ids=lambda case: case["id"]
)
def test_captured_cases_are_read_as_expected(case):
    read = read_signal(case["kind"], case["input"])
    expected = case["expect"]
    if case["kind"] == "failure":
        assert (read["class"], read["window"]) == (expected["class"], expected["window"])
        assert close(read["until"], expected["until"], 1)
        return
    windows = {name: reading for name, reading in read.items() if CANONICAL.fullmatch(name)}
    assert windows.keys() == expected.keys()
    for name, reading in expected.items():
        assert windows[name]["status"] == reading["status"]
        assert close(windows[name]["used_percent"], reading["used_percent"], 0.01)
        assert close(windows[name]["resets_at"], reading["resets_at"], 1)


def close(read, expected, tolerance):
    return read is expected if None in (read, expected) else abs(read - expected) <= tolerance


def test_every_kind_of_quota_signal_has_cases():
    assert {case["kind"] for case in CASES} - {"session_headers"} == set(KINDS)


def test_times_are_whole_seconds():
    headers = {"x-codex-primary-used-percent": "5", "x-codex-primary-reset-after-seconds": "60"}
    given = {"status": 200, "headers": headers, "observed_at": 1788280000.9}
    assert read_signal("codex_headers", given)["five_hour"] == {
        "used_percent": 5.0,
        "resets_at": 1788280060,
        "status": None,
    }
    until = read_signal("failure", FAILURE | {"headers": {"retry-after": "5"}, "observed_at": 1788280000.9})[
        "until"
    ]
    assert (until, type(until)) == (1788280005, int)


@pytest.mark.parametrize("kind", ["claude_headers", "codex_headers"])
def test_headers_may_come_without_a_status(kind):
    assert read_signal(kind, HEADERS | {"status": None}) == {}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("claude_usage", {"seven_day": {"utilization": 8.0, "resets_at": None}}),
        (
            "codex_usage",
            {"rate_limit": {"primary_window": {"used_percent": 8, "limit_window_seconds": 604800}}},
        ),
    ],
)
def test_a_body_may_come_as_text_and_counts_only_with_a_success(kind, body):
    weekly = {"weekly": {"used_percent": 8.0, "resets_at": None, "status": None}}
    text = json.dumps(body)
    assert read_signal(kind, {"body": body, "observed_at": 1}) == weekly
    assert read_signal(kind, {"body": text, "status": 200, "observed_at": 1}) == weekly
    assert read_signal(kind, {"body_text": text, "status": 200, "observed_at": 1}) == weekly
    assert read_signal(kind, {"body": body, "status": 500, "observed_at": 1}) == {}


def test_a_failure_may_leave_out_what_was_not_there():
    bare = {"provider": "codex", "endpoint": "inference", "observed_at": 1788280000}
    nothing = {"class": "transient", "window": None, "until": None}
    assert read_signal("failure", bare) == nothing
    assert read_signal("failure", bare | {"status": None, "headers": None, "transport": None}) == nothing


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("session_headers", {}, "kind: 'session_headers' is not known here; use one of claude_headers"),
        (None, {}, "kind: None is not known"),
        (["claude_usage"], {}, "kind: "),
        ("claude_usage", [], "input: this is not an object"),
        ("claude_usage", {"body": {}}, "input.observed_at: this is no number"),
        ("claude_usage", {"body": {}, "status": "ok", "observed_at": 1}, "input.status: this is no number"),
        ("codex_usage", {"body": {}, "observed_at": "NaN"}, "input.observed_at: "),
        ("claude_headers", HEADERS | {"headers": ["a: b"]}, "input.headers: this is not an object"),
        ("codex_headers", {"observed_at": 1}, "input.headers: "),
        (
            "failure",
            FAILURE | {"provider": "gemini"},
            "input.provider: 'gemini' is not known; use one of claude, co",
        ),
        (
            "failure",
            FAILURE | {"endpoint": None},
            "input.endpoint: None is not known; use one of inference, usage",
        ),
        (
            "failure",
            FAILURE | {"transport": "carrier pigeon"},
            "input.transport: 'carrier pigeon' is not known",
        ),
        ("failure", FAILURE | {"headers": "a: b"}, "input.headers: "),
    ],
)
def test_a_signal_of_the_wrong_shape_says_what_where_and_what_to_do(kind, given, message):
    with pytest.raises(SignalError) as raised:
        read_signal(kind, given)
    assert message in str(raised.value)
