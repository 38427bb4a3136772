"""What happens, numbered, for any number of listeners; none of them is ever waited for.

The newest changes are kept in a ring. A listener asks for what is newer than the number that it has seen: it
gets the changes since then, several of the same thing coalesced to the last, or learns that it must take a
snapshot.
"""

from collections import deque
from itertools import islice
from typing import Literal

import msgspec
import trio

__all__ = ["Change", "Feed", "Kind"]

Kind = Literal["account", "decision", "binding", "settings", "health"]

# At a hundred picks a second this is half a minute: a page that reconnects after a hiccup misses nothing. One
# that was away for longer takes a snapshot, which is cheaper to send anyway.
KEPT = 4096


class Change(msgspec.Struct, frozen=True, gc=False):
    """Something changed; what it is now is looked up when a listener asks."""

    number: int
    kind: Kind
    key: str


class Feed:
    """A ring of numbered changes. Publishing never waits and costs the same for 0 and for 50 listeners."""

    def __init__(self) -> None:
        self._ring: deque[Change] = deque(maxlen=KEPT)
        self._number = 0
        self._news = trio.Event()
        self._listeners = 0

    @property
    def number(self) -> int:
        """Of the newest change; 0 when nothing has happened yet."""
        return self._number

    def publish(self, kind: Kind, key: str) -> None:
        """Add a change of the thing *key*."""
        self._number += 1
        self._ring.append(Change(self._number, kind, key))
        if self._listeners:
            self._news.set()

    def since(self, number: int) -> list[Change] | None:
        """
        The changes after *number*, the last one of each thing; None when they are no longer all kept.

        A number from the future (of an earlier life of the service) is answered with None too.
        """
        oldest = self._ring[0].number if self._ring else self._number + 1
        if number > self._number or number < oldest - 1:
            return None
        told: set[tuple[str, str]] = set()
        latest = []
        for change in islice(reversed(self._ring), self._number - number):
            # Most changes are decisions, and each of them is a thing of its own.
            if change.kind != "decision":
                name = change.kind, change.key
                if name in told:
                    continue
                told.add(name)
            latest.append(change)
        latest.reverse()
        return latest

    async def wait(self, number: int) -> None:
        """Return when there is something newer than *number*."""
        self._listeners += 1
        try:
            while self._number <= number:
                if self._news.is_set():
                    self._news = trio.Event()
                await self._news.wait()
        finally:
            self._listeners -= 1
