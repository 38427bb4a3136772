"""What is believed of each window, read off the evidence that a snapshot keeps (specification, section 5)."""

from collections.abc import Iterator

from msgspec.structs import replace

from qr.quota.evidence import Anchor, Evidence, Mark, Point, Snapshot, Told, last_said
from qr.quota.windows import LENGTHS, Window

__all__ = ["CONFIRM_AFTER", "NEARLY_FULL", "believed_windows"]

# Just after a reset both providers may show the old, nearly full use beside the new reset
# (evidence, section 7.2).
NEARLY_FULL = 90.0

# A second reading confirms such a mixture when it comes this many seconds later; answers of parallel requests
# that arrive together repeat the same mixture and confirm nothing.
CONFIRM_AFTER = 25.0

# A refusal whose reset nobody told ends at the next reading, and at the latest after five hours.
UNTOLD_REFUSAL = 5 * 3600.0

# Providers warn from 75 % of a week and 90 % of five hours (evidence, section 1.1): a later reading below
# both belongs to a window that has been reset early, and ends its mark.
LOWEST_WARNING = 75.0


def believed_windows(snapshot: Snapshot, *, reset_jitter: float = 90.0) -> dict[str, Window]:
    """
    The windows of an account, by name.

    Args:
        snapshot: the evidence.
        reset_jitter: resets that differ by less than this many seconds are the same reset.

    """
    return {
        name: _window(name, known, snapshot.all_clear, reset_jitter)
        for name, known in sorted(snapshot.evidence.items())
        if not _delisted(name, known, snapshot)
    }


def _delisted(name: str, known: Evidence, snapshot: Snapshot) -> bool:
    """A full poll that no longer lists a window removes it; newer evidence brings it back."""
    listing = snapshot.listing
    return listing is not None and name not in listing.names and last_said(known) <= listing.at


def _window(name: str, known: Evidence, all_clear: Told | None, jitter: float) -> Window:
    point = _believed(known.anchors, jitter)
    resets_at = point.resets_at if point else _told_reset(known)
    exhausted_until, paid_until, paid = _spent(known, point, resets_at)
    return Window(
        name=name,
        used_percent=point.used_percent if point else None,
        resets_at=resets_at,
        observed_at=point.at if point else last_said(known),
        status=known.status.status if known.status else None,
        source=point.source if point else "",
        warned_until=_warned_until(name, known, all_clear, point, resets_at),
        exhausted_until=exhausted_until,
        paid=paid,
        paid_until=paid_until,
    )


def _told_reset(known: Evidence) -> float | None:
    """Without a percent, the reset that came with a refusal or a mark is all that is known."""
    return next((said.until for said in (known.refusal, known.mark) if said and said.until), None)


def _believed(anchors: tuple[Anchor, ...], jitter: float) -> Point | None:
    """The newest reading that is believed: a nearly full one with a moved reset waits for a second."""
    believed: Point | None = None
    doubted: Point | None = None
    for point in _in_order(anchors):
        if believed is None or not _mixture(point, believed, jitter):
            believed, doubted = _with_reset(point, believed), None
        elif doubted is not None and point.at - doubted.at >= CONFIRM_AFTER:
            believed, doubted = point, None
        else:
            doubted = doubted or point
    return believed


def _in_order(anchors: tuple[Anchor, ...]) -> list[Point]:
    """All that was read, oldest first; what is the first and the last in one counts twice, and no more."""
    points = [point for anchor in anchors for point in (anchor.first, anchor.last)]
    return sorted(points, key=lambda point: (point.at, point.used_percent, point.resets_at or 0.0))


def _mixture(point: Point, believed: Point, jitter: float) -> bool:
    """Whether *point* is nearly full and its reset has just moved."""
    if point.used_percent < NEARLY_FULL or point.resets_at is None or believed.resets_at is None:
        return False
    return abs(point.resets_at - believed.resets_at) >= jitter


def _with_reset(point: Point, before: Point | None) -> Point:
    """
    A missing reset that is no statement keeps the known one, unless that has passed.

    A passed reset beside a fresh percent would discard the fresh value (evidence, section 0.1).
    """
    if point.resets_at is not None or point.unstarted or before is None or before.resets_at is None:
        return point
    return replace(point, resets_at=before.resets_at if before.resets_at > point.at else None)


def _warned_until(
    name: str, known: Evidence, all_clear: Told | None, point: Point | None, resets_at: float | None
) -> float | None:
    mark = known.mark
    if mark is None or any(said is not None and said.at > mark.at for said in (known.unmarked, all_clear)):
        return None
    if point is not None and point.at > mark.at and point.used_percent < LOWEST_WARNING:
        return None
    return mark.until or _end(mark, name, resets_at)


def _end(mark: Mark, name: str, resets_at: float | None) -> float:
    """Without a reset of its own a mark lasts until the window's, at most for the window's length."""
    longest = mark.at + LENGTHS.get(name.partition(":")[0], LENGTHS["weekly"])
    return min(resets_at or longest, longest)


def _spent(
    known: Evidence, point: Point | None, resets_at: float | None
) -> tuple[float | None, float | None, bool]:
    """
    Until when the window is confirmed exhausted, or until when it is served by paid credits, and whether.

    The newest evidence that says "spent" decides which of the two it is.
    """
    claims = list(_claims(known, point))
    if not claims:
        return None, None, False
    newest = max(at for at, _, _ in claims)
    until = max(until or resets_at or at + UNTOLD_REFUSAL for at, until, _ in claims)
    paid = any(paid for at, _, paid in claims if at == newest)
    return (None, until, True) if paid else (until, None, False)


def _claims(known: Evidence, point: Point | None) -> Iterator[tuple[float, float | None, bool]]:
    """When, until when, and whether paid credits serve: each piece of evidence that still says "spent"."""
    refusal, status = known.refusal, known.status
    if refusal is not None and not _lifted(refusal.at, point, status):
        yield refusal.at, refusal.until, refusal.paid
    if point is not None and point.used_percent >= 100.0 and not _shielded(point, status):
        yield point.at, point.resets_at, point.paid


def _lifted(refused_at: float, point: Point | None, status: Told | None) -> bool:
    """A later reading with room, or a later status that allows, ends a refusal: early resets are common."""
    has_room = point is not None and point.at > refused_at and point.used_percent < 100.0
    return has_room or (status is not None and status.at > refused_at and status.status != "rejected")


def _shielded(point: Point, status: Told | None) -> bool:
    """100 % is rounded: while the provider itself says that it allows, it is not confirmed."""
    return status is not None and status.at >= point.at and status.status != "rejected"
