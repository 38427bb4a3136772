"""Wall time moves with Trio's clock, and its steps are noticed; no test waits for real time to pass."""

import time
from functools import partial

import pytest
import trio

from qr.clock import CHECK_INTERVAL, STEP, StepWatch, SystemClock, VirtualClock

START = 1788280000.0
WEEK = 7 * 24 * 3600.0


@pytest.fixture
async def clock(autojump_clock):
    return VirtualClock(START)


class Told:
    """The sizes of the steps that were noticed."""

    def __init__(self):
        self.sizes = []
        self.deaf = False

    def __call__(self, size):
        if not self.deaf:
            self.sizes.append(round(size, 3))
        return not self.deaf


@pytest.fixture
def told():
    return Told()


@pytest.fixture
async def reported(clock, nursery, told):
    nursery.start_soon(StepWatch(clock, told).run)
    await trio.testing.wait_all_tasks_blocked()
    return told.sizes


def test_the_system_clock_is_the_machines():
    before = time.time()
    assert before <= SystemClock().now() <= time.time()


async def test_virtual_time_begins_where_it_is_told_and_passes_while_waiting(autojump_clock, clock):
    assert clock.now() == pytest.approx(START)
    await trio.sleep(WEEK)
    assert clock.now() == pytest.approx(START + WEEK)


async def test_virtual_clocks_of_one_run_keep_their_distance(autojump_clock, clock):
    later = VirtualClock(START + 60)
    await trio.sleep(WEEK)
    assert later.now() - clock.now() == pytest.approx(60)


@pytest.mark.parametrize("size", [-WEEK, -3600, -STEP - 0.1, STEP + 0.1, 3600, WEEK])
async def test_a_step_is_reported_once_with_its_size(autojump_clock, clock, reported, size):
    await trio.sleep(3)
    clock.step(size)
    await trio.sleep(10 * CHECK_INTERVAL)
    assert reported == [size]


async def test_each_step_is_reported_by_itself(autojump_clock, clock, reported):
    for size in (100, -40, -60):
        clock.step(size)
        await trio.sleep(CHECK_INTERVAL + 1)
    assert reported == [100, -40, -60]


async def test_waiting_is_no_step_however_long(autojump_clock, reported):
    await trio.sleep(WEEK / 100)
    assert not reported


async def test_a_drifting_clock_makes_no_step(autojump_clock, clock, reported):
    """Slewing sums up to any size, but never between two checks."""
    for _ in range(100):
        clock.step(STEP / 4)
        await trio.sleep(CHECK_INTERVAL)
    assert not reported


async def test_a_step_is_noticed_though_nobody_looked_when_it_happened(autojump_clock, clock, told):
    """Whoever looks may die, and another one follows."""
    watch = StepWatch(clock, told)
    with trio.move_on_after(1):
        await watch.run()
    clock.step(-3600)
    with trio.move_on_after(1):
        await watch.run()
    assert told.sizes == [-3600]


async def test_a_step_that_nobody_could_take_is_told_again(autojump_clock, clock, reported, told):
    told.deaf = True
    clock.step(-3600)
    await trio.sleep(CHECK_INTERVAL + 1)
    told.deaf = False
    clock.step(-60)
    await trio.sleep(CHECK_INTERVAL + 1)
    assert reported == [-3660]


async def test_the_watch_goes_on_until_it_is_cancelled(autojump_clock):
    with trio.move_on_after(CHECK_INTERVAL / 2) as scope:
        await StepWatch(SystemClock(), partial(pytest.fail, "no time has passed")).run()
    assert scope.cancelled_caught
