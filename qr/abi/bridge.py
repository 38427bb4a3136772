"""The service's side of the Unix socket: frames in, the host's calls answered, frames out.

One task for each connection, which the library uses for one call at a time. A connection that breaks, or
sends what is no frame, ends alone.

Sockets are read and written below Trio's streams, and the supervisor's answer to a pick is written in the
turn in which it is given: that halves what a pick costs.
"""

import os
import socket
import stat
from collections.abc import Mapping
from pathlib import Path

import structlog
import trio

from qr.abi.calls import Calls
from qr.abi.frames import (
    ATTACH,
    CALL,
    HOST_REPLY,
    NOTE,
    PING,
    Call,
    Frame,
    FrameError,
    Frames,
    encode_pong,
    encode_reply,
    method_prefix,
    read_attach,
    read_call,
)
from qr.abi.hostlink import HostLink
from qr.actors.current import Current

__all__ = ["Bridge", "SocketBusy", "open_socket"]

# One library keeps at most 64 connections and the callback connection; this is room for three of them, as
# around a reload. Whoever comes in vain is turned away at once, and fails open.
MAX_CONNECTIONS = 200

# A pick with 50 candidates is 17 KB, and arrives in one piece.
CHUNK = 64 * 1024

# Connections that wait to be accepted while the loop is busy.
BACKLOG = 256

# A library that does not take an answer in this time has given up on it.
SEND_TIMEOUT = 5.0

PICK = method_prefix("scheduler.pick")

log = structlog.get_logger(__name__)


class SocketBusy(OSError):  # noqa: N818 - a state of the socket
    """Another service answers on the socket's path."""


def open_socket(path: Path) -> socket.socket:
    """
    Listen on *path*, for this user alone. A socket that nobody answers any more is replaced.

    The mode is 0600. A host under another user needs a group that both share, with access to the socket and
    to its directory; giving it is up to the operator.

    Raises:
        SocketBusy: another service is alive there.
        OSError: the path cannot be used; says why.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _clear(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listening.bind(str(path))
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(mask)
    return listening


def _clear(path: Path) -> None:
    """Remove a dead socket; leave anything else alone."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(f"{path} exists and is no socket; move it away")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
    raise SocketBusy(f"another service answers on {path}; stop it, or set another `socket`")


class Bridge:
    """Serves one listening socket; a new bridge may take over the same socket after a death."""

    def __init__(self, listening: socket.socket, calls: Calls, link: HostLink, current: Current) -> None:
        self._listening = listening
        self._calls = calls
        self._link = link
        self._current = current
        self.connections = 0
        self.turned_away = 0

    async def run(self) -> None:
        """Serve until cancelled."""
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._listening.dup()))
        async with listener:
            await trio.serve_listeners(self._serve, [listener])

    async def _serve(self, stream: trio.SocketStream) -> None:
        if self.connections >= MAX_CONNECTIONS:
            self.turned_away += 1
            await trio.aclose_forcefully(stream)
            return
        self.connections += 1
        try:
            async with stream:
                await Connection(stream, self._calls, self._link, self._current).run()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        except FrameError as error:
            log.warning("connection of the library ended", cause=str(error))
        finally:
            self.connections -= 1


class Connection:
    """One connection of a library."""

    def __init__(self, stream: trio.SocketStream, calls: Calls, link: HostLink, current: Current) -> None:
        self._stream = stream
        self._calls = calls
        self._link = link
        self._current = current
        self._attached = False
        """The link writes here from then on, and nothing else may: frames of two writers would mix."""
        self._asking = False
        """A pick is open."""
        self._answered = trio.Event()
        """Set when it is answered; a new one for who waits."""

    async def run(self) -> None:
        """
        Answer until the library closes.

        Raises:
            FrameError, trio.BrokenResourceError: the connection is of no further use.
        """
        frames = Frames()
        try:
            while received := await self._receive():
                for frame in frames.feed(received):
                    await self._take(frame)
        finally:
            self._link.detach(self._stream)

    async def _receive(self) -> bytes:
        while True:
            descriptor = self._stream.socket.fileno()
            if descriptor < 0:
                # Closed while nobody waited here, by an answer that could not be given.
                raise trio.ClosedResourceError
            await trio.lowlevel.wait_readable(descriptor)
            try:
                return os.read(self._stream.socket.fileno(), CHUNK)
            except BlockingIOError:
                continue  # woken for nothing
            except OSError as error:
                raise trio.BrokenResourceError("the library has gone") from error

    async def _take(self, frame: Frame) -> None:
        if self._asking:
            await self._turn()
        if self._attached and frame.kind != HOST_REPLY:
            raise FrameError(f"a frame of kind {frame.kind} on a callback connection")
        if frame.kind == CALL and frame.payload.startswith(PICK):
            self._asking = True
            self._calls.pick(frame.payload, self._give, len(PICK))
        elif frame.kind == CALL:
            await self._call(read_call(frame.payload))
        elif frame.kind == NOTE:
            call = read_call(frame.payload)
            await self._calls.answer(call.method, call.body)
        elif frame.kind == PING:
            await self._send(encode_pong(self._deadline_ms))
        elif frame.kind == ATTACH:
            await self._attach(*read_attach(frame.payload))
        elif frame.kind == HOST_REPLY:
            self._link.answered(self._stream, frame)
        else:
            raise FrameError(f"a library does not send frames of kind {frame.kind}")

    async def _turn(self) -> None:
        """A library waits for its answer before it sends more; whoever does not is answered in order."""
        self._answered = trio.Event()
        await self._answered.wait()

    async def _call(self, call: Call) -> None:
        envelope = await self._calls.answer(call.method, call.body)
        await self._send(encode_reply(envelope, self._deadline_ms))

    def _give(self, envelope: bytes) -> None:
        """Answer a pick, in somebody else's turn: no waiting, and no error."""
        self._asking = False
        self._answered.set()
        frame = encode_reply(envelope, self._deadline_ms)
        try:
            written = os.write(self._stream.socket.fileno(), frame)
        except OSError:
            written = 0
        if written < len(frame):
            # It has gone, or has left answers of hundreds of calls in the socket's buffer.
            self._stream.socket.close()

    async def _attach(self, about: Mapping[str, str], settings: bytes) -> None:
        """The settings of a library that has been replaced are old ones."""
        self._attached = True
        if self._link.attach(about, self._stream) and settings:
            await self._calls.answer("plugin.reconfigure", settings)

    async def _send(self, frame: bytes) -> None:
        """
        Give the library its answer.

        It nearly always fits into the socket's buffer: written at once, it costs a deadline and a wait less.
        """
        try:
            written = os.write(self._stream.socket.fileno(), frame)
        except BlockingIOError:
            written = 0
        except OSError as error:
            raise trio.BrokenResourceError("the library has gone") from error
        if written < len(frame):
            await self._send_rest(frame[written:])

    async def _send_rest(self, frame: bytes) -> None:
        with trio.move_on_after(SEND_TIMEOUT):
            return await self._stream.send_all(frame)
        raise trio.BrokenResourceError("the library does not take its answer")

    @property
    def _deadline_ms(self) -> int:
        return round(self._current.settings.pick_deadline * 1000)
