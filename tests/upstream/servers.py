"""Small honest servers on the loopback: a scripted HTTP provider, a CONNECT proxy, a SOCKS5 proxy.

Rules of the tests that use them: 127.0.0.1 only, port 0, the real clock, and every poll under `fail_after`.
A server answers what its script says, byte for byte, and remembers what it was asked.
"""

import base64
import gzip
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

import trio
from attrs import Factory, define

__all__ = [
    "CLAUDE_BODY",
    "CODEX_BODY",
    "ConnectProxy",
    "Provider",
    "SocksProxy",
    "drips",
    "endless",
    "hangs",
    "hangs_up",
    "percents",
    "says",
    "says_json",
    "serving",
    "zipped",
]

S = TypeVar("S", "Provider", "ConnectProxy", "SocksProxy")
Behaviour = Callable[[trio.abc.Stream], Awaitable[None]]

CLAUDE_BODY = {
    "five_hour": {"utilization": 31.0, "resets_at": "2026-09-03T18:29:59.871204+00:00"},
    "seven_day": {"utilization": 54.0, "resets_at": "2026-09-08T05:00:00.871229+00:00"},
    "seven_day_opus": None,
    "limits": [
        {
            "kind": "weekly_scoped",
            "percent": 81,
            "resets_at": "2026-09-08T05:00:00.871502+00:00",
            "scope": {"model": {"id": None, "display_name": "Fable"}, "surface": None},
            "is_active": True,
        },
    ],
}

CODEX_BODY = {
    "plan_type": "plus",
    "rate_limit": {
        "allowed": True,
        "limit_reached": False,
        "primary_window": {"used_percent": 23, "limit_window_seconds": 18000, "reset_at": 1788287512},
        "secondary_window": {"used_percent": 61, "limit_window_seconds": 604800, "reset_at": 1788513010},
    },
    "additional_rate_limits": None,
    "credits": {"has_credits": False, "unlimited": False, "balance": "0"},
    "spend_control": {"reached": False, "individual_limit": None},
}


def percents(result) -> Mapping[str, float | None]:
    """The used percents of a poll's result, by window."""
    return {reading.window: reading.used_percent for reading in result.observation.readings}


def says(status: int = 200, body: bytes = b"", length: int | None = None, **headers: str) -> Behaviour:
    """One whole answer; *length* lies about the body's; `content_type=…` becomes `content-type: …`."""
    head = {"content-length": str(len(body) if length is None else length), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in head.items())
    return partial(_send, f"HTTP/1.1 {status} Reason\r\n{lines}\r\n".encode() + body)


def says_json(body: object, status: int = 200, **headers: str) -> Behaviour:
    return says(status, json.dumps(body).encode(), content_type="application/json", **headers)


def zipped(body: bytes, **headers: str) -> Behaviour:
    return says(200, gzip.compress(body), content_encoding="gzip", **headers)


async def _send(raw: bytes, stream: trio.abc.Stream) -> None:
    await stream.send_all(raw)


async def hangs(stream: trio.abc.Stream) -> None:
    """Never answers."""
    await trio.sleep_forever()


async def hangs_up(stream: trio.abc.Stream) -> None:
    """Closes without a word."""


def drips(raw: bytes, every: float) -> Behaviour:
    """One byte every so often, seconds: always alive, never done."""

    async def drip(stream: trio.abc.Stream) -> None:
        for byte in raw:
            await stream.send_all(bytes([byte]))
            await trio.sleep(every)

    return drip


def endless(head: bytes, chunk: bytes) -> Behaviour:
    """The head, and then the chunk until the other side has had enough."""

    async def flood(stream: trio.abc.Stream) -> None:
        await stream.send_all(head)
        while True:
            await stream.send_all(chunk)

    return flood


async def read_head(stream: trio.abc.Stream) -> bytes:
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        part = await stream.receive_some(1)
        if not part:
            raise trio.BrokenResourceError("hung up within the head")
        head += part
    return bytes(head)


def headers_of(head: bytes) -> Mapping[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {name.strip().lower(): value.strip() for name, value in pairs}


@define
class Provider:
    """Answers each connection with the next of its *script*; the last one stays."""

    script: list[Behaviour]
    heads: list[bytes] = Factory(list)
    port: int = 0

    async def __call__(self, stream: trio.abc.Stream) -> None:
        self.heads.append(await read_head(stream))
        behave = self.script[0] if len(self.script) == 1 else self.script.pop(0)
        await behave(stream)

    @property
    def headers(self) -> Mapping[str, str]:
        """Of the last request."""
        return headers_of(self.heads[-1])

    @property
    def request_line(self) -> str:
        return self.heads[-1].split(b"\r\n")[0].decode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@define
class ConnectProxy:
    """An HTTP proxy: `CONNECT` for https, forwarding for http. *names* are the hosts only it can resolve."""

    names: Mapping[str, int] = Factory(dict)
    login: str = ""
    refuses: bytes = b""
    targets: list[str] = Factory(list)
    port: int = 0

    async def __call__(self, stream: trio.abc.Stream) -> None:
        head = await read_head(stream)
        method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
        self.targets.append(target)
        expected = "Basic " + base64.b64encode(self.login.encode()).decode()
        if self.refuses:
            await stream.send_all(self.refuses)
        elif self.login and headers_of(head).get("proxy-authorization") != expected:
            await stream.send_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        elif method == "CONNECT":
            upstream = await self._dial(target)
            await stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await pump(stream, upstream)
        else:
            upstream = await self._dial(target.split("/")[2])
            await upstream.send_all(head)
            await pump(stream, upstream)

    async def _dial(self, target: str) -> trio.SocketStream:
        host, _, port = target.rpartition(":")
        return await trio.open_tcp_stream("127.0.0.1", self.names.get(host) or int(port))


@define
class SocksProxy:
    """A SOCKS5 proxy (RFC 1928, RFC 1929) that knows names which nobody else can resolve."""

    names: Mapping[str, int] = Factory(dict)
    login: tuple[bytes, bytes] | None = None
    reply: int = 0
    """What it answers to a request to connect; 0 is success."""
    speaks: bytes | None = None
    """What it says instead of speaking SOCKS."""
    targets: list[tuple[str, int]] = Factory(list)
    logins: list[tuple[bytes, bytes]] = Factory(list)
    port: int = 0

    async def __call__(self, stream: trio.abc.Stream) -> None:
        methods = await self._greeting(stream)
        if self.speaks is not None:
            await stream.send_all(self.speaks)
        elif (2 if self.login else 0) not in methods:
            await stream.send_all(b"\x05\xff")
        else:
            await stream.send_all(b"\x05\x02" if self.login else b"\x05\x00")
            if not self.login or await self._authenticated(stream):
                await self._connect(stream)

    async def _greeting(self, stream: trio.abc.Stream) -> bytes:
        _, count = await exactly(stream, 2)
        return await exactly(stream, count)

    async def _authenticated(self, stream: trio.abc.Stream) -> bool:
        _, length = await exactly(stream, 2)
        user = await exactly(stream, length)
        password = await exactly(stream, (await exactly(stream, 1))[0])
        self.logins.append((user, password))
        granted = (user, password) == self.login
        await stream.send_all(b"\x01\x00" if granted else b"\x01\x01")
        return granted

    async def _connect(self, stream: trio.abc.Stream) -> None:
        kind = (await exactly(stream, 4))[3]
        if kind == 3:
            host = (await exactly(stream, (await exactly(stream, 1))[0])).decode()
        else:
            host = socket.inet_ntoa(await exactly(stream, 4))
        port = int.from_bytes(await exactly(stream, 2))
        self.targets.append((host, port))
        await stream.send_all(bytes([5, self.reply, 0, 1, 0, 0, 0, 0, 0, 0]))
        if self.reply == 0:
            await pump(stream, await trio.open_tcp_stream("127.0.0.1", self.names.get(host, port)))


async def exactly(stream: trio.abc.Stream, count: int) -> bytes:
    found = bytearray()
    while len(found) < count:
        part = await stream.receive_some(count - len(found))
        if not part:
            raise trio.BrokenResourceError("hung up")
        found += part
    return bytes(found)


async def pump(one: trio.abc.Stream, other: trio.abc.Stream) -> None:
    """Both ways until either side hangs up."""

    async def copy(source: trio.abc.Stream, sink: trio.abc.Stream) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while part := await source.receive_some():
                await sink.send_all(part)
        nursery.cancel_scope.cancel()

    async with other, trio.open_nursery() as nursery:
        nursery.start_soon(copy, one, other)
        nursery.start_soon(copy, other, one)


@asynccontextmanager
async def serving(server: S, tls: ssl.SSLContext | None = None) -> AsyncIterator[S]:
    """Serves *server*, on a port of its own that is told in `server.port`."""

    async def connection(stream: trio.SocketStream) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async with trio.SSLStream(stream, tls, server_side=True) if tls else stream as secured:
                await server(secured)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, connection, 0, host="127.0.0.1"))
        server.port = listeners[0].socket.getsockname()[1]
        yield server
        nursery.cancel_scope.cancel()
