"""What sessions bound since an account's last observation are expected to use.

A burst of new sessions must not all land on the account that looked best before any of them was counted
(specification, section 4, "Concurrent new sessions").
"""

from attrs import define, field

from qr.quota.windows import ALWAYS, Window, Windows

__all__ = ["Reservations"]

# Until an account has shown what a session of its own costs, one is taken for this many percent of its
# narrowest window: between the fraction of a percent of a chat and the ten percent of a long agent run.
FIRST_GUESS = 2.0

# One odd session must neither bench an account nor make reservations meaningless.
SMALLEST, LARGEST = 0.1, 20.0

# The weight of the newest observation: a few of them turn the estimate, one alone does not.
NEWEST = 0.3


@define
class Account:
    """How many sessions are not counted yet, and what one is expected to use, in percent."""

    uncounted: int = 0
    percent: float = FIRST_GUESS

    @property
    def reserved(self) -> float:
        return self.uncounted * self.percent


@define
class Reservations:
    """By account id."""

    _accounts: dict[str, Account] = field(factory=dict)

    def __len__(self) -> int:
        return len(self._accounts)

    def bound(self, account: str) -> float:
        """One more session was bound to *account*; returns the percent now reserved."""
        known = self._accounts.setdefault(account, Account())
        known.uncounted += 1
        return known.reserved

    def observed(self, account: str, before: Windows, after: Windows) -> None:
        """The account was observed: its sessions are counted now, and what they used is learned."""
        known = self._accounts.get(account)
        if known is None or not known.uncounted:
            return
        used = max((_growth(before.get(name), after.get(name)) for name in ALWAYS), default=0.0)
        if used > 0:
            per_session = min(max(used / known.uncounted, SMALLEST), LARGEST)
            known.percent += NEWEST * (per_session - known.percent)
        known.uncounted = 0

    def forget(self, account: str) -> None:
        self._accounts.pop(account, None)


def _growth(before: Window | None, after: Window | None) -> float:
    """How much more of a window is used; nothing can be said across a reset."""
    if before is None or after is None or before.used_percent is None or after.used_percent is None:
        return 0.0
    return max(0.0, after.used_percent - before.used_percent)
