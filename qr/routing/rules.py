"""The settings that a decision depends on (specification, section 4)."""

from collections.abc import Mapping
from typing import Literal

from attrs import Factory, frozen

__all__ = ["Mode", "PaidUsage", "Rules", "WarningPreference"]

Mode = Literal["active", "shadow", "off"]
WarningPreference = Literal["above_priority", "within_priority", "off"]
PaidUsage = Literal["avoid", "allow"]


@frozen
class Rules:
    """Percents are 0 to 100, durations are seconds."""

    mode: Mode = "active"
    policy: str = "reset_first"
    warning_preference: WarningPreference = "above_priority"
    manual_priority: Mapping[str, int] = Factory(dict)
    """Account id to integer, higher first; an account that is not named has 0."""
    new_session_min_remaining: float = 5.0
    five_hour_soft_limit: float = 80.0
    paid_usage: PaidUsage = "avoid"
    inherit_parent: bool = True
    failover_max: float | None = None
    """A bound account away for longer than this is given up; None: never."""
    max_age: float = 900.0
    reset_jitter: float = 90.0
