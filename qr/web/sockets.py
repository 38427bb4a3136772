"""The sockets that the web listens on: made once, and kept while servers come and go."""

import ipaddress
import socket
from typing import Final

from qr.settings import Settings

__all__ = ["ExposedError", "address_of", "listen_on"]

BACKLOG: Final = 128

# Milliseconds after which the kernel gives up a peer that acknowledges nothing (Linux only).
USER_TIMEOUT: Final = 10_000

Address = tuple[str | int | bytes, ...]


class ExposedError(OSError):
    """Other machines would reach the service without a token of one's own."""


def listen_on(settings: Settings) -> socket.socket:
    """
    Listen where the settings say.

    Raises:
        ExposedError: it is beyond loopback, and the operator set no token.
        OSError: the address is in use, or none of this machine.
    """
    family, address = _resolved(settings)
    if not settings.token and not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        raise ExposedError(
            f"{settings.listen} can be reached from other machines: set a token of your own "
            "(`token`, or QUOTA_ROUTER_TOKEN, at least 16 characters), or listen on 127.0.0.1"
        )
    return _listening(family, address)


def _resolved(settings: Settings) -> tuple[int, Address]:
    try:
        found = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except socket.gaierror as error:
        raise OSError(f"cannot listen on {settings.listen}: {error.strerror}") from error
    family, _, _, _, address = found[0]
    return family, address


def _listening(family: int, address: Address) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Those that are accepted inherit it.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OSError(error.errno, f"cannot listen on {address}: {error.strerror}") from error
    return listening


def address_of(listening: socket.socket) -> tuple[str, int]:
    """Host as it stands in a URL, and port; a wildcard is named as the machine itself reaches it."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - it is compared, not bound
        host = "127.0.0.1" if listening.family == socket.AF_INET else "::1"
    return (f"[{host}]" if ":" in host else host), port
