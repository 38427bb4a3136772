"""The table of bindings: which account an agent thread is kept on."""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Protocol

import msgspec

__all__ = ["Binding", "Bindings", "Lookup"]

# At most so many are dropped at a time, in a fifth of a millisecond: after an idle week thousands have ended,
# and no pick is to wait for all of them.
EXPIRED_AT_ONCE = 64


class Binding(msgspec.Struct, frozen=True, gc=False):
    """
    One session's account, and who stands in for it. Times are epoch seconds.

    Whatever each pick leaves behind is no matter of the collector (`gc`): it can be in no cycle, and walking
    thousands of them would make a pick wait for milliseconds.
    """

    account: str
    stand_in: str | None = None
    """Serves the session while its own account cannot."""
    bound_at: float = 0.0
    used_at: float = 0.0


class Lookup(Protocol):
    """What a decision asks of the table."""

    def get(self, provider: str, key: str) -> Binding | None:
        """The binding of the session *key*; None when it has none."""


class Bindings:
    """Bounded in number (the least recently used go first) and in idle time."""

    def __init__(self, *, limit: int, ttl: float, known: Mapping[tuple[str, str], Binding] = {}) -> None:
        """
        Args:
            limit: how many bindings are kept at most.
            ttl: seconds without a request after which a binding is dropped.
            known: what is bound already, by provider and key, in any order.

        """
        self._limit = limit
        self._ttl = ttl
        self._known = OrderedDict(sorted(known.items(), key=lambda one: one[1].used_at))
        self.sessions = Counter(binding.account for binding in known.values())
        """How many are bound to each account; accounts without any are absent."""

    def __len__(self) -> int:
        return len(self._known)

    def names(self) -> list[tuple[str, str]]:
        """Provider and key of all bindings, in no order."""
        # The dict below knows nothing of the order, and is copied in a hundredth of the time.
        return list(dict.keys(self._known))

    def get(self, provider: str, key: str) -> Binding | None:
        return self._known.get((provider, key))

    def put(self, provider: str, key: str, binding: Binding) -> None:
        """What the session is bound to now; it is the most recently used."""
        before = self._known.get((provider, key))
        if before is None or before.account != binding.account:
            self._uncount(before)
            self.sessions[binding.account] += 1
        self._known[provider, key] = binding
        self._known.move_to_end((provider, key))

    def bound_to(self, *, limit: int, ttl: float) -> None:
        """Bounds from now on; `expire` brings the table within them, some bindings at a time."""
        self._limit = limit
        self._ttl = ttl

    def remove(self, provider: str, key: str) -> Binding | None:
        binding = self._known.pop((provider, key), None)
        self._uncount(binding)
        return binding

    def expire(self, now: float) -> list[tuple[str, str]]:
        """Drop some of what is too old or too much, and say which: it is to be forgotten elsewhere too."""
        gone: list[tuple[str, str]] = []
        while self._known and len(gone) < EXPIRED_AT_ONCE and self._oldest_goes(now):
            name, binding = self._known.popitem(last=False)
            self._uncount(binding)
            gone.append(name)
        return gone

    def _uncount(self, binding: Binding | None) -> None:
        if binding is not None:
            self.sessions[binding.account] -= 1
            if not self.sessions[binding.account]:
                del self.sessions[binding.account]

    def end(self, provider: str, key: str, now: float) -> bool:
        """Drop the session's binding if it is too old, and say whether it was."""
        binding = self._known.get((provider, key))
        if binding is None or not self._ended(binding, now):
            return False
        self.remove(provider, key)
        return True

    def _oldest_goes(self, now: float) -> bool:
        return len(self._known) > self._limit or self._ended(next(iter(self._known.values())), now)

    def _ended(self, binding: Binding, now: float) -> bool:
        return binding.used_at + self._ttl < now
