"""What happened in a simulated run, event by event, and what must never have happened."""

from collections import deque
from hashlib import sha256
from typing import Any

from attrs import define, field

__all__ = ["Events", "Violation"]

# The last events of a run that failed: enough to see what led to it.
KEPT = 40


class Violation(AssertionError):  # noqa: N818 - what was violated is an invariant
    """An invariant did not hold; the message has the seed and the last events."""


@define(eq=False)
class Events:
    """A stream of events: counted, hashed, and the last ones kept."""

    seed: int
    count: int = 0
    _last: deque[str] = field(factory=lambda: deque(maxlen=KEPT))
    _hash: Any = field(factory=sha256)

    def add(self, now: float, event: str) -> None:
        self.count += 1
        line = f"{now:.3f} {event}"
        self._last.append(line)
        self._hash.update(line.encode())

    @property
    def digest(self) -> str:
        """Equal for equal runs, event for event."""
        return str(self._hash.hexdigest())

    def violated(self, invariant: str) -> Violation:
        """The error for whoever finds that *invariant* does not hold."""
        return Violation("\n".join([f"{invariant} (seed {self.seed}); the last events:", *self._last]))
