"""
Life and death of actors.

Tests that wait name `autojump_clock` themselves.
"""

from itertools import pairwise

import pytest
import trio
from structlog.testing import capture_logs

from qr.actors.lives import LONGEST_DELAY, Life, keep_alive, restart_delay


@pytest.mark.parametrize(
    ("deaths", "delay"), [(0, 0), (1, 0), (2, 0.05), (3, 0.1), (12, 30.0), (10**6, LONGEST_DELAY)]
)
def test_delays_grow_and_end(deaths, delay):
    assert restart_delay(deaths) == pytest.approx(delay, rel=0.8 if deaths == 12 else 1e-9)


async def test_a_dead_actor_is_followed_by_another(autojump_clock):
    life = Life("x")
    born = []

    def birth():
        born.append(trio.current_time())
        return dies

    async def dies():
        await trio.sleep(1)
        raise RuntimeError("its message is not logged")

    with capture_logs() as logs, trio.move_on_after(10):
        await keep_alive(life, birth)
    assert [round(later - earlier, 2) for earlier, later in pairwise(born)] == [1, 1.05, 1.1, 1.2, 1.4, 1.8]
    assert life.restarts == len(logs) == 7
    assert {entry["cause"] for entry in logs} == {"RuntimeError"}
    assert "its message" not in str(logs)
    assert life.last_death == "RuntimeError"


async def test_one_that_lived_long_starts_its_delays_anew(autojump_clock):
    lengths = iter([1, 1, 100, 1, 1000])
    born = []

    def birth():
        born.append(trio.current_time())
        return lives

    async def lives():
        await trio.sleep(next(lengths))

    with trio.move_on_after(110):
        await keep_alive(Life("x"), birth)
    assert [round(later - earlier, 2) for earlier, later in pairwise(born)] == [1.0, 1.05, 100.0, 1.05]


async def test_a_killed_actor_is_told_from_one_that_ended(autojump_clock):
    life = Life("x")

    async def ends():
        pass

    await life.run(ends)
    assert life.last_death == "ended"

    async def is_killed():
        life.kill()
        await trio.sleep_forever()

    await life.run(is_killed)
    assert (life.last_death, life.restarts) == ("killed", 2)


async def test_all_causes_of_a_group_are_named(autojump_clock):
    life = Life("x")

    async def dies():
        raise ExceptionGroup("two", [ValueError(), ExceptionGroup("deep", [KeyError()])])

    await life.run(dies)
    assert life.last_death == "KeyError, ValueError"


async def test_a_bug_in_the_moment_of_a_kill_is_a_death_like_any_other(autojump_clock):
    """
    What else happens while an actor's tasks are cancelled ends with the actor, and not with whoever kills it.
    """
    life = Life("x")

    async def fails_when_cancelled():
        try:
            await trio.sleep_forever()
        finally:
            raise RuntimeError

    async def is_killed():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(fails_when_cancelled)
            life.kill()

    await life.run(is_killed)
    assert (life.last_death, life.restarts) == ("RuntimeError", 1)
    with trio.CancelScope() as outside:
        outside.cancel()
        await life.run(is_killed)
    assert outside.cancelled_caught
