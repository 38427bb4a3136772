"""State files of earlier versions, as they were written then."""

import json

import pytest

from qr.actors.image import read_image
from qr.quota.history import Refused, Reset, Sample, Series
from qr.store.state_file import read_state

SERIES = {
    "account": "a",
    "window": "weekly",
    "at": [10, 20],
    "used_percent": [1.5, 100.0],
    "reset_at": [9],
    "reset_used_percent": [60.0],
    "refused_at": [8],
}


def migrated(**lists):
    return read_image(read_state(json.dumps({"schema": 1, **lists}).encode()))


def test_the_samples_of_schema_1_are_kept():
    samples, empty = (Sample(10, 1.5), Sample(20, 100.0)), {"account": "a", "window": "five_hour"}
    image = migrated(history=[SERIES, empty], settings_generation=3)
    assert image.history == {
        ("a", "weekly"): Series(samples, (Reset(9, 60.0),), (Refused(8),)),
        ("a", "five_hour"): Series(),
    }
    assert (image.settings_generation, image.unreadable) == (3, 0)


@pytest.mark.parametrize(
    "damaged",
    [
        7,
        None,
        SERIES | {"at": [-1]},
        SERIES | {"at": ["1"]},
        SERIES | {"at": 7},
        SERIES | {"used_percent": [7e9]},
    ],
)
def test_a_series_that_cannot_be_packed_costs_itself(damaged):
    image = migrated(history=[damaged, SERIES | {"window": "monthly"}])
    assert list(image.history) == [("a", "monthly")]
    assert image.unreadable == 1


@pytest.mark.parametrize("content", [{}, {"bindings": []}])
def test_there_may_be_no_history(content):
    assert migrated(**content).history == {}


@pytest.mark.parametrize("bad", [b'"\xff"', b"1e999", b"9" * 5000])
def test_what_cannot_be_read_in_one_entry_leaves_the_others(bad):
    good = b'{"provider":"claude","key":"s","account":"a"}'
    lists = b'"bindings":[%b,{"provider":%b}],"accounts":[%b],"history":[%b]' % (good, bad, bad, bad)
    image = read_image(read_state(b'{"schema":1,%b}' % lists))
    assert list(image.bindings) == [("claude", "s")]
    assert image.unreadable == 3
