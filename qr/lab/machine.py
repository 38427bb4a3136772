"""The clock of the machine on which host and house run: set wrong now and then, and right again hours later.

The providers, the agents and the run itself keep the world's time.
"""

from collections.abc import Callable, Iterator

import trio
from attrs import define

from qr.clock import CHECK_INTERVAL, VirtualClock
from qr.lab.chance import chance
from qr.quota.windows import DAY, HOUR

__all__ = ["MachineClock", "settings_of"]

WEEK = 7 * DAY

# By how many seconds the clock is set: a minute to some hours, so that no two ages or windows are safe.
SMALLEST, LARGEST = 60.0, 6 * HOUR

# So many seconds later somebody notices, and sets it right.
SOONEST, LATEST = 600.0, 12 * HOUR

Setting = tuple[float, float]
"""When the clock is set (the world's epoch seconds), and by how many seconds."""


def settings_of(seed: int, rate: float, start: float, seconds: float) -> Iterator[Setting]:
    """The settings within *seconds* after *start*; *rate* is how often a week the clock is set wrong."""
    drawn, at = chance(seed, "clock"), start
    while rate and (at := at + drawn.expovariate(rate / WEEK)) < start + seconds:
        size = drawn.choice((-1, 1)) * SMALLEST * (LARGEST / SMALLEST) ** drawn.random()
        yield at, size
        at += drawn.uniform(SOONEST, LATEST)
        yield at, -size


@define(eq=False)
class MachineClock:
    """Shows the world's time, but for what it was set by."""

    world: VirtualClock
    ahead: float = 0.0
    """Seconds by which it shows more than the world's time."""
    set_at: float | None = None
    """When it was set last, in the world's time."""

    def now(self) -> float:
        return self.world.now() + self.ahead

    def shown(self, at: float) -> float:
        """What it shows at *at*, the world's time, as it is set now."""
        return at + self.ahead

    def set(self, seconds: float) -> None:
        self.ahead += seconds
        self.set_at = self.world.now()

    def set_since(self, at: float) -> bool:
        """Whether it was set after *at*, the world's time."""
        return self.set_at is not None and self.set_at > at

    @property
    def unnoticed(self) -> bool:
        """It was set, and whoever watches it may not have looked since."""
        return self.set_since(self.world.now() - CHECK_INTERVAL)

    async def follow(self, settings: Iterator[Setting], told: Callable[[float], None]) -> None:
        """Be set as *settings* say; *told* learns by how many seconds."""
        for at, seconds in settings:
            await trio.sleep(at - self.world.now())
            self.set(seconds)
            told(seconds)
