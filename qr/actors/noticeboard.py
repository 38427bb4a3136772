"""The newest view of each account, for the supervisor to pick up: a mailbox that coalesces."""

from collections.abc import Callable

from qr.actors.account_state import AccountState
from qr.routing.account import AccountView

__all__ = ["Notice", "Noticeboard"]

Notice = tuple[AccountView, AccountState]


class Noticeboard:
    """One place for each account, so it is bounded by their number however fast they change."""

    def __init__(self, wake: Callable[[], bool]) -> None:
        """*wake* tells the reader that something was left here; False: it could not, and is to try again."""
        self._wake = wake
        self._woken = False
        self._notices: dict[str, Notice] = {}

    def pin(self, view: AccountView, state: AccountState) -> None:
        """Leave what an account is now."""
        self._notices[view.id] = (view, state)
        self._woken = self._woken or self._wake()

    def take(self) -> list[Notice]:
        """All that was left since the last time."""
        self._woken = False
        notices, self._notices = self._notices, {}
        return list(notices.values())
