"""Offers are recognised: most picks offer the same candidates as one before, in nine tenths of their bytes.

What was read before is not read again, so that a pick with 200 candidates costs little more than one with 10.
"""

import msgspec

from qr.routing.request import Candidate, Offer, PickRequest, decode_pick

__all__ = ["Offers"]

# A handful of models with different accounts, and what is left of each while some accounts cool down. Offers
# are compared one after the other, most of them by their length alone.
MAX_OFFERS = 16

# An offer of 200 accounts has 60 KB; one that is far larger is read anew, the memory is not worth it.
MAX_OFFER = 256 * 1024


class _End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request of which nothing but the offer is there."""

    candidates: tuple[Candidate, ...] = msgspec.field(name="Candidates")


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
                return decode_pick(body[start:cut] + _CLOSED), offer
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
