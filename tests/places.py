"""Where a library, its socket and its service meet in a test."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["short_place"]


@contextmanager
def short_place() -> Iterator[Path]:
    """A directory with a short name: a socket's path holds 103 bytes."""
    place = Path(tempfile.mkdtemp(prefix="qr-"))
    try:
        yield place
    finally:
        shutil.rmtree(place)
