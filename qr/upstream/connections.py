"""The connection of one poll, direct or through a proxy, as a transport of httpx.

A poll has a connection of its own and closes it. It has no cookie jar, follows no redirect and obeys no
environment, because the client that would do all that is left out: a transport sends one request and gives
back one answer.

httpx's own transport is not used. When a SOCKS proxy refuses, or a deadline strikes within a TLS handshake,
the library below it (httpcore 1.0) forgets the socket; here whoever opens sockets also closes them.
"""

import logging
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import httpcore
import httpx
import trio

from qr.upstream.proxies import Proxy

__all__ = ["Connect", "connector"]

Connect = Callable[[Proxy | None], httpx.AsyncBaseTransport]
"""Opens what one request is sent through; a simulated provider can stand here."""

# At debug level httpcore writes the password that it sends to a SOCKS proxy.
logging.getLogger("httpcore").setLevel(logging.INFO)


def connector(tls: ssl.SSLContext | None = None) -> Connect:
    """
    A way to connect, all of whose connections share one TLS context: to make one costs more than a poll.

    Args:
        tls: whom to trust; default: certifi's authorities, or those in `SSL_CERT_FILE` or `SSL_CERT_DIR`.
    """
    context = tls or httpx.create_ssl_context()
    return lambda proxy: Connection(proxy, context)


class Dialler(httpcore.AsyncNetworkBackend):
    """Opens sockets, and closes those that are left."""

    def __init__(self) -> None:
        self._trio = httpcore.TrioBackend()
        self._opened: list[httpcore.AsyncNetworkStream] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._trio.connect_tcp(host, port, timeout, local_address, socket_options)
        self._opened.append(stream)
        return stream

    async def aclose(self) -> None:
        # Closing a socket does not wait; shielded, so that a deadline leaves none open.
        with trio.CancelScope(shield=True):
            for stream in self._opened:
                await stream.aclose()


class Connection(httpx.AsyncBaseTransport):
    """Sends one request, through *proxy* or direct."""

    def __init__(self, proxy: Proxy | None, tls: ssl.SSLContext) -> None:
        self._dialler = Dialler()
        self._pool = _pool(proxy, tls, self._dialler)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        answer = await self._pool.handle_async_request(
            httpcore.Request(
                request.method, target, headers=request.headers.raw, extensions=request.extensions
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=Body(answer))

    async def aclose(self) -> None:
        try:
            await self._pool.aclose()
        finally:
            await self._dialler.aclose()


class Body(httpx.AsyncByteStream):
    """The bytes of an answer as they come off the wire."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._answer.aiter_stream():
            yield chunk

    async def aclose(self) -> None:
        await self._answer.aclose()


def _pool(proxy: Proxy | None, tls: ssl.SSLContext, dialler: Dialler) -> httpcore.AsyncConnectionPool:
    if proxy is None:
        return httpcore.AsyncConnectionPool(ssl_context=tls, network_backend=dialler)
    url = httpcore.URL(scheme=proxy.scheme, host=proxy.host, port=proxy.port, target="/")
    if proxy.scheme.startswith("socks"):
        return httpcore.AsyncSOCKSProxy(url, proxy.auth, ssl_context=tls, network_backend=dialler)
    return httpcore.AsyncHTTPProxy(
        url,
        proxy.auth,
        ssl_context=tls,
        proxy_ssl_context=tls if proxy.scheme == "https" else None,
        network_backend=dialler,
    )
