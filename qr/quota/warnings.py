"""Warning marks: Claude says of a window that it is nearly spent, before it refuses.

How a mark is set and cleared stands in `qr.quota.evidence` and `qr.quota.belief`; this is how it is noticed.
"""

from collections.abc import Iterator

from qr.quota.belief import believed_windows
from qr.quota.evidence import Snapshot

__all__ = ["marks", "transitions"]


def marks(snapshot: Snapshot, now: float) -> set[str]:
    """The windows that carry a mark at *now* (epoch seconds)."""
    return {name for name, window in believed_windows(snapshot).items() if window.warned(now)}


def transitions(before: Snapshot, after: Snapshot, now: float) -> Iterator[tuple[str, bool]]:
    """Each window whose mark was set (True) or cleared (False) between two snapshots, by name."""
    old, new = marks(before, now), marks(after, now)
    for name in sorted(old ^ new):
        yield name, name in new
