"""When an account is polled next (specification, section 6): values, and functions of them.

A poll is due for one of several reasons; the earliest counts, and then whatever forbids a poll until later.
The caller waits, polls, reports how it went, and asks again. It also asks again whenever traffic has told
something, since that moves resets and makes polls unnecessary.
"""

from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Literal

import msgspec
from msgspec.structs import replace

from qr.actors.backoff import BACKOFF_MAX, Brake, backoff
from qr.quota.readings import Observation
from qr.quota.windows import Window, Windows

__all__ = ["Due", "PollRules", "Schedule", "is_doubted", "next_poll", "offset", "refresh_at"]

Reason = Literal["first", "regular", "before_reset", "after_reset", "confirm", "retry"]

# Seconds between two polls of one account, at least: reasons that fall together are answered by one poll.
MIN_GAP = 10.0

# A poll may end this much (seconds) before the time it was due at: two clocks are involved.
SLACK = 1.0

# At the first start nothing is known of any account. All are asked within this time: not at once, yet before
# a person wonders.
FIRST_SPREAD = 10.0

# A poll that is older than this when the service starts again is out of date for any settings.
LONG_AGO = 900.0

# After a brake the accounts of a provider are asked one after the other within this time.
BRAKE_SPREAD = 60.0

# Just after a reset the old use may come with the new reset, for less than 30 to 60 s (evidence, section 8).
CONFIRM_AFTER = 30.0
CONFIRM_SPREAD = 30.0

# The longest `Retry-After` of a usage endpoint that was captured is 3,524 s (evidence, section 2.4). More
# than twice that would leave an account unseen for half a five-hour window, and is taken for a mistake.
RETRY_AFTER_MAX = 7200.0

# Seconds between two refreshes by hand of one account.
REFRESH_GAP = 30.0


class PollRules(msgspec.Struct, frozen=True, gc=False):
    """The settings that polling depends on; durations are seconds."""

    interval: float = 300.0
    reset_probe: float = 30.0
    """How long before and after each known reset an account is polled."""
    max_passive_skips: int = 6
    """So many regular polls in a row may be left out because traffic told enough."""


class Due(msgspec.Struct, frozen=True, gc=False):
    """When the next poll is due, and why."""

    at: float
    reason: Reason


class Schedule(msgspec.Struct, frozen=True, gc=False):
    """What is remembered of one account's polls. Times are epoch seconds."""

    since: float = 0.0
    """When the account became known."""
    polled_at: float | None = None
    """When the last poll ended, well or not."""
    errors: int = 0
    """In a row."""
    retry_at: float = 0.0
    """After an error: no poll of our own before."""
    asked_until: float = 0.0
    """The provider asked not to be asked before: not even by hand."""
    confirm_at: float | None = None
    """A reading is doubted, and is to be read again then."""
    confirmed_at: float = 0.0

    def succeeded(self, now: float) -> "Schedule":
        """A poll brought an observation."""
        confirmed = self.confirm_at is not None and now >= self.confirm_at - SLACK
        return Schedule(
            since=self.since,
            polled_at=now,
            confirm_at=None if confirmed else self.confirm_at,
            confirmed_at=now if confirmed else self.confirmed_at,
        )

    def failed(self, now: float, *, retry_after: float | None = None, jitter: float = 0.0) -> "Schedule":
        """
        A poll brought an error.

        Args:
            now: epoch seconds.
            retry_after: seconds that the provider asks to wait; a zero is no answer.
            jitter: 0 to 1.

        """
        asked = min(retry_after or 0.0, RETRY_AFTER_MAX)
        return replace(
            self,
            polled_at=now,
            errors=self.errors + 1,
            retry_at=now + backoff(self.errors, jitter),
            asked_until=max(self.asked_until, now + max(asked, 0.0)),
        )

    def doubted(self, now: float, rules: PollRules, *, jitter: float = 0.0) -> "Schedule":
        """A reading is not believed before a second one; one extra poll in an interval asks for that."""
        if self.confirm_at is not None or now < self.confirmed_at + rules.interval:
            return self
        return replace(self, confirm_at=now + CONFIRM_AFTER + CONFIRM_SPREAD * jitter)

    def rested_at(self, gap: float) -> float:
        """When *gap* seconds have passed since the last poll."""
        return 0.0 if self.polled_at is None else self.polled_at + gap

    def restored(self, now: float) -> "Schedule":
        """
        The same after a restart: no wait exceeds the longest, even if the clock was set back meanwhile.

        What was polled long ago is spread like a first poll: a fleet is not asked at once.
        """
        long_ago = self.polled_at is None or self.polled_at + LONG_AGO < now
        return replace(
            self,
            since=now if long_ago else min(self.since, now),
            polled_at=None if long_ago else min(self.polled_at or now, now),
            retry_at=min(self.retry_at, now + BACKOFF_MAX),
            asked_until=min(self.asked_until, now + RETRY_AFTER_MAX),
            confirm_at=None,
            confirmed_at=min(self.confirmed_at, now),
        )

    def shifted(self, seconds: float) -> "Schedule":
        """The same after a step of the machine's clock by *seconds*."""
        return Schedule(
            since=self.since + seconds,
            polled_at=None if self.polled_at is None else self.polled_at + seconds,
            errors=self.errors,
            retry_at=self.retry_at + seconds,
            asked_until=self.asked_until + seconds,
            confirm_at=None if self.confirm_at is None else self.confirm_at + seconds,
            confirmed_at=self.confirmed_at + seconds,
        )


NO_BRAKE = Brake()


def next_poll(
    account: str,
    schedule: Schedule,
    windows: Windows,
    rules: PollRules,
    *,
    now: float,
    passive_at: float | None = None,
    brake: Brake = NO_BRAKE,
) -> Due:
    """
    When *account* is polled next: at *now* when it is due.

    Args:
        account: its id, which gives it a place of its own in each interval.
        schedule: what is remembered of its polls.
        windows: what is believed of it: the resets, and how old that is.
        rules: the settings.
        now: epoch seconds.
        passive_at: when served traffic last told what is left.
        brake: of the account's provider.

    """
    due_at, reason = min(_reasons(account, schedule, windows, rules, now, passive_at), key=itemgetter(0))
    at = max(due_at, schedule.rested_at(MIN_GAP), schedule.retry_at, schedule.asked_until)
    if at < brake.until:
        at = brake.until + offset(account, BRAKE_SPREAD)
    return Due(max(at, now), reason)


def refresh_at(schedule: Schedule, *, now: float, brake: Brake = NO_BRAKE) -> float:
    """When a refresh by hand is possible: *now*, or later. It need not wait for our own backoff."""
    return max(schedule.rested_at(REFRESH_GAP), schedule.asked_until, brake.until, now)


def is_doubted(seen: Observation, windows: Windows) -> bool:
    """Whether *windows*, what is believed once *seen* is known, leave out something that it told in full."""
    return any(
        windows[reading.window].observed_at < seen.observed_at
        for reading in seen.readings
        if reading.window in windows and None not in (reading.used_percent, reading.resets_at)
    )


# Asked several times for each change of an account; ids come from the host, so it is bounded.
@lru_cache(maxsize=8192)
def offset(account: str, spread: float) -> float:
    """The account's own place, in seconds, within *spread*; the same after every restart."""
    digest = sha256(account.encode("utf-8", "surrogatepass")).digest()
    return spread * int.from_bytes(digest[:6], "big") / 2**48


def _reasons(
    account: str,
    schedule: Schedule,
    windows: Windows,
    rules: PollRules,
    now: float,
    passive_at: float | None,
) -> Iterator[tuple[float, Reason]]:
    if schedule.polled_at is None:
        yield schedule.since + offset(account, FIRST_SPREAD), "first"
        return
    yield _regular(account, schedule.polled_at, rules, passive_at), "regular"
    if schedule.errors:
        yield schedule.retry_at, "retry"
    if schedule.confirm_at is not None:
        yield schedule.confirm_at, "confirm"
    for window in windows.values():
        yield from _probes(window, schedule.polled_at, rules, now)


def _regular(account: str, polled_at: float, rules: PollRules, passive_at: float | None) -> float:
    """The next of the account's own times that traffic has not made unnecessary."""
    place = offset(account, rules.interval)
    first = place + rules.interval * ((polled_at + MIN_GAP - place) // rules.interval + 1)
    for skips in range(rules.max_passive_skips):
        at = first + skips * rules.interval
        if passive_at is None or at - passive_at >= rules.interval:
            return at
    return first + rules.max_passive_skips * rules.interval


def _probes(window: Window, polled_at: float, rules: PollRules, now: float) -> Iterator[tuple[float, Reason]]:
    """Before a reset, unless something was told shortly before; after one, unless something was since."""
    if window.resets_at is None:
        return
    before, after = window.resets_at - rules.reset_probe, window.resets_at + rules.reset_probe
    if now < window.resets_at and max(polled_at, window.observed_at) < before - rules.reset_probe:
        yield before, "before_reset"
    if window.observed_at < window.resets_at and polled_at < max(window.resets_at, after - SLACK):
        yield after, "after_reset"
