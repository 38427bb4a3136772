"""A machine's clock that is set: when, by how much, and who goes by what."""

import pytest
import trio

from qr.clock import CHECK_INTERVAL, VirtualClock
from qr.lab.machine import LARGEST, LATEST, SMALLEST, SOONEST, MachineClock, settings_of
from qr.quota.windows import DAY, HOUR

NOW = 1_788_739_200.0
WEEKS = 70 * DAY


@pytest.fixture
async def machine(autojump_clock):
    return MachineClock(VirtualClock(NOW))


def test_a_clock_is_set_wrong_in_both_directions_and_right_again():
    settings = list(settings_of(7, 5.0, NOW, WEEKS))
    wrong, right = settings[::2], settings[1::2]
    assert 25 < len(wrong) < 75
    assert {size > 0 for _, size in wrong} == {True, False}
    assert all(SMALLEST <= abs(size) <= LARGEST for _, size in wrong)
    assert [size for _, size in right] == [-size for _, size in wrong]
    assert all(SOONEST <= end - at <= LATEST for (at, _), (end, _) in zip(wrong, right, strict=True))


def test_the_same_seed_sets_it_at_the_same_times():
    first = list(settings_of(7, 5.0, NOW, WEEKS))
    assert list(settings_of(7, 5.0, NOW, WEEKS)) == first
    assert list(settings_of(8, 5.0, NOW, WEEKS)) != first
    assert list(settings_of(7, 0.0, NOW, WEEKS)) == []


async def test_it_shows_what_it_was_set_to_and_the_world_goes_on(autojump_clock, machine):
    await trio.sleep(60)
    machine.set(-HOUR)
    assert (machine.now(), machine.world.now()) == pytest.approx((NOW + 60 - HOUR, NOW + 60))
    assert machine.shown(NOW) == NOW - HOUR
    assert machine.set_since(NOW)
    assert not machine.set_since(NOW + 61)


async def test_a_setting_goes_unnoticed_until_somebody_has_looked(autojump_clock, machine):
    assert not machine.unnoticed
    machine.set(HOUR)
    assert machine.unnoticed
    await trio.sleep(CHECK_INTERVAL)
    assert not machine.unnoticed


async def test_it_is_set_in_its_time_and_that_is_told(autojump_clock, machine):
    told = []
    await machine.follow(
        iter([(NOW + 60, HOUR), (NOW + 90, -HOUR)]), lambda size: told.append((size, machine.now()))
    )
    assert told == [(HOUR, NOW + 60 + HOUR), (-HOUR, NOW + 90)]
