"""`soonest_reset`: for setups without polling, where little is known and that little is old."""

import math

from qr.quota.windows import LENGTHS
from qr.routing.policies.policy import NEVER
from qr.routing.rules import Rules
from qr.routing.standing import Standing

__all__ = ["SoonestReset"]

WEEK = LENGTHS["weekly"]


class SoonestReset:
    """
    The earliest weekly reset, by provider (specification, section 4).

    Claude: an unknown reset sorts first, since one real request learns it; a passed one rolls forward by
    whole weeks. Codex: both sort last: that window is usually unstarted, and starting it early can waste it.
    """

    name = "soonest_reset"
    works_unpolled = True
    steady = False

    def place(self, account: Standing, rules: Rules, now: float) -> tuple[int, float]:  # noqa: ARG002  # Policy
        reset = account.long_resets_at if account.long_window == "weekly" else None
        if account.provider == "claude":
            return 0, -NEVER if reset is None else _rolled(reset, now)
        return 0, NEVER if reset is None or reset <= now else reset

    def tolerance(self, rules: Rules) -> float:
        return rules.reset_jitter


def _rolled(reset: float, now: float) -> float:
    """The next reset if weeks follow each other; for the order only, never shown."""
    return reset if reset > now else reset + WEEK * (math.floor((now - reset) / WEEK) + 1)
