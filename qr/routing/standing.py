"""Where an account stands for requests of one model: usable, trusted, and what ranks it.

A standing is worked out once and holds until something about the account changes or a moment passes
(`valid_until`), so that a pick costs no more than the candidates that it was offered.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec.structs import force_setattr, replace

from qr.quota.windows import ALWAYS, CLOCK_SLACK, Window, Windows, applies, long_window, remaining_percent
from qr.routing.account import AccountView
from qr.routing.request import Candidate
from qr.routing.rules import Rules

__all__ = ["Contender", "Key", "Standing", "standing"]

FOREVER = float("inf")


class Standing(msgspec.Struct, frozen=True, eq=False, gc=False):
    """What a decision needs to know of one account. What was `read` knows of no reservations."""

    account: str
    provider: str = ""
    gone: str | None = None
    """Permanently unusable: `disabled` or `login_dead`."""
    exhausted: str | None = None
    """The applicable window that is confirmed exhausted (the last to reset, if several are)."""
    paid: bool = False
    """An applicable window is spent and served by paid credits."""
    circuit_open: bool = False
    paused: bool = False
    distrust: str | None = None
    """Usable, but not ranked: `unknown`, `reset_pending` or `stale`."""
    reported: bool = False
    """Some window of the account was ever read."""
    away_until: float | None = None
    """The latest reset among the windows that refuse; None: nothing refuses, or a reset is unknown."""
    most_read: float | None = None
    """Percent used of the most constrained applicable window; None when none is known."""
    five_hour_read: float | None = None
    warned: bool = False
    long_window: str = ""
    long_resets_at: float | None = None
    """Also when it has passed."""
    long_read: float | None = None
    """Percent used of the long window; None when unknown or past its reset."""
    reserved_percent: float = 0.0
    valid_until: float = FOREVER

    # Asked for every candidate of every pick, so these are worked out once, from those above.
    trouble: str | None = None
    """The first cause that keeps requests away, in the words of a decision; None: usable."""
    rankable: bool = False
    """Usable and trusted."""
    headroom: float = FOREVER
    """Percent left in the most constrained applicable window, reservations taken off."""
    five_hour_used: float = 0.0
    """Reservations added."""
    long_remaining: float | None = None
    """Percent left in the long window, reservations taken off; None when unknown or past its reset."""

    def __post_init__(self) -> None:
        trouble, reserved = self._trouble(), self.reserved_percent
        force_setattr(self, "trouble", trouble)
        force_setattr(self, "rankable", trouble is None and self.distrust is None)
        if self.most_read is not None:
            force_setattr(self, "headroom", remaining_percent(self.most_read + reserved))
        if self.five_hour_read is not None:
            force_setattr(self, "five_hour_used", self.five_hour_read + reserved)
        if self.long_read is not None:
            force_setattr(self, "long_remaining", remaining_percent(self.long_read + reserved))

    def reserving(self, percent: float) -> "Standing":
        """The same with *percent* in all reserved."""
        return replace(self, reserved_percent=percent)

    @property
    def usable(self) -> bool:
        return self.trouble is None

    @property
    def trusted(self) -> bool:
        return self.distrust is None

    @property
    def only_paid(self) -> bool:
        """Nothing stands against the account but that it would cost money."""
        return self.paid and not (self.gone or self.exhausted or self.circuit_open or self.paused)

    def _trouble(self) -> str | None:
        if self.gone:
            return "auth_failed" if self.gone == "login_dead" else self.gone
        if self.exhausted or self.paid:
            return "exhausted"
        if self.circuit_open:
            return "circuit_open"
        return "paused" if self.paused else None

    @property
    def verdict(self) -> str | None:
        """What is said of the account before any ranking; None: nothing stands against it."""
        if self.gone:
            return self.gone
        if self.exhausted:
            return f"exhausted:{self.exhausted}"
        if self.paid:
            return "paid_usage"
        if self.circuit_open:
            return "circuit_open"
        return "paused" if self.paused else self.distrust


Key = tuple[float, ...]
"""What a ranking compares; the lower goes first."""


class Contender(NamedTuple):
    """A candidate of the host, and where its account stands."""

    candidate: Candidate
    standing: Standing
    key: Key | None = None
    """Its key in the ranking, when that is the same at any time."""

    @property
    def id(self) -> str:
        return self.candidate.id


def standing(view: AccountView, model: str, rules: Rules, reserved_percent: float, now: float) -> Standing:
    """
    Where *view* stands for *model* at *now*.

    Args:
        view: the account.
        model: the model of the request, possibly with a thinking suffix.
        rules: the settings in force.
        reserved_percent: what sessions bound since the last observation are expected to use.
        now: epoch seconds.

    """
    bound = {name: window for name, window in view.windows.items() if applies(name, model)}
    spent = [window for window in bound.values() if window.exhausted(now)]
    paid = [window for window in bound.values() if window.served_by_credits(now)]
    current = {name: window for name, window in bound.items() if not window.passed(now)}
    long = long_window(bound)
    return Standing(
        account=view.id,
        provider=view.provider,
        gone="disabled" if view.disabled else "login_dead" if view.login == "dead" else None,
        exhausted=max(spent, key=_until).name if spent else None,
        paid=bool(paid),
        circuit_open=view.circuit_closed_to(now),
        paused=view.paused,
        distrust=_distrust(bound, rules, now, passed=len(current) < len(bound)),
        reported=bool(view.windows),
        away_until=_away_until([*spent, *paid]),
        most_read=max(_known(window.used_percent for window in current.values()), default=None),
        five_hour_read=_read(current.get("five_hour")),
        warned=any(window.warned(now) for window in bound.values()),
        long_window=long.name if long else "",
        long_resets_at=long.resets_at if long else None,
        long_read=_read(current.get(long.name)) if long else None,
        reserved_percent=reserved_percent,
        valid_until=min(_changes(view, bound, rules, now), default=FOREVER),
    )


def _until(window: Window) -> float:
    return window.exhausted_until or 0.0


def _away_until(refusing: list[Window]) -> float | None:
    """The account returns at the latest reset among the windows that refuse (evidence, section 0.2)."""
    resets = [window.resets_at for window in refusing]
    return None if None in resets else max(_known(resets), default=None)


def _distrust(windows: Windows, rules: Rules, now: float, *, passed: bool) -> str | None:
    long = long_window(windows)
    if long is None or long.used_percent is None:
        return "unknown"
    if passed:
        return "reset_pending"
    old = any(windows[name].age(now) > rules.max_age for name in ALWAYS if name in windows)
    return "stale" if old else None


def _read(window: Window | None) -> float | None:
    return window.used_percent if window else None


def _known(values: Iterable[float | None]) -> Iterator[float]:
    return (value for value in values if value is not None)


def _changes(view: AccountView, windows: Windows, rules: Rules, now: float) -> list[float]:
    """
    When something said in a standing at *now* may change by the mere passing of time.

    What ends at a moment has ended in that moment: the standing says so already. An age is judged against its
    limit by a sum that floating point may round, so at that very moment nothing is promised.
    """
    ends = [at for at in _ends(view, windows) if at is not None and at > now]
    return ends + [at for at in _turns(windows, rules) if at >= now]


def _ends(view: AccountView, windows: Windows) -> Iterator[float | None]:
    for window in windows.values():
        yield window.resets_at
        yield window.exhausted_until
        yield window.warned_until
        yield window.paid_until
    yield view.circuit_until
    yield view.trial_until


def _turns(windows: Windows, rules: Rules) -> Iterator[float]:
    """When a window that always applies is no longer from the future, and when it is stale."""
    for name in ALWAYS:
        if name in windows:
            yield windows[name].observed_at - CLOCK_SLACK
            yield windows[name].observed_at + rules.max_age
