"""Wall time for what things mean, on top of Trio's clock for how long to wait.

Under Trio's mock clock a `VirtualClock` moves both together: a week of resets passes in seconds, in step.
"""

import time
from collections.abc import Callable
from typing import Final, Protocol

import trio

__all__ = ["CHECK_INTERVAL", "STEP", "Clock", "SystemClock", "VirtualClock", "watch_steps"]

# Seconds by which the wall clock must leave the monotonic one between two checks. Slewing stays a thousand
# times below, a pause amid one check well below; an age that is wrong by less changes no decision.
STEP: Final = 2.0

# Seconds between two checks. Until the next one, evidence from before a step back lies in the future, which
# counts as infinitely old.
CHECK_INTERVAL: Final = 5.0


class Clock(Protocol):
    def now(self) -> float:
        """Epoch seconds."""
        ...


class SystemClock:
    """The machine's wall clock, which people and services may set while we run."""

    def now(self) -> float:
        return time.time()


class VirtualClock:
    """Wall time from *start* (epoch seconds) on that moves with Trio's clock; made inside a Trio run."""

    def __init__(self, start: float) -> None:
        self._ahead = start - trio.current_time()

    def now(self) -> float:
        return self._ahead + trio.current_time()

    def step(self, seconds: float) -> None:
        """Set the clock, as an administrator or a time service would: forward, or back when negative."""
        self._ahead += seconds


async def watch_steps(clock: Clock, on_step: Callable[[float], None]) -> None:
    """
    Call *on_step* with the size in seconds of each step of *clock*, negative when it was set back.

    After a step back evidence looks fresher than it is: its times are to be moved by the same amount. After a
    step forward nothing is to be moved, as the machine may have slept through that time. Schedules are to be
    made anew after both. Never returns; a step of less than `STEP` seconds is none.
    """
    ahead = _ahead(clock)
    while True:
        await trio.sleep(CHECK_INTERVAL)
        before, ahead = ahead, _ahead(clock)
        if abs(ahead - before) > STEP:
            on_step(ahead - before)


def _ahead(clock: Clock) -> float:
    return clock.now() - trio.current_time()
