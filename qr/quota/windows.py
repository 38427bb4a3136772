"""One quota window as the router believes it, and the rules that read it.

Times are epoch seconds, percents are 0 to 100. A window is told by its name: `five_hour`, `weekly`,
`monthly`, `weekly:<family>`, `five_hour:<family>`, or its length such as `86400s` when it fits none of these.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

__all__ = [
    "ALWAYS",
    "CLOCK_SLACK",
    "DAY",
    "HOUR",
    "LENGTHS",
    "LONG",
    "SAME_RESET",
    "Status",
    "Window",
    "Windows",
    "applies",
    "families",
    "in_family",
    "limits",
    "long_window",
    "remaining_percent",
]

Status = Literal["allowed", "allowed_warning", "rejected"]

# The windows that limit every request (specification, section 4).
ALWAYS = ("five_hour", "weekly", "monthly")

# The long window is the weekly one, or the monthly where there is no weekly one.
LONG = ("weekly", "monthly")

HOUR = 3600.0
DAY = 24 * HOUR

# Full lengths in seconds. A month is 30 days here: providers send 28 to 31 (evidence, section 3.2).
LENGTHS: Mapping[str, float] = {"five_hour": 5 * HOUR, "weekly": 7 * DAY, "monthly": 30 * DAY}

# The reset in a refusal and the one in a reading of the same window differ by at most these seconds
# (evidence, section 4.2).
SAME_RESET = 60.0


class Window(msgspec.Struct, frozen=True, gc=False):
    """What is believed of one window, and since when."""

    name: str
    used_percent: float | None = None
    """0 to 100, or None when only a status or a refusal is known."""
    resets_at: float | None = None
    """None: unknown, or not started yet."""
    observed_at: float = 0.0
    """When the newest evidence of this window arrived."""
    status: Status | None = None
    """What the provider said last of this window."""
    source: str = ""
    """Where the percent was read: `headers`, `usage`, `failure`."""
    warned_until: float | None = None
    """A warning mark stands until then; None when there is none."""
    exhausted_until: float | None = None
    """Confirmed exhausted until then; None when it is not."""
    paid: bool = False
    """Spent, and served by paid credits, until it resets."""
    paid_until: float | None = None
    """Paid until then at most, as an untold reset cannot end it; None: until it resets."""

    def passed(self, now: float) -> bool:
        """Past its reset and unread since: `reset_pending`, never assumed to be reset."""
        return self.resets_at is not None and now >= self.resets_at

    def exhausted(self, now: float) -> bool:
        return self.exhausted_until is not None and now < self.exhausted_until and not self.passed(now)

    def served_by_credits(self, now: float) -> bool:
        lasts = self.paid_until is None or now < self.paid_until
        return self.paid and lasts and not self.passed(now)

    def warned(self, now: float) -> bool:
        return self.warned_until is not None and now < self.warned_until and not self.passed(now)

    def age(self, now: float) -> float:
        """
        Seconds since the newest evidence.

        Evidence from the future (the clock stepped back while nobody ran) counts as infinitely old: a step
        never makes data fresher than it is.
        """
        return now - self.observed_at if self.observed_at <= now + CLOCK_SLACK else float("inf")


# Two processes on one machine may read the clock this much apart, in seconds.
CLOCK_SLACK = 5.0

Windows = Mapping[str, Window]


def remaining_percent(used_percent: float) -> float:
    """The one place where used becomes remaining; never below zero."""
    return max(0.0, 100.0 - used_percent)


def long_window(windows: Windows) -> Window | None:
    """The weekly window, or the monthly one where there is no weekly one."""
    return next((windows[name] for name in LONG if name in windows), None)


def limits(name: str) -> bool:
    """Whether the window *name* limits requests for any model; one of an odd length limits nothing."""
    return name.partition(":")[0] in ALWAYS


# Asked of every window for every standing, of a handful of models; a client may choose other names, so it
# is bounded.
@lru_cache(maxsize=512)
def applies(name: str, model: str) -> bool:
    """Whether the window *name* limits requests for *model* (specification, section 4)."""
    kind, _, family = name.partition(":")
    return kind in ALWAYS and (not family or in_family(model, family))


def families(names: Iterable[str]) -> set[str]:
    """The model families that have a window of their own among *names*."""
    return {
        family for kind, _, family in (name.partition(":") for name in names) if family and kind in ALWAYS
    }


def in_family(model: str, family: str) -> bool:
    """
    Whether *model* contains the name of *family* as a word, its thinking suffix `(…)` removed.

    >>> in_family("claude-fable-5(8192)", "fable")
    True
    >>> in_family("claude-fabled-5", "fable")
    False
    """
    return f"-{words(family)}-" in f"-{words(THINKING.sub('', model))}-"


THINKING = re.compile(r"\([^()]*\)\s*$")


def words(name: str) -> str:
    """The words of *name*, lower case, joined by `-`: also how an unknown family is named."""
    return "-".join(re.findall(r"[^\W_]+", name.lower()))
