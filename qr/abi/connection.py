"""One connection of a library: frames in, the host's calls answered, frames out.

The library uses it for one call at a time. The socket is read and written below Trio's streams, and the
supervisor's answer to a pick is written in the turn in which it is given: that halves what a pick costs.
"""

import os
from collections.abc import Mapping
from time import perf_counter

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

__all__ = ["Connection"]

# A pick with 50 candidates is 17 KB, and arrives in one piece.
CHUNK = 64 * 1024

# A library that does not take an answer in this time has given up on it.
SEND_TIMEOUT = 5.0

PICK = method_prefix("scheduler.pick")


class Connection:
    """Answers one library until it goes."""

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
        self._frames = Frames()
        self._taking = False
        """A frame is being worked on."""
        self.used_at = perf_counter()
        """When something came last, in seconds of a clock of its own."""

    @property
    def idle(self) -> bool:
        """Nothing is under way here. The callback connection is never idle: the host is reached by it."""
        busy = self._attached or self._asking or self._taking or self._frames.partial
        return not busy and self._stream.socket.fileno() >= 0

    def hang_up(self) -> None:
        """End it from outside."""
        self._stream.socket.close()

    async def run(self) -> None:
        """
        Answer until the library closes.

        Raises:
            FrameError, trio.BrokenResourceError: the connection is of no further use.
        """
        try:
            while received := await self._receive():
                self.used_at, self._taking = perf_counter(), True
                for frame in self._frames.feed(received):
                    await self._take(frame)
                self._taking = False
        finally:
            self._link.detach(self._stream)

    async def _receive(self) -> bytes:
        while True:
            await trio.lowlevel.wait_readable(self._descriptor())
            try:
                return os.read(self._descriptor(), CHUNK)
            except BlockingIOError:
                continue  # woken for nothing
            except OSError as error:
                raise trio.BrokenResourceError("the library has gone") from error

    def _descriptor(self) -> int:
        """Asked for anew each time: a socket that was closed may have given its number to another one."""
        descriptor = self._stream.socket.fileno()
        if descriptor < 0:
            raise trio.ClosedResourceError("the connection was given up")
        return descriptor

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
            whole = self._write(frame) == len(frame)
        except OSError:
            whole = False
        if not whole:
            # It has gone, or has left answers of hundreds of calls in the socket's buffer.
            self.hang_up()

    def _write(self, frame: bytes) -> int:
        """How much of *frame* fits into the socket's buffer; raises `OSError` when the library has gone."""
        try:
            return os.write(self._stream.socket.fileno(), frame)
        except BlockingIOError:
            return 0

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
            written = self._write(frame)
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
