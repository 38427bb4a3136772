"""How the state files of earlier versions become the present one's.

A migration is given the members of the file as they were written. What it does not touch is passed on unread,
so an entry that cannot be read costs no other.
"""

from array import array
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

__all__ = ["MIGRATIONS", "Image", "Migration"]

Image = dict[str, Any]
"""The members of a state file, as far as they were not read yet as `msgspec.Raw`."""

Migration = Callable[[Image], Image]
"""Returns the image in the next schema, `schema` apart."""


class _Series(msgspec.Struct):
    """One of schema 1: a list for each column."""

    account: str
    window: str
    at: list[int] = []
    used_percent: list[float] = []
    reset_at: list[int] = []
    reset_used_percent: list[float] = []
    refused_at: list[int] = []


_series = msgspec.json.Decoder(_Series)
_entries = msgspec.json.Decoder(list[msgspec.Raw])


def _history_in_columns(image: Image) -> Image:
    """Schema 2 packs the samples of a series; one that cannot be packed stays, and costs itself when read."""
    entries = _entries.decode(image.get("history", b"[]"))
    return {**image, "history": list(map(_packed, entries))}


def _packed(entry: msgspec.Raw) -> object:
    try:
        series = _series.decode(entry)
        told = msgspec.structs.asdict(series)
        tenths = array("H", [round(percent * 10) for percent in told.pop("used_percent")])
        return told | {"at": array("I", series.at).tobytes(), "used_tenths": tenths.tobytes()}
    except (msgspec.DecodeError, ValueError, OverflowError):
        return entry


MIGRATIONS: Mapping[int, Migration] = {1: _history_in_columns}
"""From a schema to the next one."""
