"""What the simulated subscriptions hold: windows by plan, sized in tokens (evidence, sections 1 and 4.1)."""

from collections.abc import Mapping

from attrs import Factory, field, frozen

from qr.quota.windows import DAY, LENGTHS

__all__ = ["PLANS", "UNIT", "Limit", "Plan"]

UNIT = 2_000_000.0
"""Tokens in the five hours of the smallest plan; all other sizes are multiples of it."""

FIVE_HOURS, WEEK = LENGTHS["five_hour"], LENGTHS["weekly"]

# Claude's windows begin at a ten-minute mark, Codex' at the second of the first use.
TEN_MINUTES, SECOND = 600.0, 1.0


@frozen
class Limit:
    """One window of a plan."""

    window: str
    size: float
    """Tokens that fill it, in multiples of `UNIT`."""
    length: float
    """Seconds."""
    mark: float = SECOND
    """It begins at a multiple of so many seconds."""
    anchored: bool = False
    """It follows a calendar of its own, used or not; else it begins at the first use."""
    kind: str = field(
        init=False, default=Factory(lambda self: self.window.partition(":")[0], takes_self=True)
    )
    family: str = field(
        init=False, default=Factory(lambda self: self.window.partition(":")[2], takes_self=True)
    )
    """The model family it counts alone; empty: it counts every model."""

    def counts(self, model: str) -> bool:
        return self.family in model


@frozen
class Plan:
    """What one subscription may use."""

    name: str
    provider: str
    limits: tuple[Limit, ...]


def _claude(name: str, five_hours: float, week: float, fable: float) -> Plan:
    limits = (
        Limit("five_hour", five_hours, FIVE_HOURS, TEN_MINUTES),
        Limit("weekly", week, WEEK, TEN_MINUTES, anchored=True),
        Limit("weekly:fable", fable, WEEK, TEN_MINUTES, anchored=True),
    )
    return Plan(name, "claude", limits)


def _codex(name: str, *limits: Limit) -> Plan:
    return Plan(name, "codex", limits)


# 299 and 10079 minutes are real lengths of Codex' windows (evidence, section 3.2).
SHORT_FIVE_HOURS, SHORT_WEEK = FIVE_HOURS - 60, WEEK - 60

PLANS: Mapping[tuple[str, str], Plan] = {
    (plan.provider, plan.name): plan
    for plan in (
        _claude("pro", 1, 9, 5),
        _claude("max_5x", 5, 40, 20),
        _claude("max_20x", 20, 130, 65),
        _codex("plus", Limit("five_hour", 1, FIVE_HOURS), Limit("weekly", 8, WEEK)),
        _codex("team", Limit("five_hour", 1.5, SHORT_FIVE_HOURS), Limit("weekly", 10, SHORT_WEEK)),
        _codex(
            "pro",
            Limit("weekly", 60, WEEK),
            Limit("five_hour:spark", 4, FIVE_HOURS),
            Limit("weekly:spark", 20, WEEK),
        ),
        _codex("go", Limit("monthly", 20, 30 * DAY)),
    )
}
