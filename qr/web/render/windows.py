"""One window as it is shown."""

import re
from collections.abc import Iterable

from qr.quota.windows import ALWAYS, LENGTHS, Window, limits, remaining_percent
from qr.routing.rules import Rules
from qr.web.render.words import window_title
from qr.web.shapes.accounts import WindowShape, WindowState

__all__ = ["in_order", "window_length", "window_shape"]

# A pace is told from this share of a window's length on: one early request would otherwise forecast the end
# of the week.
SHORTEST_PACE = 0.02

ODD_LENGTH = re.compile(r"([0-9]{1,9})s")


def in_order(windows: Iterable[Window]) -> list[Window]:
    """Those that limit every request, then the families', then those of odd length."""
    return sorted(windows, key=lambda window: (_rank(window.name), window.name))


def _rank(name: str) -> int:
    if name in ALWAYS:
        return ALWAYS.index(name)
    return len(ALWAYS) + (0 if limits(name) else 1)


def window_length(name: str) -> float | None:
    """Seconds; None when the name does not tell."""
    kind = name.partition(":")[0]
    odd = ODD_LENGTH.fullmatch(kind)
    return LENGTHS.get(kind) or (float(odd[1]) if odd and int(odd[1]) else None)


def window_shape(window: Window, rules: Rules, now: float, began_at: float | None = None) -> WindowShape:
    """
    *window* as it is at *now*.

    Args:
        window: as it is believed.
        rules: the settings in force; they say how old is too old.
        now: epoch seconds.
        began_at: when it was seen to begin anew: later than its length says after an early reset.

    """
    age = window.age(now)
    stale_at = window.observed_at + rules.max_age if window.name in ALWAYS and window.observed_at else None
    length = window_length(window.name)
    starts_at = _starts_at(window, length, began_at)
    return WindowShape(
        name=window.name,
        title=window_title(window.name),
        family=window.name.partition(":")[2] or None,
        limits=limits(window.name),
        length_seconds=length,
        used_percent=window.used_percent,
        remaining_percent=None if window.used_percent is None else remaining_percent(window.used_percent),
        resets_at=window.resets_at,
        starts_at=starts_at,
        even_used_percent=_even_use(window, starts_at, now),
        runs_dry_at=_runs_dry_at(window, starts_at, now),
        observed_at=window.observed_at or None,
        age_seconds=None if age == float("inf") or not window.observed_at else max(age, 0.0),
        stale=_stale(window, rules, now),
        stale_at=stale_at,
        reset_pending=window.passed(now),
        status=window.status,
        warned=window.warned(now),
        warned_until=window.warned_until,
        exhausted=window.exhausted(now),
        exhausted_until=window.exhausted_until,
        paid=window.served_by_credits(now),
        state=_state(window, rules, now),
        source=window.source,
    )


def _starts_at(window: Window, length: float | None, began_at: float | None) -> float | None:
    if window.resets_at is None or not length:
        return None
    starts_at = window.resets_at - length
    return max(starts_at, began_at) if began_at is not None and began_at < window.resets_at else starts_at


def _state(window: Window, rules: Rules, now: float) -> WindowState:
    if window.exhausted(now):
        return "exhausted"
    if window.served_by_credits(now):
        return "paid"
    if window.passed(now):
        return "reset_pending"
    if window.used_percent is None:
        return "unknown"
    if _stale(window, rules, now):
        return "stale"
    return "warned" if window.warned(now) else "ok"


def _stale(window: Window, rules: Rules, now: float) -> bool:
    """The age of a family's window is shown only (specification, section 5)."""
    return window.name in ALWAYS and window.age(now) > rules.max_age


def _even_use(window: Window, starts_at: float | None, now: float) -> float | None:
    if starts_at is None or window.resets_at is None or window.passed(now):
        return None
    share = (now - starts_at) / (window.resets_at - starts_at)
    return min(max(share, 0.0), 1.0) * 100.0


def _runs_dry_at(window: Window, starts_at: float | None, now: float) -> float | None:
    """When the window is used up if it goes on as on average since its start; None: not before its reset."""
    used, resets_at = window.used_percent, window.resets_at
    if starts_at is None or resets_at is None or not used or used >= 100.0 or window.passed(now):
        return None
    elapsed = window.observed_at - starts_at
    if elapsed < SHORTEST_PACE * (resets_at - starts_at):
        return None
    dry_at = window.observed_at + elapsed * remaining_percent(used) / used
    return dry_at if dry_at < resets_at else None
