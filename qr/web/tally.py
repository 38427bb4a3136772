"""How many sessions each account has: counted once, then kept up with the feed, exactly and for all pages."""

from collections import Counter
from functools import lru_cache

from qr.actors.feed import Feed
from qr.actors.supervisor import Supervisor
from qr.routing.sessions import fingerprint

__all__ = ["Tally", "short"]

# The thousand accounts that this is built for, and some that have gone.
short = lru_cache(maxsize=4096)(fingerprint)
"""An account's fingerprint; the feed names every account in every message."""


class Tally:
    """A mirror of the bindings in force: session to account."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._seen = -1
        self._counted: object = None
        """The table that was counted; another mode, or another supervisor, has another one."""
        self._accounts: dict[str, str] = {}
        self._sessions: Counter[str] = Counter()

    def sessions(self, supervisor: Supervisor) -> Counter[str]:
        """Bound sessions by account, as of now."""
        table = supervisor.sessions.in_force
        changes = self._feed.since(self._seen) if table is self._counted else None
        if changes is None:
            self._count_anew(supervisor)
        for change in changes or ():
            if change.kind == "binding":
                provider, _, key = change.key.partition(":")
                binding = table.get(provider, key)
                self._bind(change.key, binding.account if binding else None)
        self._seen = self._feed.number
        return self._sessions

    def _count_anew(self, supervisor: Supervisor) -> None:
        self._counted = table = supervisor.sessions.in_force
        self._accounts = {f"{provider}:{key}": binding.account for provider, key, binding in table}
        self._sessions = Counter(self._accounts.values())

    def _bind(self, name: str, account: str | None) -> None:
        before = self._accounts.pop(name, None)
        if before is not None:
            self._sessions[before] -= 1
        if account is not None:
            self._accounts[name] = account
            self._sessions[account] += 1
