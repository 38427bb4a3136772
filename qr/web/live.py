"""The live feed over a WebSocket, and for where there is none. The page asks, the service answers once.

So at most one message is in flight: a page that stops reading holds up nobody, has no queue, and skips what
it did not see.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final, Literal

import msgspec
import trio
from attrs import define, field
from quart import websocket

from qr.web.desk import Desk
from qr.web.messages import FRAME, POLL, Messages
from qr.web.problems import ProblemError
from qr.web.routes import Route, read_body
from qr.web.shapes.feed import Ask, Changes, Closing, Refused, Snapshot
from qr.web.shapes.service import SettingProblem

__all__ = ["Live", "events_route"]

# Seconds after which an ask is answered though there is no news: the page learns that the service lives, and
# a proxy between them that the connection does.
HEARTBEAT: Final = 15.0

# Seconds between two answers to one page: four a second look live, and fifty pages cost little.
PACE: Final = 0.25

# Seconds in which a page asks again; one that does not is not there any more.
ASK_PATIENCE: Final = 60.0

# Pages that listen at once: far more than one service is watched by.
MAX_LISTENERS: Final = 200

GOING_AWAY, POLICY_VIOLATION, TRY_LATER = 1001, 1008, 1013


@define(eq=False)
class Live:
    """All WebSockets of the feed."""

    messages: Messages
    _open: set[trio.CancelScope] = field(factory=set)

    def close(self) -> None:
        """The service stops: every page is told, and reconnects later."""
        for scope in self._open:
            scope.cancel()

    async def serve(self) -> None:
        """One page, until it goes."""
        await websocket.accept()
        if len(self._open) >= MAX_LISTENERS:
            await websocket.close(TRY_LATER, "too many listeners")
            return
        with self._listening() as stopped:
            with stopped:
                await self._converse()
            if stopped.cancelled_caught:
                await _say(Closing())
                await websocket.close(GOING_AWAY, "the service stops")

    @contextmanager
    def _listening(self) -> Iterator[trio.CancelScope]:
        scope = trio.CancelScope()
        self._open.add(scope)
        self.messages.desk.listeners = len(self._open)
        try:
            yield scope
        finally:
            self._open.discard(scope)
            self.messages.desk.listeners = len(self._open)

    async def _converse(self) -> None:
        while True:
            with trio.move_on_after(ASK_PATIENCE):
                asked = await websocket.receive()
                if not await self._answer(asked):
                    return
                continue
            await websocket.close(GOING_AWAY, "no ask for too long")
            return

    async def _answer(self, asked: str | bytes | None) -> bool:
        """Answer one ask; False: it was none, and the conversation is over."""
        try:
            ask = _read(asked)
        except ProblemError as error:
            await _say(Refused(error.problem))
            await websocket.close(POLICY_VIOLATION, "the ask cannot be understood")
            return False
        await self._news(ask)
        answer = await self.messages.answer(ask, FRAME)
        await websocket.send(answer.body.decode())
        if answer.complete:
            await trio.sleep(PACE)
        return True

    async def _news(self, ask: Ask) -> None:
        """Until there is something that *ask* has not seen, at most for a heartbeat."""
        feed = self.messages.desk.house.feed
        with trio.move_on_after(HEARTBEAT):
            while self.messages.current(ask):
                await feed.wait(feed.number)


def _read(asked: str | bytes | None) -> Ask:
    text = asked or ""
    ask = read_body(Ask, text.encode() if isinstance(text, str) else text)
    if "next" in ask.also:
        raise ProblemError("invalid_request", "`next` does not fit into a frame: ask /api/v1/next.")
    return ask


async def _say(message: Closing | Refused) -> None:
    await websocket.send(msgspec.json.encode(message).decode())


class AskEvents(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"also": "with"}):
    """The ask of the live feed as a query; `with` is a list with commas."""

    after: Annotated[int, msgspec.Meta(ge=0)] | None = None
    epoch: str | None = None
    next: str | None = None
    also: str = ""


def events_route(messages: Messages) -> Route[AskEvents]:
    """The same messages for where no WebSocket exists, as in the host's pages: answered at once."""

    async def events(_: Desk, ask: AskEvents) -> bytes:
        answer = await messages.answer(Ask(ask.after, ask.epoch, ask.next, _extras(ask.also)), POLL)
        return answer.body

    return Route("GET", "/events", events, AskEvents, Snapshot | Changes, "What is new since a number")


def _extras(text: str) -> tuple[Literal["health", "next"], ...]:
    names = [name for name in text.split(",") if name]
    try:
        return msgspec.convert(names, tuple[Literal["health", "next"], ...])
    except msgspec.ValidationError:
        problem = SettingProblem("with", "expected health, next, or both")
        raise ProblemError(
            "invalid_request", "The request has a member that is not taken.", [problem]
        ) from None
