"""The HTTP server: Hypercorn's protocol, on sockets and under a roof of our own.

What a client sends can make Hypercorn fail, and what a client does not read makes it wait without end. Here
each connection fails alone, every write has a deadline, and the number of connections has a bound.
"""

import socket
from contextlib import suppress
from functools import partial
from typing import Final, cast

import structlog
import trio
from attrs import define, field
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, Framework, LifespanState
from hypercorn.utils import wrap_app

from qr.web.app import Web
from qr.web.entrances import Entrance

__all__ = ["Doorway", "Server"]

# Connections at once over the network: a browser opens six, a page keeps one for the feed. The owner's own
# way in stays open in any crowd.
MAX_CONNECTIONS: Final = 512

# Bytes that are written at once, and seconds in which the peer must take them: who is slower than three
# kilobytes a second has stopped reading.
PIECE: Final = 16 * 1024
WRITE_PATIENCE: Final = 5.0

# Seconds for the last words at the end of the service; below the house's own deadline.
GRACE: Final = 1.0

# Bytes of an ask on the live feed.
MAX_ASK: Final = 4096

# Seconds without a byte from the peer: a page on the feed asks more often than this.
READ_TIMEOUT: Final = 90

log = structlog.get_logger(__name__)


class BoundedStream:
    """A connection whose writes end: in time, or with an error."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self.socket = stream.socket

    async def send_all(self, data: bytes) -> None:
        """
        Send *data*; a deadline of its own holds even where the caller shields itself from cancellation.

        Raises:
            trio.BrokenResourceError: the peer does not read.
        """
        for start in range(0, len(data), PIECE):
            with trio.move_on_after(WRITE_PATIENCE) as patience:
                await self._stream.send_all(data[start : start + PIECE])
            if patience.cancelled_caught:
                self.abort()
                raise trio.BrokenResourceError("the peer does not read")

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        return await self._stream.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """
        Say that nothing follows.

        This and `aclose` never wait: an application that has answered is cancelled by its own disconnection
        at the next moment, and a close that could be cancelled with it would leave the connection open.
        """
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    async def aclose(self) -> None:
        self.abort()

    def abort(self) -> None:
        """Close at once; whoever waits on the connection learns it."""
        self.socket.close()


def _configured() -> Config:
    """No log of its own, as addresses can hold the token; nothing that says what is running."""
    config = Config()
    config.errorlog = None
    config.include_server_header = False
    config.websocket_max_message_size = MAX_ASK
    config.read_timeout = READ_TIMEOUT
    return config


class Connection(TCPServer):
    """Ends with its peer, where Hypercorn would wait for another request from somebody who has gone."""

    async def _read_data(self) -> None:
        await super()._read_data()
        await self.idle_task.stop()


@define(eq=False)
class Doorway:
    """A listening socket, and how those who come through it enter."""

    listening: socket.socket
    entrance: Entrance


@define(eq=False)
class Server:
    """Serves until cancelled; the next life takes over the same sockets."""

    web: Web
    doorways: list[Doorway]
    failed: int = 0
    """Connections that ended by something that the library could not take."""
    turned_away: int = 0
    """Connections for which there was no room."""
    _streams: set[BoundedStream] = field(factory=set)
    _left: trio.Event = field(factory=trio.Event)
    """Set when a connection ends."""
    _connections: trio.Nursery = field(init=False)
    _sheltered: trio.Event = field(factory=trio.Event)
    """There is a nursery for connections."""
    _context: WorkerContext = field(factory=lambda: WorkerContext(None))
    _config: Config = field(factory=_configured)

    async def run(self) -> None:
        """Live until cancelled; then say goodbye, for a moment."""
        self._sheltered, self._context = trio.Event(), WorkerContext(None)
        ended = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._shelter, ended)
            try:
                await self._listen()
            finally:
                ended.set()

    async def _shelter(self, ended: trio.Event) -> None:
        """Those who are being served outlive the listening by the length of a goodbye, and no longer."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as self._connections:
                self._sheltered.set()
                await ended.wait()
                await self._goodbye()
                self._connections.cancel_scope.cancel()

    async def _goodbye(self) -> None:
        self.web.live.close()
        await self._context.terminated.set()
        with trio.move_on_after(GRACE):
            while self._streams:
                self._left = trio.Event()
                await self._left.wait()
        for stream in self._streams:
            stream.abort()

    async def _listen(self) -> None:
        await self._sheltered.wait()
        async with trio.open_nursery() as nursery:
            for doorway in self.doorways:
                nursery.start_soon(self._accept, doorway)

    async def _accept(self, doorway: Doorway) -> None:
        app = wrap_app(cast(Framework, self.web.entered_by(doorway.entrance)), 0, "asgi")
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(doorway.listening.dup()))
        async with listener:
            await trio.serve_listeners(
                partial(self._serve, app, doorway.entrance), [listener], handler_nursery=self._connections
            )

    async def _serve(self, app: AppWrapper, entrance: Entrance, accepted: trio.SocketStream) -> None:
        """One connection; whatever happens to it, the others never notice."""
        if entrance == "network" and len(self._streams) >= MAX_CONNECTIONS:
            self.turned_away += 1
            await trio.aclose_forcefully(accepted)
            return
        stream = BoundedStream(accepted)
        self._streams.add(stream)
        try:
            await self._speak(app, stream)
        except* Exception as broken:  # noqa: BLE001 - whatever a peer can provoke ends its own connection
            self.failed += 1
            log.debug("connection failed", cause=type(broken.exceptions[0]).__name__)
        finally:
            self._streams.discard(stream)
            self._left.set()
            stream.abort()

    async def _speak(self, app: AppWrapper, stream: BoundedStream) -> None:
        # It asks a stream for no more than a `BoundedStream` has.
        like = cast("trio.SSLStream[trio.SocketStream]", stream)
        await Connection(app, self._config, self._context, LifespanState({}), like).run()
