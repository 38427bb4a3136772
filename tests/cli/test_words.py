"""How times and percents are written."""

import pytest

from qr.cli.words import countdown, moment


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (0, "now"),
        (1, "1 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3661, "1 h 1 min"),
        (7200, "2 h"),
        (93784, "1 d 2 h"),
        (86400, "1 d"),
    ],
)
def test_a_countdown_has_its_two_largest_units(seconds, words):
    assert countdown(seconds) == words


def test_a_moment_is_local_time_and_countdown():
    assert moment(None, 0) == "unknown"
    assert moment(1000.0, 400.0).endswith("(in 10 min)")
    assert moment(1000.0, 1000.0).endswith("(passed)")
