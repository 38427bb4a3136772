"""How readings become a snapshot of an account's windows, in any order of arrival.

A snapshot keeps, for each window, only the newest evidence of each kind. Every field is the maximum, by time,
of what was said of it, so a merge gives the same snapshot whatever the order in which answers are delivered
(specification, section 5: a reading from the past never overwrites a newer one). What is believed
(`qr.quota.belief`) is read off the kept evidence, never stored.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from qr.quota.readings import Observation, Reading
from qr.quota.windows import CLOCK_SLACK, DAY, Status

__all__ = [
    "Anchor",
    "Evidence",
    "Listing",
    "Mark",
    "Plan",
    "Point",
    "Refusal",
    "Snapshot",
    "Told",
    "last_said",
    "merge",
    "redated",
    "shifted",
]

# Readings are kept by the reset that they name. A provider names one reset at a time, two around a rollover;
# anchors that swing between values were seen nine times a week (evidence, section 7): six cover that.
MAX_ANCHORS = 6

# An account has three windows and a few model families; more names than this are a provider gone wild.
MAX_WINDOWS = 24

# The age, in seconds, of evidence whose age cannot be known: above the highest `max_age`.
LONG_AGO = 31 * DAY

SEVERITY: Mapping[Status, int] = {"allowed": 0, "allowed_warning": 1, "rejected": 2}


class Said(msgspec.Struct, frozen=True, gc=False):
    """Something that was said at an epoch second."""

    at: float


class Point(Said, frozen=True, gc=False):
    """A percent that was read."""

    used_percent: float
    resets_at: float | None
    unstarted: bool = False
    paid: bool = False
    source: str = ""


class Told(Said, frozen=True, gc=False):
    """A status of the window's own."""

    status: Status


class Refusal(Said, frozen=True, gc=False):
    """The provider refused because of the window, or said that it would."""

    until: float | None
    paid: bool = False


class Mark(Said, frozen=True, gc=False):
    """A warning mark, until its reset when that was told."""

    until: float | None


class Listing(Said, frozen=True, gc=False):
    """An answer that listed all windows of the account."""

    names: tuple[str, ...]


class Plan(Said, frozen=True, gc=False):
    """The plan as the provider names it, for display."""

    name: str


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """The first and the last reading that named (about) the same reset."""

    first: Point
    last: Point


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """The newest evidence of each kind for one window."""

    anchors: tuple[Anchor, ...] = ()
    """Newest last."""
    status: Told | None = None
    refusal: Refusal | None = None
    mark: Mark | None = None
    unmarked: Told | None = None
    """The newest status of the window's own that clears its mark."""


NOTHING = Evidence()


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """All that is known of an account's windows."""

    evidence: Mapping[str, Evidence] = {}
    listing: Listing | None = None
    all_clear: Told | None = None
    """The newest aggregate status that clears every mark."""
    plan: Plan | None = None


S = TypeVar("S", bound=Said)


def merge(snapshot: Snapshot, seen: Observation) -> Snapshot:
    """The snapshot with one more answer in it; the order of merges does not matter."""
    evidence = dict(snapshot.evidence)
    for reading in seen.readings:
        known = _add(evidence.get(reading.window, NOTHING), reading, seen)
        if known != NOTHING:
            evidence[reading.window] = known
    clears = seen.aggregate == "allowed"
    return Snapshot(
        evidence=_bounded(evidence),
        listing=_newest(snapshot.listing, _listing(seen), lambda said: said.names),
        all_clear=_newest(snapshot.all_clear, Told(seen.observed_at, "allowed") if clears else None),
        plan=_newest(
            snapshot.plan, Plan(seen.observed_at, seen.plan) if seen.plan else None, lambda p: p.name
        ),
    )


def _add(known: Evidence, reading: Reading, seen: Observation) -> Evidence:
    told = Told(seen.observed_at, reading.status) if reading.status else None
    clears = told if reading.status == "allowed" else None
    return Evidence(
        anchors=_with_point(known.anchors, _point(reading, seen)),
        status=_newest(known.status, told, lambda said: SEVERITY[said.status]),
        refusal=_newest(known.refusal, _refusal(reading, seen), lambda said: (said.until or 0.0, said.paid)),
        mark=_newest(known.mark, _mark(reading, seen), lambda said: said.until or 0.0),
        unmarked=_newest(known.unmarked, clears),
    )


def _newest(old: S | None, new: S | None, tie: Callable[[S], object] = lambda _: 0) -> S | None:
    """The later of two; at the same second the greater *tie*, so that order of arrival decides nothing."""
    if old is None or new is None:
        return old or new
    if old.at == new.at:
        return max(old, new, key=tie)  # type: ignore[arg-type]  # each tie is comparable with its like
    return old if old.at > new.at else new


def _point(reading: Reading, seen: Observation) -> Point | None:
    """
    The percent of a reading that is complete.

    A passive observation counts only with its reset; a poll may leave it out (specification, section 5).
    """
    if reading.used_percent is None or (seen.source != "usage" and reading.resets_at is None):
        return None
    told = (reading.used_percent, reading.resets_at, reading.unstarted, reading.paid)
    return Point(seen.observed_at, *told, source=seen.source)


def _refusal(reading: Reading, seen: Observation) -> Refusal | None:
    refuses = reading.refused or reading.status == "rejected"
    return Refusal(seen.observed_at, reading.resets_at, reading.paid) if refuses else None


def _mark(reading: Reading, seen: Observation) -> Mark | None:
    """A mark is set by a success whose own status of the window is exactly `allowed_warning`."""
    sets = seen.successful and reading.status == "allowed_warning"
    return Mark(seen.observed_at, reading.resets_at) if sets else None


def _listing(seen: Observation) -> Listing | None:
    names = tuple(sorted(reading.window for reading in seen.readings))
    return Listing(seen.observed_at, names) if seen.full else None


def _order(point: Point) -> tuple[object, ...]:
    reset = point.resets_at or 0.0
    return (point.at, point.used_percent, reset, point.unstarted, point.paid, point.source)


def _minute(point: Point) -> int | None:
    return None if point.resets_at is None else int(point.resets_at // 60)


def _with_point(anchors: tuple[Anchor, ...], point: Point | None) -> tuple[Anchor, ...]:
    if point is None:
        return anchors
    minute = _minute(point)
    known = next((anchor for anchor in anchors if _minute(anchor.last) == minute), None)
    others = [anchor for anchor in anchors if anchor is not known]
    if not anchors or point.at > anchors[-1].last.at:
        # The common case: the newest of all needs no comparing.
        return (*others, Anchor(known.first if known else point, point))[-MAX_ANCHORS:]
    kept = _with(point, known) if known else Anchor(point, point)
    return tuple(sorted((*others, kept), key=lambda anchor: _order(anchor.last))[-MAX_ANCHORS:])


def _with(point: Point, known: Anchor) -> Anchor:
    return Anchor(min(known.first, point, key=_order), max(known.last, point, key=_order))


def _bounded(evidence: Mapping[str, Evidence]) -> Mapping[str, Evidence]:
    if len(evidence) <= MAX_WINDOWS:
        return evidence
    newest = sorted(evidence, key=lambda name: (last_said(evidence[name]), name))[-MAX_WINDOWS:]
    return {name: evidence[name] for name in newest}


def last_said(known: Evidence) -> float:
    """The epoch second of the newest evidence of a window."""
    said = (*(anchor.last for anchor in known.anchors), known.status, known.refusal, known.mark)
    return max(one.at for one in said if one is not None)


def shifted(snapshot: Snapshot, seconds: float) -> Snapshot:
    """
    The same evidence after a step of the machine's clock by *seconds*: it keeps its age.

    Only the times of observation move. Resets are the provider's times and stay.
    """

    def moved(said: S) -> S:
        return replace(said, at=said.at + seconds)

    def maybe(said: S | None) -> S | None:
        return None if said is None else moved(said)

    def aged(known: Evidence) -> Evidence:
        return Evidence(
            anchors=tuple(Anchor(moved(anchor.first), moved(anchor.last)) for anchor in known.anchors),
            status=maybe(known.status),
            refusal=maybe(known.refusal),
            mark=maybe(known.mark),
            unmarked=maybe(known.unmarked),
        )

    return Snapshot(
        evidence={name: aged(known) for name, known in snapshot.evidence.items()},
        listing=maybe(snapshot.listing),
        all_clear=maybe(snapshot.all_clear),
        plan=maybe(snapshot.plan),
    )


def redated(snapshot: Snapshot, now: float) -> Snapshot:
    """
    The same evidence after a restart at *now* (epoch seconds).

    Evidence from the future tells that the clock was set back while nobody ran: its age cannot be known. It
    is dated long ago: it stands until something is read, and whatever is read replaces it.
    """
    said = (snapshot.listing, snapshot.all_clear, snapshot.plan)
    times = [*map(last_said, snapshot.evidence.values()), *(one.at for one in said if one is not None)]
    newest = max(times, default=now)
    return snapshot if newest <= now + CLOCK_SLACK else shifted(snapshot, now - LONG_AGO - newest)
