"""The way back: the host's callbacks, through the callback connection of whichever library attached last."""

from collections import deque
from collections.abc import Mapping

import trio

from qr.abi.frames import Frame, encode_host_call, read_host_reply
from qr.actors.mailbox import Reply

__all__ = ["HostLink", "HostLinkDown"]

# Polls of different accounts may ask at once; the host answers each in a millisecond. More callers than this
# mean that it does not answer at all.
MAX_WAITING = 64


class HostLinkDown(OSError):  # noqa: N818 - a state of the link, and an OSError for those who reconnect
    """There is no host to call, or it went away before it answered."""


class HostLink:
    """Calls are answered in the order in which they were sent."""

    def __init__(self) -> None:
        self._stream: trio.SocketStream | None = None
        self._turn = trio.Lock()
        """Frames of different callers must not mix; it is held for one short write."""
        self._waiting: deque[Reply[bytes]] = deque()
        self.about: Mapping[str, str] = {}
        """What the library said of itself: `plugin`, `version`, `pid`."""
        self.attached = trio.Event()
        """Set while a library is attached."""

    @property
    def up(self) -> bool:
        return self._stream is not None

    def attach(self, about: Mapping[str, str], stream: trio.SocketStream) -> None:
        """A library offers its callback connection; an earlier one is left aside."""
        self._abandon()
        self._stream = stream
        self.about = about
        self.attached.set()

    def detach(self, stream: trio.SocketStream) -> None:
        """That connection has ended; those who wait for an answer of it are told."""
        if self._stream is stream:
            self._abandon()

    def _abandon(self) -> None:
        if self._stream is not None:
            self._stream.socket.close()
        self._stream = None
        if self.attached.is_set():  # else somebody may wait for this one already
            self.attached = trio.Event()
        while self._waiting:
            self._waiting.popleft().give(None)

    def answered(self, frame: Frame) -> None:
        """
        The host's answer to the oldest open call.

        Raises:
            FrameError: the answer is malformed.
        """
        reply = read_host_reply(frame.payload)
        if self._waiting:
            self._waiting.popleft().give(reply.body if reply.code == 0 else None)

    async def call(self, method: str, body: bytes) -> bytes:
        """
        Have the host's callback *method* called; the caller sets a deadline.

        Raises:
            HostLinkDown: no library is attached, or it went away, or too many wait already.
        """
        reply = Reply[bytes]()
        async with self._turn:
            await self._ask(encode_host_call(method, body), reply)
        answer = await reply.wait()
        if answer is None:
            raise HostLinkDown("the host went away before it answered")
        return answer

    async def _ask(self, frame: bytes, reply: Reply[bytes]) -> None:
        stream = self._stream
        if stream is None or len(self._waiting) >= MAX_WAITING:
            raise HostLinkDown("no host is attached")
        self._waiting.append(reply)
        try:
            await stream.send_all(frame)
        except BaseException:
            # Part of a frame may have been written: nothing that follows on this stream could be read.
            self.detach(stream)
            raise
