"""How long calls took, and what is read off that."""

from collections import Counter
from collections.abc import Iterable

from attrs import define, field

__all__ = ["Histogram"]

MICROSECOND = 1000.0


@define
class Histogram:
    """Nanoseconds by how often; as exact as the driver counts, one part in 128."""

    counts: Counter[int] = field(factory=Counter)
    longest: int = 0
    """Exact."""

    def add(self, counts: Iterable[tuple[int, int]], longest: int) -> None:
        """Take in what one run of the driver saw."""
        for nanoseconds, count in counts:
            self.counts[nanoseconds] += count
        self.longest = max(self.longest, longest)

    def percentile(self, percent: float) -> float:
        """Microseconds that *percent* of the calls did not exceed; 0 when there were none."""
        wanted, seen = self.counts.total() * percent / 100, 0
        for nanoseconds in sorted(self.counts):
            seen += self.counts[nanoseconds]
            if seen >= wanted:
                return min(nanoseconds, self.longest) / MICROSECOND
        return 0.0

    @property
    def maximum(self) -> float:
        """Microseconds."""
        return self.longest / MICROSECOND
