"""`quota_pressure`: spend first where most would be lost per hour that is left."""

from qr.quota.windows import HOUR, LENGTHS
from qr.routing.rules import Rules
from qr.routing.standing import Standing

__all__ = ["QuotaPressure"]

# Below half an hour a remainder cannot be used up any faster.
SHORTEST_HOURS = 0.5


class QuotaPressure:
    """The highest `remaining % / max(hours to reset, 0.5)` of the long window."""

    name = "quota_pressure"
    works_unpolled = False
    steady = False

    def place(self, account: Standing, rules: Rules, now: float) -> tuple[int, float]:  # noqa: ARG002  # Policy
        return 0, -(account.long_remaining or 0.0) / max(_hours(account, now), SHORTEST_HOURS)

    def tolerance(self, rules: Rules) -> float:  # noqa: ARG002  # Policy
        return 0.0


def _hours(account: Standing, now: float) -> float:
    """To the reset; an unknown one takes the window's full length (specification, section 4)."""
    if account.long_resets_at is None:
        return LENGTHS[account.long_window or "weekly"] / HOUR
    return (account.long_resets_at - now) / HOUR
