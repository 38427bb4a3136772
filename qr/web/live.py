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

__all__ = ["EVENTS", "Live", "events_route"]

EVENTS: Final = "/events"
"""The feed's path below the base of the API."""

# Seconds after which an ask is answered though there is no news: the page learns that the service lives, and
# a proxy between them that the connection does.
HEARTBEAT: Final = 15.0

# Seconds between two answers to one page: four a second look live.
PACE: Final = 0.25

# Answers a second to all pages together, as each costs a millisecond or two of a busy service.
MOST_ANSWERS: Final = 40

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
                await Conversation(self.messages).run()
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


@define(eq=False)
class Conversation:
    """
    Asks and answers of one page.

    Asks are taken in as they come, and the newest counts: whoever asks again before the answer wants
    something else, and whoever floods gets no more than who asks once.
    """

    messages: Messages
    _newest: str | bytes | None = None
    _asked: trio.Event = field(factory=trio.Event)
    _waiting: trio.CancelScope = field(factory=trio.CancelScope)

    async def run(self) -> None:
        """Until the page goes, falls silent, or asks for what cannot be understood."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_in)
            code, why = await self._answer_asks()
            await websocket.close(code, why)
            nursery.cancel_scope.cancel()

    async def _take_in(self) -> None:
        while True:
            self._newest = await websocket.receive()
            self._asked.set()
            self._waiting.cancel()

    async def _answer_asks(self) -> tuple[int, str]:
        while True:
            with trio.move_on_after(ASK_PATIENCE) as patience:
                await self._asked.wait()
            if patience.cancelled_caught:
                return GOING_AWAY, "no ask for too long"
            self._asked = trio.Event()
            try:
                await self._answer(_read(self._newest))
            except ProblemError as error:
                await _say(Refused(error.problem))
                return POLICY_VIOLATION, "the ask cannot be understood"

    async def _answer(self, ask: Ask) -> None:
        if not await self._news(ask):
            return
        answer = await self.messages.answer(ask, FRAME)
        await websocket.send(answer.body.decode())
        if answer.complete:
            await trio.sleep(pace(self.messages.desk.listeners))

    async def _news(self, ask: Ask) -> bool:
        """Until there is something that *ask* has not seen, or for a heartbeat; False: it is outdated."""
        feed = self.messages.desk.house.feed
        with trio.move_on_after(HEARTBEAT) as self._waiting:
            while self.messages.current(ask):
                await feed.wait(feed.number)
        return not self._asked.is_set()


def pace(listeners: int) -> float:
    """
    Seconds between two answers to one page, when so many listen.

    >>> pace(3), pace(50)
    (0.25, 1.25)
    """
    return max(PACE, listeners / MOST_ANSWERS)


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

    return Route("GET", EVENTS, events, AskEvents, Snapshot | Changes, "What is new since a number")


def _extras(text: str) -> tuple[Literal["health", "next"], ...]:
    names = [name for name in text.split(",") if name]
    try:
        return msgspec.convert(names, tuple[Literal["health", "next"], ...])
    except msgspec.ValidationError:
        problem = SettingProblem("with", "expected health, next, or both")
        raise ProblemError(
            "invalid_request", "The request has a member that is not taken.", [problem]
        ) from None
