"""A window over time, as it is shown."""

from qr.quota.history import Refused, Reset, Sample, Series
from qr.web.render.decisions import Names
from qr.web.render.history import series_shape

NAMES = Names(lambda _: None)
HOUR = 3600


def shown(*samples, **more):
    return series_shape("a.json", "weekly", Series(samples, **more), NAMES, columns=True)


def test_an_hour_between_samples_is_no_gap():
    shape = shown(Sample(0, 1.0), Sample(HOUR, 2.0), Sample(3 * HOUR, 3.0))
    assert shape.at == [0, HOUR, 3 * HOUR]
    assert None not in shape.used_percent


def test_a_night_without_readings_is_a_gap_and_no_line():
    shape = shown(Sample(0, 1.0), Sample(8 * HOUR, 2.0))
    assert shape.at == [0, 4 * HOUR, 8 * HOUR]
    assert shape.used_percent == [1.0, None, 2.0]


def test_a_reset_says_what_it_wasted():
    shape = shown(resets=(Reset(5, 61.0),), refusals=(Refused(7),))
    assert (shape.resets[0].used_percent, shape.resets[0].unused_percent) == (61.0, 39.0)
    assert shape.refusals[0].at == 7


def test_without_columns_it_only_says_that_it_is_there():
    kept = Series((Sample(0, 1.0),), (Reset(5, 61.0),), (Refused(7),))
    shape = series_shape("a.json", "weekly:fable", kept, NAMES, columns=False)
    assert (shape.at, shape.resets, shape.refusals) == ([], [], [])
    assert (shape.account_label, shape.title) == ("a.json", "week, Fable")
