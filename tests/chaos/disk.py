"""When a state could be written, so that it is known what a crash may forget."""

import time
from collections.abc import Callable
from math import inf

from attrs import define, field

from qr.actors.lives import Life

__all__ = ["Disk"]

# Seconds after which a disk that was in trouble is tried again.
TRIED_AGAIN = 5.0

# The trouble that nobody writes, though the disk is well.
NOBODY = "no recorder"


@define
class Disk:
    """Times are seconds of *clock*."""

    written_within: float
    """Seconds in which a binding is on the disk when all is well."""
    clock: Callable[[], float] = time.monotonic
    troubles: set[str] = field(factory=set)
    kept_until: float = -inf
    """What was bound before the last trouble, or series of troubles, and is on the disk."""
    good_from: float = -inf
    """It has been tried again by then, after the last trouble."""
    _deaths: int = 0

    def breaks(self, trouble: str) -> None:
        if not self.troubles and not self._recovering():
            self.kept_until = self.clock() - self.written_within
        self.troubles.add(trouble)

    def heals(self, trouble: str) -> None:
        self._heals(trouble, TRIED_AGAIN)

    def _heals(self, trouble: str, tried_again: float) -> None:
        if self.troubles == {trouble}:
            self.good_from = self.clock() + tried_again + self.written_within
        self.troubles.discard(trouble)

    def watch(self, recorder: Life) -> None:
        """Look after the one who writes: its last word is all that was bound, and its successor's first."""
        if recorder.restarts != self._deaths:
            self._deaths = recorder.restarts
            if not self.troubles and recorder.died_at is not None:
                self.kept_until = recorder.died_at
            self.troubles.add(NOBODY)
        if recorder.alive:
            self._heals(NOBODY, 0.0)

    def watch_anew(self) -> None:
        """Another service begins, with a recorder of its own."""
        self._deaths = 0
        self._heals(NOBODY, 0.0)

    def horizon(self, *, orderly: bool) -> float:
        """What was bound before this moment survives an end of the service now."""
        if orderly and not self.troubles - {NOBODY}:
            return inf
        if self.troubles or self._recovering():
            return self.kept_until
        return self.clock() - self.written_within

    def _recovering(self) -> bool:
        """It may not have been tried since it was in trouble."""
        return self.clock() <= self.good_from
