"""Warning marks: Claude says of a window that it is nearly spent, before it refuses.

How a mark is set and cleared stands in `qr.quota.evidence` and `qr.quota.belief`; this is how it is noticed.
"""

from collections.abc import Iterator

from qr.quota.windows import Windows

__all__ = ["marks", "transitions"]


def marks(windows: Windows, now: float) -> set[str]:
    """The windows that carry a mark at *now* (epoch seconds)."""
    return {name for name, window in windows.items() if window.warned(now)}


def transitions(before: Windows, after: Windows, now: float) -> Iterator[tuple[str, bool]]:
    """Each window whose mark was set (True) or cleared (False) between two beliefs, by name."""
    old, new = marks(before, now), marks(after, now)
    for name in sorted(old ^ new):
        yield name, name in new
