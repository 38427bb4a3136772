"""`balanced`: spend first what expires first, and spare an account whose five hours run dry."""

from qr.routing.policies.reset_first import ResetFirst
from qr.routing.rules import Rules
from qr.routing.standing import Standing

__all__ = ["Balanced"]


class Balanced(ResetFirst):
    """Like `reset_first`, but accounts above `five_hour_soft_limit` come after those below."""

    name = "balanced"

    def place(self, account: Standing, rules: Rules, now: float) -> tuple[int, float]:
        _, value = super().place(account, rules, now)
        return int(account.five_hour_used > rules.five_hour_soft_limit), value
