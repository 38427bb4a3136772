"""The state file, its lock, and the disk beneath them."""

import msgspec

from qr.store import Loaded

__all__ = ["told"]


def told(loaded: Loaded) -> tuple[object, str | None]:
    """The image in what was loaded, and the notice."""
    return loaded.text and msgspec.json.decode(loaded.text), loaded.notice
