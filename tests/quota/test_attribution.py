"""Which window a refusal means that names none."""

import pytest

from qr.quota.attribution import attributed_window
from qr.quota.windows import Window

NOW = 1_788_280_000.0
HOUR = 3600.0

FIVE, WEEK, MONTH = (
    Window("five_hour", 50, NOW + 3 * HOUR),
    Window("weekly", 50, NOW + 50 * HOUR),
    Window("monthly", 50, NOW + 300 * HOUR),
)


@pytest.mark.parametrize(
    ("until", "windows", "name"),
    [
        (NOW + 3 * HOUR + 20, [FIVE, WEEK], "five_hour"),
        (NOW + 50 * HOUR - 30, [FIVE, WEEK], "weekly"),
        (NOW + 300 * HOUR, [MONTH, WEEK], "monthly"),
        (NOW + 2 * HOUR, [FIVE, WEEK], "five_hour"),
        (NOW + 2 * HOUR, [], "five_hour"),
        (NOW + 2 * HOUR, [WEEK], "weekly"),
        (NOW + 40 * HOUR, [FIVE, WEEK], "weekly"),
        (NOW + 40 * HOUR, [MONTH], "monthly"),
        (NOW + 40 * HOUR, [], "weekly"),
        (NOW - 1, [FIVE], None),
        (None, [FIVE], None),
        (NOW + 2 * HOUR, [Window("weekly", 50, None)], "weekly"),
    ],
)
def test_judged_by_its_reset(until, windows, name):
    assert attributed_window(until, {window.name: window for window in windows}, NOW) == name
