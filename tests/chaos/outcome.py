"""What became of a storm."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import frozen

__all__ = ["Outcome"]

# One thing that goes wrong is seen again and again; the first few tell what it is.
SHOWN = 8


@frozen
class Outcome:
    """The numbers, and what must not have been."""

    name: str
    seed: int
    asked: int
    """Picks."""
    handled: int
    longest: float
    """The longest that a pick took, in seconds of its clock."""
    lived: float
    """Seconds of its clock."""
    faults: Mapping[str, int]
    answers: Mapping[str, int]
    violations: Sequence[str]

    def values(self) -> dict[str, Any]:
        """For JSON; `Outcome(**values)` is the same one."""
        return attrs.asdict(self, recurse=False)

    def __str__(self) -> str:
        longest = f"longest {self.longest * 1000:.0f} ms"
        lines = [
            f"{self.name}, seed {self.seed}: {self.asked} picks, {self.handled} handled, {longest}",
            f"  faults: {_listed(self.faults)}",
            f"  answers: {_listed(self.answers)}",
            f"  violations: {len(self.violations)}",
            *(f"    {violation}" for violation in self.violations[:SHOWN]),
        ]
        return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {times}" for kind, times in sorted(Counter(counts).items()))
