"""The host's question as it comes over the wire (`scheduler.pick`, contract section 3).

The types are lean on purpose: a decode builds only what a decision needs and skips the rest.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from attrs import field, frozen

__all__ = ["NOBODY", "Candidate", "Offer", "Options", "PickRequest", "decode_pick"]

GO_NAMES = {"id": "ID"}


def _go(name: str) -> str:
    return GO_NAMES.get(name, name.title().replace("_", ""))


class Attributes(msgspec.Struct, frozen=True, gc=False):
    """The only attribute of a candidate that a decision looks at."""

    auth_kind: str = ""


class Candidate(msgspec.Struct, frozen=True, gc=False, rename=_go):
    """One account that the host offers."""

    id: str
    provider: str = ""
    priority: int = 0
    attributes: Attributes | None = None

    @property
    def api_key(self) -> bool:
        return self.attributes is not None and self.attributes.auth_kind == "apikey"


def _distinct(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """An account that is named twice is offered once."""
    return tuple({candidate.id: candidate for candidate in candidates}.values())


@frozen
class Offer:
    """All candidates of a pick, in the host's order; what many picks ask of it is worked out once."""

    candidates: tuple[Candidate, ...] = field(default=(), converter=_distinct)
    places: Mapping[str, int] = field(init=False, repr=False, eq=False)
    """Where among them each account stands."""

    @places.default
    def _places(self) -> Mapping[str, int]:
        return {candidate.id: place for place, candidate in enumerate(self.candidates)}


NOBODY = Offer()


class Options(msgspec.Struct, frozen=True, rename=_go):
    """Where a session's name may stand."""

    headers: dict[str, list[str] | None] | None = None
    metadata: dict[str, Any] | None = None


class PickRequest(msgspec.Struct, frozen=True, rename=_go):
    """One `scheduler.pick`; every key may be missing or null."""

    provider: str = ""
    providers: list[str] | None = None
    model: str = ""
    options: Options | None = None
    candidates: tuple[Candidate, ...] | None = None

    def headers(self) -> dict[str, list[str] | None]:
        return (self.options and self.options.headers) or {}

    def metadata(self) -> dict[str, Any]:
        return (self.options and self.options.metadata) or {}


_decoder = msgspec.json.Decoder(PickRequest)


def decode_pick(body: bytes) -> PickRequest:
    """
    Read the host's question.

    Raises:
        msgspec.DecodeError: the bytes are no JSON, or a value has the wrong type.
    """
    return _decoder.decode(body)
