"""`reset_first`: spend first what expires first."""

from qr.routing.policies.policy import NEVER
from qr.routing.rules import Rules
from qr.routing.standing import Standing

__all__ = ["ResetFirst"]


class ResetFirst:
    """The earliest reset of the long window; an unknown one last."""

    name = "reset_first"
    works_unpolled = False
    steady = True

    def place(self, account: Standing, rules: Rules, now: float) -> tuple[int, float]:  # noqa: ARG002  # Policy
        return 0, NEVER if account.long_resets_at is None else account.long_resets_at

    def tolerance(self, rules: Rules) -> float:
        return rules.reset_jitter
