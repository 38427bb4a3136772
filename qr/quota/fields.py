"""Single fields of what providers send, read leniently.

None means "not told". Nothing here raises, and a field that cannot be read is None, never a guess: both
providers change their shapes without notice, and one bad field must not cost its neighbours (evidence,
sections 0 and 3.1).
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from json import JSONDecoder
from math import floor, isfinite
from typing import Final, get_args

from qr.quota.windows import Status, words

__all__ = [
    "FAMILIES",
    "ahead",
    "epoch",
    "family",
    "flag",
    "fraction_percent",
    "item",
    "items",
    "lowered",
    "number",
    "parsed",
    "percent",
    "retry_after",
    "status_of",
    "succeeded",
    "text",
]

# The model families with a short name of their own (evidence, section 0.1).
FAMILIES: Final = ("opus", "sonnet", "haiku", "fable", "spark")

# Real display names have some twenty characters; a longer one is cut, so that a window's name stays a name.
FAMILY_LENGTH = 64

# The first second of the year 10000: no provider means a time that late, and no calendar can show it.
END_OF_TIME = 253_402_300_800.0

STATUSES: Mapping[str, Status] = {status: status for status in get_args(Status)}

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)

FRACTION_OF_A_SECOND = re.compile(r"[.,]\d*", re.ASCII)


def number(value: object) -> float | None:
    """A finite number, also when sent as text; None for all else, booleans among it."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not NUMBER.fullmatch(value.strip()):
        return None
    try:
        read = float(value)
    except OverflowError:
        return None
    return read if isfinite(read) else None


def percent(value: object) -> float | None:
    """A percent, clamped to 0..100: values above the full mark are real (evidence, section 0.1)."""
    read = number(value)
    return None if read is None else min(100.0, max(0.0, read))


def fraction_percent(value: object) -> float | None:
    """The percent of a fraction, clamped; only Claude's passive headers send fractions (section 1.1)."""
    read = number(value)
    # Two decimals are sent: rounding takes back what binary fractions add (0.28 is not 28.000000000000004 %).
    return None if read is None else round(min(1.0, max(0.0, read)) * 100, 6)


def epoch(value: object) -> float | None:
    """
    An epoch second, fractions cut, from seconds or from ISO 8601 text of any fraction and zone (none is UTC).

    Zero, below zero, blank and beyond the calendar are None: unknown, never 1970 (evidence, section 0.1).
    """
    seconds = number(value)
    if seconds is None and isinstance(value, str):
        seconds = _iso_8601(value)
    return float(floor(seconds)) if seconds is not None and 1 <= seconds < END_OF_TIME else None


def _iso_8601(value: str) -> float | None:
    try:
        return _seconds(datetime.fromisoformat(FRACTION_OF_A_SECOND.sub("", value.strip().upper())))
    except ValueError:
        return None


def _seconds(time: datetime) -> float:
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def ahead(value: object, now: float) -> float | None:
    """The epoch second *value* when it lies after *now*: a time that has passed is as good as untold."""
    read = epoch(value)
    return read if read is not None and read > now else None


def retry_after(headers: Mapping[str, object], now: float) -> float | None:
    """
    The epoch second until which `Retry-After` asks to wait, from delta seconds or an HTTP date.

    Zero is no leave to retry, and no answer (evidence, section 2.4); nor is a date that has passed.
    """
    value = headers.get("retry-after")
    seconds = number(value)
    return ahead(_http_date(value) if seconds is None else now + seconds, now)


def _http_date(value: object) -> float | None:
    try:
        return _seconds(parsedate_to_datetime(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def text(value: object) -> str | None:
    """Text without the space around it; None when nothing is left, or when it is no text."""
    return (value.strip() or None) if isinstance(value, str) else None


def flag(value: object) -> bool:
    """Whether *value* says true: as a boolean, or as text of any case (`True` in Codex headers)."""
    return value is True or (text(value) or "").lower() == "true"


def status_of(value: object) -> Status | None:
    """One of the three statuses that were measured on the wire; any other is None (evidence, section 1.2)."""
    told = text(value)
    return None if told is None else STATUSES.get(told)


def succeeded(status: int) -> bool:
    """Whether an HTTP status is a success."""
    return 200 <= status < 300


def family(name: object) -> str | None:
    """
    The model family of a display name or model slug (evidence, section 0.1).

    >>> family("GPT-5.3-Codex-Spark"), family("Mythos Preview")
    ('spark', 'mythos-preview')
    """
    told = text(name)
    return None if told is None else _family(told.lower())


# The same few names come with every answer; they are the provider's to choose, so it is bounded.
@lru_cache(maxsize=256)
def _family(lower: str) -> str | None:
    slug = words(lower)[:FAMILY_LENGTH].strip("-")
    return next((known for known in FAMILIES if known in lower), slug or None)


def item(value: object, key: str) -> object:
    """The value under *key*; None when *value* is no object or has no such key."""
    return value.get(key) if isinstance(value, Mapping) else None


def items(value: object) -> list[object]:
    """The elements of an array; none when *value* is no array."""
    return list(value) if isinstance(value, list | tuple) else []


def lowered(headers: object) -> dict[str, object]:
    """
    Headers by lower-case name, each with its first value that is not blank.

    Names differ in case from library to library; a value may be a text, a number (in an event), or a list.
    """
    known: dict[str, object] = {}
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        usable = _first_usable(value)
        if usable is not None and isinstance(name, str):
            known.setdefault(name.strip().lower(), usable)
    return known


def _first_usable(value: object) -> object:
    for one in value if isinstance(value, list | tuple) else (value,):
        if _usable(one):
            return one
    return None


def _usable(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, int | float)


def parsed(body: object) -> object:
    """
    The JSON object that a text holds, whatever stands before it (an event's `data:`).

    A text without one, and what is no text, is given back as it is.
    """
    if not isinstance(body, str) or "{" not in body:
        return body
    try:
        return _decoder.raw_decode(body, body.index("{"))[0]
    except (ValueError, RecursionError):
        return body


_decoder = JSONDecoder()
