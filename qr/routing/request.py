"""The host's question as it comes over the wire (`scheduler.pick`, contract section 3).

The types are lean on purpose: a decode builds only what a decision needs and skips the rest. And hosts offer
the same candidates in pick after pick, nine tenths of the bytes: an offer that was read before is not read
again, so that a pick with 200 candidates costs little more than one with 10.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from attrs import field, frozen

__all__ = ["NOBODY", "Candidate", "Offer", "Offers", "Options", "PickRequest", "decode_pick"]

# A handful of models with different accounts, and what is left of each while some accounts cool down. Offers
# are compared one after the other, most of them by their length alone.
MAX_OFFERS = 16

# An offer of 200 accounts has 60 KB; one that is far larger is read anew, the memory is not worth it.
MAX_OFFER = 256 * 1024

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
    ids: tuple[str, ...] = field(init=False, repr=False, eq=False)
    """The accounts of the candidates, in their order."""
    places: Mapping[str, int] = field(init=False, repr=False, eq=False)
    """Where in that order each account stands."""

    def __attrs_post_init__(self) -> None:
        ids = tuple([candidate.id for candidate in self.candidates])
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "places", {account: place for place, account in enumerate(ids)})


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


class _End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request of which nothing but the offer is there."""

    candidates: tuple[Candidate, ...] = msgspec.field(name="Candidates")


_decoder = msgspec.json.Decoder(PickRequest)
_end_decoder = msgspec.json.Decoder(_End)

# Behind a comma it is a key for sure: within a string its quotes would be escaped.
_CUT = b',"Candidates":'
_CLOSED = _CUT + b"null}"


class Offers:
    """
    Reads picks, and remembers the offers that were read last.

    A request is cut before a key `Candidates`. If what comes before is an object when it is closed there, and
    the rest is one when it is opened there, they say apart what they say together. Anything else is read
    whole.
    """

    def __init__(self) -> None:
        self._known: list[tuple[bytes, Offer]] = []
        """The ends of requests, and the offers in them; the one that was met last in front."""

    def read(self, body: bytes, start: int = 0) -> tuple[PickRequest, Offer]:
        """
        The host's question in *body* from *start* on, and whom it offers: the same value for the same bytes.

        Raises:
            msgspec.DecodeError: the bytes are no JSON, or a value has the wrong type.
        """
        cut, offer = self._find(body, start) or self._learn(body, start)
        if offer is not None:
            try:
                return _decoder.decode(body[start:cut] + _CLOSED), offer
            except msgspec.DecodeError:
                """The two do not belong together."""
        request = decode_pick(body[start:])
        return request, Offer(request.candidates or ())

    def _find(self, body: bytes, start: int) -> tuple[int, Offer] | None:
        for place, (end, offer) in enumerate(self._known):
            # Compared where it stands: a copy would cost more than everything else here.
            if body.endswith(end, start):
                if place:
                    self._known.insert(0, self._known.pop(place))
                return len(body) - len(end), offer
        return None

    def _learn(self, body: bytes, start: int) -> tuple[int, Offer | None]:
        cut = body.find(_CUT, start)
        if cut < 0 or len(body) - cut > MAX_OFFER:
            return cut, None
        try:
            offer = Offer(_end_decoder.decode(b"{" + body[cut + 1 :]).candidates)
        except msgspec.DecodeError:
            return cut, None
        self._known.insert(0, (body[cut:], offer))
        del self._known[MAX_OFFERS:]
        return cut, offer


def decode_pick(body: bytes) -> PickRequest:
    """
    Read the host's question.

    Raises:
        msgspec.DecodeError: the bytes are no JSON, or a value has the wrong type.
    """
    return _decoder.decode(body)
