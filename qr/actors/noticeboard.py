"""The newest view of each account, for the supervisor to pick up: a mailbox that coalesces."""

from collections.abc import Callable

from qr.routing.account import AccountView

__all__ = ["Noticeboard"]


class Noticeboard:
    """One place for each account, so it is bounded by their number however fast they change."""

    def __init__(self, wake: Callable[[], bool]) -> None:
        """*wake* tells the reader that something was left here; False: it could not, and is to try again."""
        self._wake = wake
        self._woken = False
        self._views: dict[str, AccountView] = {}

    def pin(self, view: AccountView) -> None:
        """Leave what an account is now."""
        self._views[view.id] = view
        self._woken = self._woken or self._wake()

    def take(self) -> list[AccountView]:
        """All that was left since the last time."""
        self._woken = False
        views, self._views = self._views, {}
        return list(views.values())
