"""Why a connection failed, in a few words of our own.

The words of a library can quote a header, and those of the other end can be anything: none are passed on.
"""

import re
import socket
import ssl
from collections.abc import Iterator

import httpcore
import httpx

from qr.upstream.proxies import Proxy

__all__ = ["TROUBLE", "reason"]

TROUBLE = (
    httpx.TransportError,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
)
"""What a transport raises when a connection goes wrong."""


def reason(error: Exception, proxy: Proxy | None) -> str:
    """
    What *error* means to someone who wants the poll to work.

    Errors are told by their names, since httpx and httpcore have one and the same vocabulary.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    words = next((words for name, words in _REASONS.items() if name in names), type(error).__name__)
    if "ConnectError" in names:
        words = next((_CAUSES[type(cause)] for cause in _causes(error) if type(cause) in _CAUSES), words)
    if "ProxyError" in names and re.search(r"\b407\b|username", str(error)):
        words = "the proxy wants another user or password"
    return words if proxy is None else f"{words} (by way of {proxy.name})"


_REASONS = {
    "ConnectTimeout": "no connection in time",
    "TimeoutException": "no answer in time",
    "ConnectError": "could not connect",
    "ProxyError": "the proxy refused to connect",
    "SOCKSError": "the proxy does not speak SOCKS5",
    "AssertionError": "the proxy does not speak SOCKS5",
    "NetworkError": "the connection broke",
    "RemoteProtocolError": "the answer was cut off, or is no HTTP",
    "UnicodeError": "the host name cannot be resolved",
}

_CAUSES: dict[type[BaseException], str] = {
    socket.gaierror: "the host name cannot be resolved",
    ssl.SSLCertVerificationError: "the certificate is not trusted",
    ssl.SSLError: "the TLS handshake failed",
    ConnectionRefusedError: "connection refused",
}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """*error* and what led to it, the nearest first; the members of a group one by one."""
    while error is not None:
        yield error
        for member in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
            yield from _causes(member)
        error = error.__cause__ or error.__context__
