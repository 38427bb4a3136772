"""What a policy is: an order of accounts, and whom it admits."""

from typing import Protocol

from qr.routing.rules import Rules
from qr.routing.standing import Standing

__all__ = ["NEVER", "Policy"]

# Sorts after every time.
NEVER = float("inf")


class Policy(Protocol):
    """An order for the accounts that the outer layers of the ranking leave."""

    @property
    def name(self) -> str:
        """The word in the settings and in the reason of a decision."""

    @property
    def works_unpolled(self) -> bool:
        """Whether accounts that were never observed, or long ago, are ranked too."""

    @property
    def steady(self) -> bool:
        """Whether an account's place stays the same until something about the account changes."""

    def place(self, account: Standing, rules: Rules, now: float) -> tuple[int, float]:
        """A group and a value within it; the lower of each goes first."""

    def tolerance(self, rules: Rules) -> float:
        """Values less than this above the lowest are the same."""
