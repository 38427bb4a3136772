"""The latest word on everything that is kept across restarts: the recorder's mailbox.

A mailbox that coalesces: it has one place for each binding and each account, so it is bounded by their number
and a burst of changes costs no more than one. It outlives its writer and its reader: a restarted supervisor
starts from it, so no binding is lost with the actor that made it.
"""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import trio

from qr.actors.account_state import AccountState
from qr.actors.image import Image, Parts, encode_account, encode_binding, encode_series
from qr.quota.history import Series
from qr.routing.bindings import Binding
from qr.routing.rules import Rules

__all__ = ["Journal", "Shelf"]

K = TypeVar("K")
V = TypeVar("V")


class Shelf(Generic[K, V]):
    """Things by name, each with its encoded form; only what changed since is encoded again."""

    def __init__(self, encode: Callable[[K, V], bytes], *, at_once: int) -> None:
        """
        Args:
            encode: gives the form.
            at_once: how many are encoded in about half a millisecond.

        """
        self._encode = encode
        self._at_once = at_once
        self._things: dict[K, V] = {}
        self._encoded: dict[K, bytes] = {}
        self._stale: set[K] = set()

    @property
    def things(self) -> dict[K, V]:
        """A copy, for a reader that starts afresh."""
        return dict(self._things)

    @property
    def size(self) -> tuple[int, int, int]:
        """How many things there are, how many are encoded, and how many wait to be encoded anew."""
        return len(self._things), len(self._encoded), len(self._stale)

    def put(self, name: K, thing: V | None) -> None:
        """What *name* is now; None: it is gone."""
        if thing is None:
            self._things.pop(name, None)
        else:
            self._things[name] = thing
        self._stale.add(name)

    def refresh(self) -> bool:
        """Encode again some of the things that changed; says whether any are left."""
        for _ in range(min(self._at_once, len(self._stale))):
            self._refresh(self._stale.pop())
        return bool(self._stale)

    def _refresh(self, name: K) -> None:
        thing = self._things.get(name)
        if thing is None:
            self._encoded.pop(name, None)
        else:
            self._encoded[name] = self._encode(name, thing)

    def encoded(self) -> list[bytes]:
        while self.refresh():
            """The few that changed since, as a rule."""
        return list(self._encoded.values())


class Journal:
    """Bindings and accounts as they are now."""

    def __init__(self, image: Image | None = None) -> None:
        self.changed = trio.Event()
        """Set when something is newer than what was taken last."""
        self.taken = 0
        """How often everything was taken to be written."""
        self.settings_generation = image.settings_generation if image else 0
        self.host_rules = image.host_rules if image else None
        self._bindings = Shelf[tuple[str, str], Binding](encode_binding, at_once=150)
        self._accounts = Shelf[str, AccountState](lambda _, state: encode_account(state), at_once=20)
        self._history = Shelf[tuple[str, str], Series](encode_series, at_once=1)
        for name, binding in image.bindings.items() if image else ():
            self._bindings.put(name, binding)
        for state in image.accounts if image else ():
            self._accounts.put(state.id, state)
        for key, series in image.history.items() if image else ():
            self._history.put(key, series)

    @property
    def bindings(self) -> dict[tuple[str, str], Binding]:
        return self._bindings.things

    @property
    def accounts(self) -> dict[str, AccountState]:
        return self._accounts.things

    @property
    def history(self) -> dict[tuple[str, str], Series]:
        """By account id and window name."""
        return self._history.things

    @property
    def sizes(self) -> Mapping[str, tuple[int, int, int]]:
        """Of each shelf: what it holds, how much of that is encoded, and how much waits to be."""
        return {
            "bindings": self._bindings.size,
            "accounts": self._accounts.size,
            "history": self._history.size,
        }

    def series(self, key: tuple[str, str], series: Series | None) -> None:
        """The use of a window over time; None: it is forgotten. That can wait for the next change."""
        self._history.put(key, series)

    def binding(self, provider: str, key: str, binding: Binding | None) -> None:
        """What the session is bound to now; None: to nothing."""
        self._bindings.put((provider, key), binding)
        self.changed.set()

    def account(self, account: str, state: AccountState | None) -> None:
        """The account's state now; None: it is gone."""
        self._accounts.put(account, state)
        self.changed.set()

    def generation(self, number: int) -> None:
        """The settings in force have this number now."""
        self.settings_generation = number
        self.changed.set()

    def owned_by_host(self, rules: Rules) -> None:
        """A host owns the settings; a restarted service goes on by these rules until it tells them anew."""
        self.host_rules = rules
        self.changed.set()

    def refresh(self) -> bool:
        """Encode some of what changed; says whether `take` would have to encode more."""
        shelves = (self._bindings, self._accounts, self._history)
        return any(shelf.refresh() for shelf in shelves)

    def take(self) -> Parts:
        """Everything in its encoded form; what comes later sets `changed` again."""
        self.changed = trio.Event()
        self.taken += 1
        return Parts(
            self._bindings.encoded(),
            self._accounts.encoded(),
            self._history.encoded(),
            self.settings_generation,
            self.host_rules,
            self.taken,
        )
