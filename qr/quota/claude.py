"""What Claude says of its windows: passive headers and the usage endpoint (evidence, sections 1 and 2).

Headers speak in fractions, the usage endpoint in percent: the source decides, never the size of the number.
What is absent is not told, and the money meters (`overage-…`, `extra_usage`, `spend`) are no windows.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from qr.quota.fields import (
    FAMILIES,
    epoch,
    family,
    flag,
    fraction_percent,
    item,
    items,
    lowered,
    percent,
    status_of,
    succeeded,
)
from qr.quota.readings import Observation, Reading

__all__ = ["PREFIX", "read_headers", "read_usage"]

PREFIX: Final = "anthropic-ratelimit-unified-"

# A window's own header. Windows are found by this shape, so that the meter of a new family is not lost;
# `grace-5h-…` and the like do not have it.
WINDOW_HEADER = re.compile(PREFIX + r"(5h|7d)(?:_(\w+))?-(?:utilization|reset|status)", re.ASCII)

KINDS: Mapping[str, str] = {"5h": "five_hour", "7d": "weekly"}

# The meter of models whose use beyond it is billed as overage: today the Fable models (section 1.1).
OVERAGE_INCLUDED = "oi"

# Surfaces and products, not model families, although the last has a family's name in it (section 2.1).
PRODUCTS = frozenset({"oauth_apps", "cowork", "omelette", "design", "routines", "sonnet_max"})

# The keys of windows in a usage body. There the set of families is closed: code names come and go, and most
# keys that look like a family's are a product's.
FLAT: Mapping[str, str] = {
    "five_hour": "five_hour",
    "seven_day": "weekly",
    **{f"seven_day_{name}": f"weekly:{name}" for name in FAMILIES},
}

# The kinds of rows in `limits[]` that stand for a window of all models (section 2.2).
ROWS: Mapping[str, str] = {"session": "five_hour", "weekly_all": "weekly"}


def read_headers(headers: Mapping[str, object], *, status: int, observed_at: float) -> Observation:
    """
    The windows that a response of `POST /v1/messages` tells of, each judged alone (evidence, section 1).

    Args:
        headers: names in any case; a value may be a text or a list of texts.
        status: the HTTP status; headers are read whatever it is.
        observed_at: epoch second at which the response arrived.

    """
    known = lowered(headers)
    served = succeeded(status)
    paid = served and flag(known.get(PREFIX + "overage-in-use"))
    told = _header_readings(known)
    return Observation(
        observed_at,
        "headers",
        tuple(_billed(reading, paid=paid, refusing=status == 429) for reading in told),
        aggregate=status_of(known.get(PREFIX + "status")),
        successful=served,
    )


def _header_readings(known: Mapping[str, object]) -> list[Reading]:
    meters = dict.fromkeys(filter(None, map(_meter, known)))
    return _tightest(_header_reading(known, name, own) for name, own in meters)


# The same few headers come with every answer; their names are from outside, so it is bounded.
@lru_cache(maxsize=256)
def _meter(header: str) -> tuple[str, str] | None:
    """The window that the header *header* is of, and what the headers of that window begin with."""
    match = WINDOW_HEADER.fullmatch(header)
    if match is None:
        return None
    kind, suffix = match.groups()
    name = _window(kind, suffix)
    return None if name is None else (name, PREFIX + kind + (f"_{suffix}" if suffix else ""))


def _window(kind: str, suffix: str | None) -> str | None:
    if suffix is None:
        return KINDS[kind]
    named = None if suffix in PRODUCTS else "fable" if suffix == OVERAGE_INCLUDED else family(suffix)
    return named and f"{KINDS[kind]}:{named}"


def _header_reading(known: Mapping[str, object], name: str, own: str) -> Reading:
    return Reading(
        name,
        fraction_percent(known.get(f"{own}-utilization")),
        epoch(known.get(f"{own}-reset")),
        status_of(known.get(f"{own}-status")),
    )


def _billed(reading: Reading, *, paid: bool, refusing: bool) -> Reading:
    """A spent window serves on paid credits, or is what a 429 refuses for (section 1.4)."""
    rejected = reading.status == "rejected"
    spent = rejected or (reading.status is None and reading.used_percent == 100)
    if not (spent and (paid or refusing)):
        return reading
    return replace(reading, paid=paid, refused=refusing and rejected)


def _tightest(readings: Iterable[Reading]) -> list[Reading]:
    """One reading a window: where two meters have the same name, the one with less room limits."""
    by_name: dict[str, Reading] = {}
    for reading in filter(_tells, readings):
        known = by_name.get(reading.window)
        by_name[reading.window] = reading if known is None else max(known, reading, key=_tightness)
    return list(by_name.values())


def _tells(reading: Reading) -> bool:
    return (reading.used_percent, reading.resets_at, reading.status) != (None, None, None)


def _tightness(reading: Reading) -> tuple[bool, float]:
    return reading.status == "rejected", -1.0 if reading.used_percent is None else reading.used_percent


def read_usage(body: object, *, observed_at: float) -> Observation:
    """
    The windows that a body of the usage endpoint lists (evidence, section 2).

    It is a full listing when it names a window, and each window that it names could be read: a listed window
    that could not be read is not gone. A body without windows (usage-billed seats) teaches nothing and clears
    nothing.

    Args:
        body: the parsed body; anything else than an object teaches nothing.
        observed_at: epoch second at which the answer arrived.

    """
    listed = [(name, item(body, key)) for key, name in FLAT.items()]
    flat = [_usage_reading(name, window, "utilization") for name, window in listed if window]
    rows = [_usage_reading(name, row, "percent") for name, row in _rows(body)]
    readings = _agreed(_tightest(flat), _tightest(rows))
    names = {reading.window for reading in (*flat, *rows)}
    full = bool(readings) and len(names) == len(readings)
    return Observation(observed_at, "usage", tuple(readings), full=full)


def _rows(body: object) -> list[tuple[str, object]]:
    """The rows of `limits[]` that stand for a window; `is_active` only marks the row of the headline."""
    named = [(_row_window(row), row) for row in items(item(body, "limits"))]
    return [(name, row) for name, row in named if name]


def _row_window(row: object) -> str | None:
    kind = item(row, "kind")
    if kind == "weekly_scoped":
        named = family(item(item(item(row, "scope"), "model"), "display_name"))
        return named and f"weekly:{named}"
    return ROWS.get(kind) if isinstance(kind, str) else None


def _usage_reading(name: str, window: object, percent_key: str) -> Reading:
    used, resets_at = percent(item(window, percent_key)), epoch(item(window, "resets_at"))
    says_none = isinstance(window, Mapping) and "resets_at" in window and window["resets_at"] is None
    return Reading(name, used, resets_at, unstarted=used == 0 and says_none)


def _agreed(flat: Iterable[Reading], rows: Iterable[Reading]) -> list[Reading]:
    by_name = {reading.window: reading for reading in flat}
    for row in rows:
        by_name[row.window] = _one(by_name.get(row.window, row), row)
    return list(by_name.values())


def _one(flat: Reading, row: Reading) -> Reading:
    """
    The reading of a window that is there twice.

    The two agree, apart from the row's whole percents: then the finer percent counts, with whichever reset is
    told. Where they do not, the flat one lags behind a rollover (section 2.2), and the row is taken whole.
    """
    if row.used_percent is not None and abs((flat.used_percent or 0.0) - row.used_percent) > 1:
        return row
    used = row.used_percent if flat.used_percent is None else flat.used_percent
    resets_at = row.resets_at or flat.resets_at
    unstarted = used == 0 and resets_at is None and (flat.unstarted or row.unstarted)
    return Reading(flat.window, used, resets_at, unstarted=unstarted)
