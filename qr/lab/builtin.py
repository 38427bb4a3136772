"""How a host chooses by itself, which is what a plugin's "not handled" comes down to."""

from collections.abc import Sequence
from typing import Protocol

from qr.lab.subscription import Account

__all__ = ["Builtin", "RoundRobin"]


class Builtin(Protocol):
    """The host's own scheduler."""

    def pick(self, offered: Sequence[Account], model: str) -> str:
        """The id of one of those *offered*, who are at least one."""


class RoundRobin:
    """One after the other: within the highest tier, as the host does, or through all accounts."""

    def __init__(self, *, tiers: bool = True) -> None:
        self._tiers = tiers
        self._turns: dict[str, int] = {}

    def pick(self, offered: Sequence[Account], model: str) -> str:
        top = max(account.priority for account in offered)
        pool = [account for account in offered if account.priority == top] if self._tiers else offered
        turn = self._turns[model] = self._turns.get(model, -1) + 1
        return pool[turn % len(pool)].id
