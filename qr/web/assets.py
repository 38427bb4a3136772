"""The dashboard's files, read once at the start: no path of a request ever reaches the disk."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from attrs import field, frozen

__all__ = ["PAGE", "Asset", "load_assets"]

PAGE = "index.html"
"""The page itself; it holds no data."""

TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@frozen
class Asset:
    """One file."""

    name: str
    """Its path below `static`, such as `js/app.js`."""
    content: bytes = field(repr=False)
    content_type: str
    etag: str


def load_assets(root: Traversable | None = None) -> Mapping[str, Asset]:
    """All files of the dashboard by name; those of unknown types are left out."""
    place = root or files("qr.web").joinpath("static")
    return {asset.name: asset for asset in _below(place, "")} if place.is_dir() else {}


def _below(place: Traversable, prefix: str) -> Iterator[Asset]:
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _below(entry, f"{name}/")
        elif (content_type := _type(name)) is not None:
            content = entry.read_bytes()
            yield Asset(name, content, content_type, f'"{sha256(content).hexdigest()[:32]}"')


def _type(name: str) -> str | None:
    return TYPES.get("." + name.rpartition(".")[2].lower())
