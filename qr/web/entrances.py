"""The ways in: over the network, through the owner's socket, from the host. Each request knows its own.

The server that takes a request writes its entrance into the ASGI scope, where no client can reach it. A
request that carries none came over the network.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

__all__ = ["Entrance", "Scope", "entered_by", "entrance_of"]

Entrance = Literal["network", "owner", "host", "host_page"]
"""`owner`: the Unix socket that only its owner can open; `host`: behind the management key, which the host
has checked; `host_page`: the host's resources, which anybody may load."""

KEY = "quota_router.entrance"

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def entered_by(entrance: Entrance, app: Application) -> Application:
    """*app*, told that all its requests come in by *entrance*."""

    async def enter(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, KEY: entrance}, receive, send)

    return enter


def entrance_of(scope: object) -> Entrance:
    """How the request with *scope* came in."""
    found = scope.get(KEY) if isinstance(scope, dict) else None
    return cast(Entrance, found) if found is not None else "network"
