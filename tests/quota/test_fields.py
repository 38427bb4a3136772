"""Single fields, read leniently: what is told, and what is not."""

import pytest

from qr.quota.fields import (
    ahead,
    epoch,
    family,
    flag,
    fraction_percent,
    item,
    items,
    lowered,
    number,
    parsed,
    percent,
    retry_after,
    status_of,
    succeeded,
    text,
)

NOW = 1788280000.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (27, 27.0),
        (61.5, 61.5),
        ("27", 27.0),
        (" 61.5 ", 61.5),
        ("1e2", 100.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-3", -3.0),
        ("NaN", None),
        ("Infinity", None),
        ("-inf", None),
        ("1e309", None),
        ("", None),
        ("  ", None),
        ("1_000", None),
        ("\u0661\u0662", None),
        ("0x10", None),
        ("12 %", None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        (True, None),
        (False, None),
        (None, None),
        ({}, None),
        ([5], None),
        (b"5", None),
    ],
)
def test_a_number_is_finite_or_it_is_not_told(value, expected):
    assert expected == number(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("27", 27.0), (100, 100.0), (105, 100.0), ("1e300", 100.0), (-4, 0.0), (0, 0.0), ("x", None)],
)
def test_a_percent_is_clamped(value, expected):
    assert expected == percent(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0.28", 28.0), ("1.02", 100.0), ("0.0", 0.0), ("1", 100.0), ("-0.1", 0.0), (1e308, 100.0), ("", None)],
)
def test_a_fraction_becomes_a_percent(value, expected):
    assert expected == fraction_percent(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1788285000, 1788285000.0),
        ("1788285000", 1788285000.0),
        (1788285000.9, 1788285000.0),
        (0, None),
        ("0", None),
        (0.5, None),
        (-1788285000, None),
        ("", None),
        (None, None),
        (True, None),
        ("NaN", None),
        ("1e309", None),
        (1e12, None),
        ("soon", None),
        ([], None),
    ],
)
def test_an_epoch_second_is_positive_and_within_the_calendar(value, expected):
    assert expected == epoch(value)


@pytest.mark.parametrize(
    "value",
    [
        "2026-09-03T18:29:59+00:00",
        "2026-09-03T18:29:59.871204+00:00",
        "2026-09-03T18:29:59.999999999999+00:00",
        "2026-09-03T18:29:59.8Z",
        "2026-09-03T18:29:59.Z",
        "2026-09-03t18:29:59z",
        "2026-09-03T18:29:59,25Z",
        "2026-09-03T18:29:59",
        "2026-09-03T18:29:59.871",
        "2026-09-03 18:29:59Z",
        "2026-09-03T20:29:59+02:00",
        "2026-09-03T11:29:59.123-0700",
        " 2026-09-03T18:29:59Z ",
    ],
)
def test_iso_text_of_any_fraction_and_zone_is_cut_to_the_second(value):
    assert epoch(value) == 1788460199


@pytest.mark.parametrize(
    "value", ["2026-13-03T18:29:59Z", "1969-12-31T23:59:59Z", "2026-09-03T18:29:59+99:00", "T", "\ud800"]
)
def test_iso_text_that_is_no_time_is_unknown(value):
    assert epoch(value) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(NOW + 5, NOW + 5), (NOW, None), (NOW - 5, None), (NOW + 0.5, None), (None, None)]
)
def test_a_time_that_has_passed_is_not_ahead(value, expected):
    assert expected == ahead(value, NOW)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", NOW + 120),
        (" 3037 ", NOW + 3037),
        (300, NOW + 300),
        ("1587827", NOW + 1587827),
        ("0", None),
        ("-5", None),
        ("", None),
        ("soon", None),
        ("Infinity", None),
        ("1e300", None),
        ("99999999999999", None),
        ("Tue, 01 Sep 2026 16:33:20 GMT", NOW + 400),
        ("Tuesday, 01-Sep-26 16:33:20 GMT", NOW + 400),
        ("Tue Sep  1 16:33:20 2026", NOW + 400),
        ("Mon, 31 Aug 2026 16:26:40 GMT", None),
        ("Tue, 01 Sep 99999999999999999999 16:26:40 GMT", None),
        ("Tue, 99 Sep 2026 16:26:40 GMT", None),
        ([], None),
    ],
)
def test_retry_after_is_seconds_or_a_date_ahead(value, expected):
    assert expected == retry_after({"retry-after": value}, NOW)


def test_no_retry_after_is_not_told():
    assert retry_after({}, NOW) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("allowed", "allowed"),
        (" allowed_warning ", "allowed_warning"),
        ("rejected", "rejected"),
        ("Rejected", None),
        ("rate_limited", None),
        ("blocked", None),
        ("queueing_hard", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_only_the_three_measured_statuses_are_known(value, expected):
    assert expected == status_of(value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Fable", "fable"),
        ("claude-opus-4-8", "opus"),
        ("Claude Sonnet 5", "sonnet"),
        ("HAIKU", "haiku"),
        ("GPT-5.3-Codex-Spark", "spark"),
        ("Mythos", "mythos"),
        ("Mythos Preview (beta)", "mythos-preview-beta"),
        ("gpt_6.1-nova", "gpt-6-1-nova"),
        ("x" * 200, "x" * 64),
        ("", None),
        ("  ", None),
        ("???", None),
        (None, None),
        (5, None),
    ],
)
def test_a_family_is_a_known_token_or_the_slug_of_the_whole_name(name, expected):
    assert expected == family(name)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        ("True", True),
        (" true ", True),
        ("False", False),
        (1, False),
        (None, False),
        ("", False),
    ],
)
def test_a_flag_is_true_only_when_it_says_so(value, expected):
    assert expected == flag(value)


@pytest.mark.parametrize(
    ("status", "expected"), [(200, True), (299, True), (101, False), (429, False), (0, False)]
)
def test_a_success_is_2xx(status, expected):
    assert expected == succeeded(status)


def test_text_is_trimmed_and_blank_text_is_not_told():
    assert [text(" plus "), text(" "), text(5)] == ["plus", None, None]


def test_what_is_no_object_has_no_items():
    assert [item({"a": 1}, "a"), item({}, "a"), item([1], "a"), items((1, 2)), items("ab")] == [
        1,
        None,
        None,
        [1, 2],
        [],
    ]


def test_headers_are_looked_up_in_lower_case_with_their_first_usable_value():
    headers = {
        "X-Codex-Plan-Type": ["", " ", "plus", "free"],
        "Retry-After": "",
        "retry-after": "5",
        "X-Number": 7,
        "X-Flag": [False],
        "X-Nothing": [],
        "X-Odd": {"a": 1},
        5: "five",
        b"x": "bytes",
    }
    assert lowered(headers) == {
        "x-codex-plan-type": "plus",
        "retry-after": "5",
        "x-number": 7,
        "x-flag": False,
    }


@pytest.mark.parametrize("headers", [None, "a: b", [("a", "b")], 5])
def test_what_is_no_mapping_has_no_headers(headers):
    assert lowered(headers) == {}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('event: error\ndata: {"a": [{}]}\n\n', {"a": [{}]}),
        ('status 429: {"a": 1} (upstream)', {"a": 1}),
        ("Error", "Error"),
        ("429", "429"),
        ("{broken", "{broken"),
        ("", ""),
        ('{"a":' * 100_000, '{"a":' * 100_000),
        ({"a": 1}, {"a": 1}),
        (None, None),
    ],
    ids=["json", "event", "wrapped", "text", "digits", "broken", "empty", "deep", "object", "none"],
)
def test_a_body_gives_its_object_or_stays_as_it_is(body, expected):
    assert expected == parsed(body)
