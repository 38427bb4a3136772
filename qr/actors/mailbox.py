"""How actors are reached: bounded mailboxes, and replies to those who ask."""

from collections.abc import Iterator
from typing import Generic, TypeVar

import trio

__all__ = ["Mailbox", "Reply"]

M = TypeVar("M")
T = TypeVar("T")


class Mailbox(Generic[M]):
    """
    Messages for one actor. It outlives the actor: what arrives while a dead one is replaced waits here.

    A full mailbox refuses at once instead of adding to the wait; what is then done is the sender's to decide.
    """

    def __init__(self, capacity: int) -> None:
        """
        Args:
            capacity: messages that may wait; the caller says why that many.

        """
        self.refused = 0
        """How many messages found the mailbox full."""
        self._sender, self._receiver = trio.open_memory_channel[M](capacity)

    def __len__(self) -> int:
        return self._sender.statistics().current_buffer_used

    def post(self, message: M) -> bool:
        """Leave *message* and say whether there was room; never waits."""
        try:
            self._sender.send_nowait(message)
        except trio.WouldBlock:
            self.refused += 1
            return False
        return True

    async def next(self) -> M:
        """The oldest message; waits for one."""
        return await self._receiver.receive()

    def waiting(self, most: int) -> Iterator[M]:
        """Take out up to *most* messages that wait already, one by one as they are asked for."""
        for _ in range(most):
            try:
                yield self._receiver.receive_nowait()
            except trio.WouldBlock:
                return

    def drain(self) -> list[M]:
        """Take out all that waits."""
        return list(self.waiting(len(self)))


class Reply(Generic[T]):
    """The place where the answer to one question is put, once."""

    __slots__ = ("_answer", "_given")

    def __init__(self) -> None:
        self._given = trio.Event()
        self._answer: T | None = None

    def give(self, answer: T | None) -> None:
        """Answer; None means that there will be none. Only the first answer counts."""
        if not self._given.is_set():
            self._answer = answer
            self._given.set()

    async def wait(self) -> T | None:
        await self._given.wait()
        return self._answer
