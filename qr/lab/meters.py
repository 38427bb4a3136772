"""One window of one simulated subscription: it fills by tokens and empties at its reset."""

from math import floor

import msgspec
from attrs import define

from qr.lab.plans import Limit

__all__ = ["Echo", "Meter", "Spell"]


class Spell(msgspec.Struct, frozen=True, gc=False):
    """One window's life, from its beginning to its reset. Times are epoch seconds, percents 0 to 100."""

    account: str
    window: str
    ended_at: float
    used_percent: float
    early: bool
    """The provider reset it before its time: nothing was lost."""

    @property
    def remaining_percent(self) -> float:
        return max(0.0, 100.0 - self.used_percent)


class Echo(msgspec.Struct, frozen=True, gc=False):
    """Just after a reset the old use may be shown beside the new reset (evidence, section 7.2)."""

    fraction: float
    until: float


@define(eq=False)
class Meter:
    """What is used of a window. The provider knows it exactly, whatever it shows."""

    limit: Limit
    capacity: float
    """Tokens."""
    speed: float = 1.0
    """So many times faster than real ones its time passes; what it tells of its length is the real one."""
    resets_at: float | None = None
    """None: not started."""
    used: float = 0.0
    """Tokens."""
    echo: Echo | None = None

    @property
    def length(self) -> float:
        """Seconds from beginning to reset."""
        return self.limit.length / self.speed

    @property
    def fraction(self) -> float:
        """Of the capacity; above 1 when the last request went beyond it, as real ones do."""
        return self.used / self.capacity

    @property
    def used_percent(self) -> float:
        return min(100.0, 100.0 * self.fraction)

    @property
    def full(self) -> bool:
        return self.used >= self.capacity

    def start(self, now: float) -> None:
        """The first use sets the reset of a window that no calendar sets."""
        if self.resets_at is None:
            mark = self.limit.mark / self.speed
            self.resets_at = floor(now / mark) * mark + self.length

    def burn(self, tokens: float, now: float) -> None:
        self.start(now)
        self.used += tokens

    def reset(self, now: float) -> None:
        """Empty it; a calendar goes on by whole lengths, what begins at the first use waits for it."""
        if self.limit.anchored and self.resets_at is not None:
            passed = floor((now - self.resets_at) / self.length) + 1
            self.resets_at += max(0, passed) * self.length
        else:
            self.resets_at = None
        self.used = 0.0

    def shown(self, now: float) -> float:
        """The fraction that answers tell at *now*."""
        if self.echo is not None and now < self.echo.until and self.resets_at is not None:
            return max(self.fraction, self.echo.fraction)
        return self.fraction
