"""When a state could be written, so that it is known what a crash may forget."""

import time
from collections.abc import Callable
from math import inf

from attrs import define, field

__all__ = ["Disk"]

# Seconds after which a disk that was in trouble is tried again.
TRIED_AGAIN = 5.0


@define
class Disk:
    """Times are seconds of *clock*."""

    written_within: float
    """Seconds in which a binding is on the disk when all is well."""
    clock: Callable[[], float] = time.monotonic
    troubles: set[str] = field(factory=set)
    bad_since: float = -inf
    good_since: float = -inf

    def breaks(self, trouble: str) -> None:
        if not self.troubles and not self._recovering():
            self.bad_since = self.clock()
        self.troubles.add(trouble)

    def heals(self, trouble: str) -> None:
        if self.troubles == {trouble}:
            self.good_since = self.clock()
        self.troubles.discard(trouble)

    def horizon(self, *, orderly: bool) -> float:
        """What was bound before this moment survives an end of the service now."""
        if self.troubles or (not orderly and self._recovering()):
            return self.bad_since - self.written_within
        return self.clock() - (0.0 if orderly else self.written_within)

    def _recovering(self) -> bool:
        """It may not have been tried since it was in trouble."""
        return self.clock() - self.good_since <= TRIED_AGAIN + self.written_within
