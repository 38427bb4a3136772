"""The latest word on everything that is kept across restarts: the recorder's mailbox.

A mailbox that coalesces: it has one place for each binding and each account, so it is bounded by their number
and a burst of changes costs no more than one. It outlives its writer and its reader: a restarted supervisor
starts from it, so no binding is lost with the actor that made it.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

import trio

from qr.actors.account_state import AccountState
from qr.actors.image import Image, Key, Parts
from qr.quota.history import Series
from qr.routing.bindings import Binding
from qr.routing.rules import Rules

__all__ = ["Journal"]

K = TypeVar("K")
V = TypeVar("V")

NOTHING = Image()


class Journal:
    """Bindings and accounts as they are now."""

    def __init__(self, image: Image = NOTHING) -> None:
        self.changed = trio.Event()
        """Set when something is newer than what was taken last."""
        self.taken = 0
        """How often everything was taken to be written."""
        self.settings_generation = image.settings_generation
        self.host_rules = image.host_rules
        self._bindings = dict(image.bindings)
        self._accounts = {state.id: state for state in image.accounts}
        self._history = dict(image.history)

    @property
    def bindings(self) -> dict[Key, Binding]:
        """A copy, as of all that is read here: for a reader that starts afresh."""
        return dict(self._bindings)

    @property
    def accounts(self) -> dict[str, AccountState]:
        return dict(self._accounts)

    @property
    def history(self) -> dict[Key, Series]:
        """By account id and window name."""
        return dict(self._history)

    @property
    def sizes(self) -> Mapping[str, int]:
        """How many things of each kind it holds."""
        return {
            "bindings": len(self._bindings),
            "accounts": len(self._accounts),
            "history": len(self._history),
        }

    def series(self, key: Key, series: Series | None) -> None:
        """The use of a window over time; None: it is forgotten. That can wait for the next change."""
        _put(self._history, key, series)

    def binding(self, provider: str, key: str, binding: Binding | None) -> None:
        """What the session is bound to now; None: to nothing."""
        _put(self._bindings, (provider, key), binding)
        self.changed.set()

    def account(self, account: str, state: AccountState | None) -> None:
        """The account's state now; None: it is gone."""
        _put(self._accounts, account, state)
        self.changed.set()

    def generation(self, number: int) -> None:
        """The settings in force have this number now."""
        self.settings_generation = number
        self.changed.set()

    def owned_by_host(self, rules: Rules) -> None:
        """A host owns the settings; a restarted service goes on by these rules until it tells them anew."""
        self.host_rules = rules
        self.changed.set()

    def take(self) -> Parts:
        """Everything as it is now; what comes later sets `changed` again."""
        self.changed = trio.Event()
        self.taken += 1
        return Parts(
            _pairs(self._bindings),
            list(self._accounts.values()),
            _pairs(self._history),
            self.settings_generation,
            self.host_rules,
        )


def _pairs(things: dict[K, V]) -> Iterator[tuple[K, V]]:
    # Two lists are a copy of a hundred thousand things in one or two milliseconds; a copy of a dict out of
    # which some have been taken takes ten.
    return zip(list(things), list(things.values()), strict=True)


def _put(things: dict[K, V], name: K, thing: V | None) -> None:
    if thing is None:
        things.pop(name, None)
    else:
        things[name] = thing
