"""The newest decisions, kept whole so that each can be explained when someone looks."""

from collections import deque
from collections.abc import Iterator

import msgspec

from qr.routing.decision import Decision

__all__ = ["Decisions", "Numbered"]

# A decision with 50 candidates holds some ten kilobytes: this is what an operator scrolls through, in five
# MB.
KEPT = 500


class Numbered(msgspec.Struct, frozen=True, gc=False):
    """A decision and its number, counted since the service started."""

    number: int
    decision: Decision


class Decisions:
    """A ring; the number of a decision tells whether it is still there."""

    def __init__(self) -> None:
        self._ring: deque[Numbered] = deque(maxlen=KEPT)
        self._count = 0
        self.last: dict[str, int] = {}
        """By the session's key, the number of its newest decision that is still there."""

    def __iter__(self) -> Iterator[Numbered]:
        """The newest first."""
        return reversed(self._ring)

    @property
    def count(self) -> int:
        return self._count

    @property
    def oldest(self) -> int:
        """The lowest number that is still kept; 0 when there is none."""
        return self._ring[0].number if self._ring else 0

    def add(self, decision: Decision) -> Numbered:
        self._count += 1
        if len(self._ring) == KEPT:
            self._let_go(self._ring[0])
        numbered = Numbered(self._count, decision)
        self._ring.append(numbered)
        if decision.question.session is not None:
            self.last[decision.question.session] = self._count
        return numbered

    def _let_go(self, oldest: Numbered) -> None:
        session = oldest.decision.question.session
        if session is not None and self.last[session] == oldest.number:
            del self.last[session]

    def get(self, number: int) -> Numbered | None:
        """None: there never was such a decision, or it has been let go."""
        place = number - self._count + len(self._ring) - 1
        return self._ring[place] if 0 <= place < len(self._ring) else None
