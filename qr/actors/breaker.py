"""The circuit breaker of one account (specification, section 5): a value, and what a result makes of it.

Results come late, twice, out of order, or never. Each says when its attempt began, and that alone decides
what it proves: an attempt from before the circuit opened neither closes it nor counts against it again.
"""

from typing import Literal

import msgspec
from msgspec.structs import replace

__all__ = ["LATEST", "SPREAD", "Breaker", "BreakerRules", "State"]

State = Literal["closed", "open", "half_open"]

# Seconds after its beginning in which a failed attempt still counts. Most are over by then; an older one says
# nothing of the account's present.
LATEST = 600.0

# By which part jitter shortens a delay at most, so that accounts that broke together are not tried together.
SPREAD = 0.2

# Doubling the shortest delay of one second so often exceeds the longest of ten minutes.
MOST_DOUBLINGS = 10


class BreakerRules(msgspec.Struct, frozen=True, gc=False):
    """Durations are seconds."""

    failures: int = 5
    """So many attempts that failed open the circuit,"""
    window: float = 60.0
    """when all of them began within this time."""
    open: float = 30.0
    """How long the circuit stays open at first; each failed trial doubles it,"""
    open_max: float = 600.0
    """up to this. It caps what a provider asks for, too: answers are known that ask for days beside a spent
    five-hour window (evidence, section 5.2), and one trial in ten minutes costs little."""
    trial_timeout: float = 120.0
    """A trial without a result is given up. A result is reported when the answer is complete, and an answer
    that takes longer than this is no failure so far."""


class Breaker(msgspec.Struct, frozen=True, gc=False):
    """All times are epoch seconds."""

    failed: tuple[float, ...] = ()
    """When the failed attempts that count began, ascending."""
    since: float = 0.0
    """When the circuit opened, or the attempt began that closed it: attempts from before prove nothing."""
    open_until: float | None = None
    """None: closed."""
    openings: int = 0
    """In a row, without a success between them."""
    trial_until: float | None = None
    """The result of the trial that was given out is waited for until then."""

    def state(self, now: float) -> State:
        if self.open_until is None:
            return "closed"
        return "open" if now < self.open_until else "half_open"

    def trial_out(self, now: float) -> bool:
        """Whether the one trial of a half-open circuit is under way."""
        half_open = self.state(now) == "half_open"
        return half_open and self.trial_until is not None and now < self.trial_until

    def trial_given(self, now: float, rules: BreakerRules) -> "Breaker":
        """A request was sent on trial; nothing changes where none was to be had."""
        if self.state(now) != "half_open" or self.trial_out(now):
            return self
        return replace(self, trial_until=now + rules.trial_timeout)

    def success(self, started_at: float, now: float) -> "Breaker":
        """An attempt that began at *started_at* was served."""
        started_at = min(started_at, now)
        if self.open_until is None or started_at <= self.since:
            return self
        return Breaker(since=started_at)

    def failure(
        self,
        started_at: float,
        now: float,
        rules: BreakerRules,
        *,
        jitter: float = 0.0,
        retry_at: float | None = None,
    ) -> "Breaker":
        """
        An attempt that began at *started_at* failed.

        Args:
            started_at: epoch seconds.
            now: epoch seconds.
            rules: the limits.
            jitter: 0 to 1.
            retry_at: the epoch second before which the provider asks not to come back. It opens a closed
                circuit at once, and holds even when it is told late.

        """
        started_at = min(started_at, now)
        asked = min(retry_at or 0.0, started_at + rules.open_max)
        if self.open_until is None:
            return self._failed(started_at, now, asked, rules, jitter)
        if self.open_until <= started_at:
            return self._opened(now, max(asked, self._delayed(now, rules, jitter)))
        return replace(self, open_until=max(asked, self.open_until)) if asked > now else self

    def _failed(
        self, started_at: float, now: float, asked: float, rules: BreakerRules, jitter: float
    ) -> "Breaker":
        if started_at <= self.since or started_at < now - LATEST:
            return self
        # A second report of the same attempt finds it in the set.
        starts = {*self.failed, started_at}
        recent = tuple(sorted(start for start in starts if start >= max(starts) - rules.window))
        if len(recent) >= rules.failures:
            return self._opened(now, max(asked, self._delayed(now, rules, jitter)))
        return self._opened(now, asked) if asked > now else replace(self, failed=recent)

    def _delayed(self, now: float, rules: BreakerRules, jitter: float) -> float:
        delay = min(rules.open * 2.0 ** min(self.openings, MOST_DOUBLINGS), rules.open_max)
        return now + delay * (1 - SPREAD * jitter)

    def _opened(self, now: float, until: float) -> "Breaker":
        return Breaker(since=now, open_until=until, openings=self.openings + 1)

    def shifted(self, seconds: float) -> "Breaker":
        """The same after a step of the machine's clock by *seconds*."""
        return replace(
            self,
            failed=tuple(start + seconds for start in self.failed),
            since=self.since + seconds,
            open_until=None if self.open_until is None else self.open_until + seconds,
            trial_until=None if self.trial_until is None else self.trial_until + seconds,
        )

    def restored(self, now: float, rules: BreakerRules) -> "Breaker":
        """The same after a restart: no wait exceeds the rules, even if the clock was set back meanwhile."""
        return replace(
            self,
            failed=tuple(start for start in self.failed if start <= now),
            since=min(self.since, now),
            open_until=None if self.open_until is None else min(self.open_until, now + rules.open_max),
            trial_until=None
            if self.trial_until is None
            else min(self.trial_until, now + rules.trial_timeout),
        )
