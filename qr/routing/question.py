"""What a pick asks, once the host's request is understood: one provider, one model, one session."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from qr.routing.request import NOBODY, Candidate, Offer, PickRequest
from qr.routing.sessions import binding_key, session_keys

__all__ = ["Question", "effective_providers", "understand"]


class Question(msgspec.Struct, frozen=True, gc=False):
    """A request for an account. Session names are hashed here and nowhere kept in clear form."""

    providers: tuple[str, ...] = ()
    """The effective provider alone, unless the route is mixed."""
    model: str = ""
    session: str | None = None
    """The session's key in the table of bindings; None: the request names no session."""
    parent: str | None = None
    pinned: str = ""
    """The account that the host asks for by name."""
    offer: Offer = NOBODY

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.offer.candidates

    @property
    def provider(self) -> str:
        return self.providers[0] if self.providers else ""


def understand(request: PickRequest, offer: Offer | None = None) -> Question:
    """
    The question in *request*; never raises, whatever a client put into its headers.

    Args:
        request: what the host sent.
        offer: whom it offers; None: it stands in the request.

    """
    metadata = request.metadata()
    scope = _text(metadata, "caller_scope")
    session, parent = session_keys(request.headers(), metadata)
    return Question(
        providers=effective_providers(request),
        model=request.model,
        session=binding_key(scope, session) if session else None,
        parent=binding_key(scope, parent) if parent else None,
        pinned=_text(metadata, "pinned_auth_id"),
        offer=offer or Offer(request.candidates or ()),
    )


def effective_providers(request: PickRequest) -> tuple[str, ...]:
    """`Provider` if it is not empty, else `Providers` (contract, section 3.2)."""
    return _effective((request.provider,) if request.provider else tuple(request.providers or ()))


# A host has a handful of routes.
@lru_cache(maxsize=64)
def _effective(named: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip().lower() for name in named if name.strip()))


def _text(metadata: Mapping[str, Any], key: str) -> str:
    value = metadata.get(key)
    return value.strip() if isinstance(value, str) else ""
