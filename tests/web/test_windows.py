"""One window as it is shown: flags, forecast, and what is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.quota.windows import Window
from qr.routing.rules import Rules
from qr.web.render.windows import in_order, window_length, window_shape
from qr.web.render.words import window_title

NOW = 1_790_000_000.0
WEEK = 7 * 86400.0


def weekly(used=50.0, left=WEEK / 2, seen=0.0, **more):
    return Window("weekly", used, NOW + left, NOW - seen, source="usage", **more)


def shown(window, **rules):
    return window_shape(window, Rules(**rules), NOW)


def test_a_window_used_evenly_runs_dry_at_its_reset_and_not_before():
    shape = shown(weekly(50.0, WEEK / 2))
    assert shape.starts_at == NOW - WEEK / 2
    assert shape.even_used_percent == pytest.approx(50.0)
    assert shape.runs_dry_at is None


def test_a_window_used_twice_as_fast_runs_dry_halfway_through_what_is_left():
    shape = shown(weekly(80.0, WEEK * 0.6))
    assert shape.runs_dry_at == pytest.approx(NOW + WEEK * 0.1)


def test_one_early_request_forecasts_nothing():
    assert shown(weekly(1.0, WEEK * 0.999)).runs_dry_at is None


@pytest.mark.parametrize(
    "window",
    [
        Window("weekly"),
        Window("weekly", 50.0, None, NOW),
        Window("weekly", 0.0, NOW + 1000, NOW),
        Window("weekly", 100.0, NOW + 1000, NOW),
        Window("nameless", 50.0, NOW + 1000, NOW),
        Window("weekly", 50.0, NOW - 1, NOW - 1000),
    ],
)
def test_no_forecast_without_what_it_needs(window):
    assert shown(window).runs_dry_at is None


@pytest.mark.parametrize(
    ("window", "state"),
    [
        (weekly(), "ok"),
        (weekly(warned_until=NOW + 1), "warned"),
        (weekly(warned_until=NOW - 1), "ok"),
        (weekly(exhausted_until=NOW + 1), "exhausted"),
        (weekly(paid=True), "paid"),
        (weekly(left=-1), "reset_pending"),
        (weekly(left=-1, exhausted_until=NOW + 9), "reset_pending"),
        (weekly(None), "unknown"),
        (weekly(seen=901), "stale"),
        (Window("weekly:fable", 50.0, NOW + 9, NOW - 9000), "ok"),
    ],
)
def test_the_worst_that_is_true_is_said(window, state):
    shape = shown(window)
    assert shape.state == state
    assert shape.stale == (state == "stale")
    assert shape.reset_pending == (state == "reset_pending")


def test_what_is_unknown_is_null():
    shape = shown(Window("weekly"))
    for member in (
        "used_percent",
        "remaining_percent",
        "resets_at",
        "observed_at",
        "age_seconds",
        "stale_at",
    ):
        assert getattr(shape, member) is None


def test_evidence_from_the_future_has_no_age_and_counts_as_stale():
    shape = shown(weekly(seen=-3600))
    assert shape.age_seconds is None
    assert shape.stale


def test_windows_come_in_the_order_in_which_people_think_of_them():
    names = ["86400s", "weekly:spark", "monthly", "five_hour:spark", "weekly", "five_hour"]
    ordered = [window.name for window in in_order(map(Window, names))]
    assert ordered == ["five_hour", "weekly", "monthly", "five_hour:spark", "weekly:spark", "86400s"]


@pytest.mark.parametrize(
    ("name", "title", "length"),
    [
        ("five_hour", "5 hours", 18000.0),
        ("weekly", "week", WEEK),
        ("weekly:fable", "week, Fable", WEEK),
        ("five_hour:gpt-5-spark", "5 hours, Gpt-5-Spark", 18000.0),
        ("86400s", "24 hours", 86400.0),
        ("900s", "15 minutes", 900.0),
        ("0s", "0 minutes", None),
        ("odd", "odd", None),
        ("٣s", "٣s", None),
    ],
)
def test_titles_and_lengths(name, title, length):
    assert window_title(name) == title
    assert window_length(name) == length


@given(
    used=st.none() | st.floats(0, 100),
    resets=st.none() | st.floats(NOW - 2 * WEEK, NOW + 2 * WEEK),
    seen=st.floats(NOW - 2 * WEEK, NOW + 600),
    name=st.sampled_from(["five_hour", "weekly", "monthly", "weekly:fable", "86400s", ""]),
)
def test_whatever_is_believed_the_numbers_stay_within_their_bounds(used, resets, seen, name):
    shape = shown(Window(name, used, resets, seen))
    if shape.even_used_percent is not None:
        assert 0 <= shape.even_used_percent <= 100
    if shape.runs_dry_at is not None:
        assert shape.starts_at < shape.runs_dry_at < shape.resets_at
    if used is not None:
        assert shape.used_percent + shape.remaining_percent == pytest.approx(100.0)
    assert shape.age_seconds is None or shape.age_seconds >= 0


@pytest.mark.parametrize(
    ("began", "starts"), [(None, -WEEK / 2), (-3600.0, -3600.0), (-WEEK, -WEEK / 2), (WEEK, -WEEK / 2)]
)
def test_a_window_that_began_anew_early_is_judged_from_then(began, starts):
    shape = window_shape(weekly(), Rules(), NOW, None if began is None else NOW + began)
    assert shape.starts_at == NOW + starts
