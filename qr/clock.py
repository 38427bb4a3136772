"""Wall time for what things mean, on top of Trio's clock for how long to wait.

Under Trio's mock clock a `VirtualClock` moves both together: a week of resets passes in seconds, in step.
"""

import time
from collections.abc import Callable
from typing import Final, Protocol

import trio

__all__ = ["CHECK_INTERVAL", "STEP", "Clock", "StepWatch", "SystemClock", "VirtualClock"]

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


class StepWatch:
    """Notices steps of a clock. It outlives whoever looks: a step is noticed however often that one dies."""

    def __init__(self, clock: Clock, on_step: Callable[[float], bool]) -> None:
        """
        Args:
            clock: the one that may be set.
            on_step: takes the size in seconds of each step, negative when the clock was set back. False: it
                could not; the step is told again, with what came on top of it.

        After a step back evidence looks fresher than it is: its times are to be moved by the same amount.
        After a step forward nothing is to be moved, as the machine may have slept through that time.
        Schedules are to be made anew after both.
        """
        self._clock = clock
        self._on_step = on_step
        self._ahead: float | None = None
        """Of Trio's clock, when it was looked at last; None: nobody has looked yet."""

    async def run(self) -> None:
        """Look until cancelled; a step of less than `STEP` seconds is none."""
        while True:
            self._look()
            await trio.sleep(CHECK_INTERVAL)

    def _look(self) -> None:
        ahead = self._clock.now() - trio.current_time()
        step = 0.0 if self._ahead is None else ahead - self._ahead
        if abs(step) <= STEP or self._on_step(step):
            self._ahead = ahead
