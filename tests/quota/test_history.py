"""The use of a window over time: bounded, honest, with resets and refusals."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.quota.history import COARSE, DAYS, FINE, MAX_EVENTS, Reset, Sample, Samples, Series, recorded
from qr.quota.windows import DAY, Window

NOW = 1_788_280_200
HOUR = 3600


def window(at, used, resets_at=NOW + DAY, **more):
    return Window("weekly", used, resets_at, NOW + at, **more)


def history(*windows):
    series, before = Series(), None
    for after in windows:
        series = recorded(series, before, after, reset_jitter=90.0)
        before = after
    return series


def test_the_newest_reading_of_an_interval_stands_for_it():
    series = history(window(0, 10.04), window(FINE - 400, 11.0), window(FINE, 12.0))
    assert series.samples == (Sample(NOW + FINE - 400, 11.0), Sample(NOW + FINE, 12.0))


def test_two_weeks_are_kept_in_some_hundred_samples():
    windows = [window(step * FINE, step / 30) for step in range(20 * 144)]
    samples = history(*windows).samples
    assert len(samples) <= 144 + 13 * 24 + 7
    assert samples[-1].at - samples[0].at <= DAYS * DAY
    gaps = {later.at - earlier.at for earlier, later in pairwise(samples)}
    assert gaps <= {FINE, COARSE, COARSE - FINE} | set(range(FINE, COARSE + 1, FINE))


def test_a_reset_is_recorded_with_what_was_wasted():
    series = history(window(0, 60.0), window(DAY + 30, 1.0, NOW + 8 * DAY))
    assert series.resets == (Reset(int(NOW + DAY), 60.0),)


def test_an_early_reset_is_recorded_when_it_is_seen():
    series = history(window(0, 60.0), window(HOUR, 0.0, None))
    assert series.resets == (Reset(NOW + HOUR, 60.0),)


@pytest.mark.parametrize(
    "after",
    [
        window(HOUR, 61.0, NOW + DAY + 80),
        window(HOUR, 61.0, NOW + 3 * DAY),
        window(HOUR, 60.0),
        window(HOUR, None, NOW + 8 * DAY),
    ],
)
def test_no_reset_without_one(after):
    assert history(window(0, 60.0), after).resets == ()


def test_a_reset_of_unknown_origin_counts_from_nothing():
    assert history(window(0, None), window(HOUR, 5.0, NOW + 8 * DAY)).resets == ()
    assert history(window(0, 50.0, None), window(HOUR, 5.0)).resets == (Reset(NOW + HOUR, 50.0),)


def test_a_refusal_is_recorded_once():
    spent = {"exhausted_until": NOW + DAY}
    series = history(window(0, 99.0), window(HOUR, 100.0, **spent), window(2 * HOUR, 100.0, **spent))
    assert [refused.at for refused in series.refusals] == [NOW + HOUR]
    assert len(history(window(0, 100.0, **spent)).refusals) == 1


def test_events_are_bounded():
    windows = []
    for week in range(MAX_EVENTS + 5):
        windows += [window(week * 2 * HOUR, 50.0, NOW + week * DAY), window((week * 2 + 1) * HOUR, 1.0, None)]
    assert len(history(*windows).resets) == MAX_EVENTS


def test_what_is_read_late_changes_nothing():
    series = history(window(HOUR, 50.0))
    assert recorded(series, window(HOUR, 50.0), window(0, 10.0), reset_jitter=90.0) is series


@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 100)), max_size=60))
def test_samples_are_in_order_and_were_read(readings):
    readings.sort()
    samples = history(*(window(at, used) for at, used in readings)).samples
    assert all(earlier.at < later.at for earlier, later in pairwise(samples))
    assert {(sample.at - NOW, sample.used_percent) for sample in samples} <= {
        (at, round(used, 1)) for at, used in readings
    }


def test_equal_histories_are_equal():
    assert history(window(0, 10.0)) == history(window(0, 10.0))
    assert history(window(0, 10.0)) != history(window(0, 11.0))
    assert history(window(0, 10.0)).samples != 7


def test_columns_are_as_long_as_the_shorter_one():
    samples = Samples([10, 20, 30], [1.0, 2.5])
    assert samples == (Sample(10, 1.0), Sample(20, 2.5))
    assert Samples([10], [1.0, 2.0]) == (Sample(10, 1.0),)


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 1000)), max_size=60))
def test_what_is_packed_is_unpacked_again(told):
    samples = Samples([at for at, _ in told], [tenths / 10 for _, tenths in told])
    assert Samples.unpacked(*samples.packed()) == samples


@pytest.mark.parametrize(
    ("at", "tenths", "known"),
    [
        (b"", b"", ()),
        (b"\x01\0\0\0", b"\x32\0", (Sample(1, 5.0),)),
        (b"\x01\0\0\0\x02\0\0\0", b"\x32\0", (Sample(1, 5.0),)),
        (b"\x01\0\0\0", b"\x32\0\x33\0", (Sample(1, 5.0),)),
    ],
)
def test_packed_columns_are_little_endian(at, tenths, known):
    assert Samples.unpacked(at, tenths) == known


@pytest.mark.parametrize(("at", "tenths"), [(b"\x01\0\0", b""), (b"", b"\x32")])
def test_a_column_that_ends_amid_a_number_is_refused(at, tenths):
    with pytest.raises(ValueError, match="multiple"):
        Samples.unpacked(at, tenths)
