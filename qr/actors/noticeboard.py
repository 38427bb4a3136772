"""The newest view of each account, for the supervisor to pick up: a mailbox that coalesces."""

from qr.actors.account_state import AccountState
from qr.routing.account import AccountView

__all__ = ["Noticeboard"]

Notice = tuple[AccountView, AccountState]


class Noticeboard:
    """One place for each account, so it is bounded by their number however fast they change."""

    def __init__(self) -> None:
        self._notices: dict[str, Notice] = {}

    def pin(self, view: AccountView, state: AccountState) -> bool:
        """Leave what an account is now, and say whether the board was empty: its reader wants waking."""
        first = not self._notices
        self._notices[view.id] = (view, state)
        return first

    def take(self) -> list[Notice]:
        """All that was left since the last time."""
        notices, self._notices = self._notices, {}
        return list(notices.values())
