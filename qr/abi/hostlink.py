"""The way back: the host's callbacks, through the callback connections of the libraries that are attached.

Several libraries may be: of a host that has loaded a newer version beside the old one, of a command of the
host (a login, which takes minutes) beside the host itself. One of them is asked, and the others are left in
peace: a library whose connection is closed comes right back.
"""

from collections import deque
from collections.abc import Mapping

import trio
from attrs import define, field

from qr.abi.frames import Frame, encode_host_call, read_host_reply
from qr.actors.mailbox import Reply

__all__ = ["HostLink", "HostLinkDown"]

# Polls of different accounts may ask at once; the host answers each in a millisecond. More callers than this
# mean that it does not answer at all.
MAX_WAITING = 64


class HostLinkDown(OSError):  # noqa: N818 - a state of the link, and an OSError for those who reconnect
    """There is no host to call, or it went away before it answered."""


@define(eq=False)
class Line:
    """One library's callback connection; calls are answered in the order in which they were sent."""

    stream: trio.SocketStream
    about: Mapping[str, str]
    turn: trio.Lock = field(factory=trio.Lock)
    """Frames of different callers must not mix; it is held for one short write."""
    waiting: deque[Reply[bytes]] = field(factory=deque)

    @property
    def configured(self) -> int:
        """When the host configured this library last, in milliseconds of the machine's monotonic clock."""
        told = self.about.get("configured", "")
        return int(told) if told.isdecimal() and told.isascii() else 0

    def replaces(self, other: "Line") -> bool:
        """A host that loads a newer library keeps the old one mapped, and never configures it again."""
        return self.about.get("pid") == other.about.get("pid") and self.configured >= other.configured

    def drop(self) -> None:
        """It has ended: whoever waits for an answer of it is told."""
        self.stream.socket.close()
        while self.waiting:
            self.waiting.popleft().give(None)


class HostLink:
    """The lines, the one that is asked in front. The connections of the bridge bound their number."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.about: Mapping[str, str] = {}
        """What the library that is asked, or was last, said of itself: `plugin`, `version`, `pid`."""
        self.attached = trio.Event()
        """Set while a library is attached."""

    @property
    def up(self) -> bool:
        return bool(self.lines)

    def attach(self, about: Mapping[str, str], stream: trio.SocketStream) -> bool:
        """A library offers its callback connection. True: no other one was configured after it."""
        line = Line(stream, about)
        newest = all(line.configured >= other.configured for other in self.lines)
        place = (number for number, other in enumerate(self.lines) if line.replaces(other))
        self.lines.insert(next(place, len(self.lines)), line)
        self._changed()
        return newest

    def detach(self, stream: trio.SocketStream) -> None:
        """That connection, if it was a callback connection, has ended."""
        for line in [line for line in self.lines if line.stream is stream]:
            self.lines.remove(line)
            line.drop()
            self._changed()

    def pass_on(self) -> None:
        """The library that is asked is of no use, as that of a host's command: another one's turn."""
        if self.lines:
            self.lines.append(self.lines.pop(0))
            self._changed()

    def _changed(self) -> None:
        if self.lines:
            self.about = self.lines[0].about
            self.attached.set()
        elif self.attached.is_set():  # else somebody may wait for this one already
            self.attached = trio.Event()

    def answered(self, stream: trio.SocketStream, frame: Frame) -> None:
        """
        The host's answer to the oldest open call on that connection.

        Raises:
            FrameError: the answer is malformed.
        """
        reply = read_host_reply(frame.payload)
        for line in self.lines:
            if line.stream is stream and line.waiting:
                line.waiting.popleft().give(reply.body if reply.code == 0 else None)

    async def call(self, method: str, body: bytes) -> bytes:
        """
        Have the host's callback *method* called; the caller sets a deadline.

        Raises:
            HostLinkDown: no library is attached, or it went away, or too many wait already.
        """
        if not self.lines:
            raise HostLinkDown("no host is attached")
        line, reply = self.lines[0], Reply[bytes]()
        async with line.turn:
            await self._ask(line, encode_host_call(method, body), reply)
        answer = await reply.wait()
        if answer is None:
            raise HostLinkDown("the host went away before it answered")
        return answer

    async def _ask(self, line: Line, frame: bytes, reply: Reply[bytes]) -> None:
        if line not in self.lines or len(line.waiting) >= MAX_WAITING:
            raise HostLinkDown("the host went away, or does not answer")
        line.waiting.append(reply)
        try:
            await line.stream.send_all(frame)
        except BaseException:
            # Part of a frame may have been written: nothing that follows on this stream could be read.
            self.detach(line.stream)
            raise
