"""How the state files of earlier versions become the present one's: plain objects in, plain objects out."""

from array import array
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["MIGRATIONS", "Image", "Migration"]

Image = dict[str, Any]

Migration = Callable[[Image], Image]
"""Returns the image in the next schema, `schema` apart."""


def _history_in_columns(image: Image) -> Image:
    """Schema 2 packs the samples of a series; one that cannot be packed stays, and costs itself when read."""
    return {**image, "history": [_packed(series) for series in image.get("history", ())]}


def _packed(series: object) -> object:
    if not isinstance(series, dict):
        return series
    try:
        told = zip(series.get("at", ()), series.get("used_percent", ()), strict=False)
        samples = [(at, round(percent * 10)) for at, percent in told]
        at, tenths = array("I", [at for at, _ in samples]), array("H", [used for _, used in samples])
    except (TypeError, ValueError, OverflowError):
        return series
    others = {name: value for name, value in series.items() if name != "used_percent"}
    return {**others, "at": b64encode(at).decode(), "used_tenths": b64encode(tenths).decode()}


MIGRATIONS: Mapping[int, Migration] = {1: _history_in_columns}
"""From a schema to the next one."""
