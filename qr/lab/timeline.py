"""Virtual time from one event to the next: requests that arrive, pauses that end, records that come late.

One task serves all requests, one step at a time, so that their order is the order of their times. Between two
events everything in the house settles, since time goes on only when nobody has anything to do.
"""

from collections.abc import Awaitable, Callable, Generator, Iterable
from heapq import heappop, heappush
from itertools import count
from math import inf

import trio
from attrs import define, field
from trio.testing import MockClock, wait_all_tasks_blocked

from qr.clock import Clock
from qr.lab.host import Ask, Host, Outcome, Pause, Reply, Step, Tell
from qr.lab.traffic import Request

__all__ = ["Call", "Timeline", "Watch"]

Call = Callable[[str, bytes], Awaitable[bytes]]
"""The plugin's interface: method and body to an envelope."""

Course = Generator[Step, Reply, Outcome]

# Two events are at least so many seconds apart, so that what one brings about has happened before the other.
APART = 1e-6


class Watch:
    """Who looks on; every method may raise to end the run."""

    def settled(self, now: float) -> None:
        """All that was to happen before *now* has happened: an event, a poll, whatever was waited for."""

    def picking(self, now: float) -> None:
        """The plugin is about to be asked; everything has settled."""

    def picked(self, request: Request, now: float) -> None:
        """The plugin has answered a pick."""

    def ended(self, outcome: Outcome) -> None:
        """A client's request has ended."""


@define(eq=False)
class Timeline:
    """Serves requests through a host and a plugin, in virtual time."""

    host: Host
    call: Call
    clock: Clock
    mock: MockClock
    """What moves *clock*."""
    watch: Watch
    _events: list[tuple[float, int, Course | Tell, Request]] = field(factory=list)
    _order: "count[int]" = field(factory=count)
    _last: float = -inf
    _settled: bool = False
    """Nobody has anything to do before time goes on."""

    async def run(self, requests: Iterable[Request], end: float) -> None:
        """Serve them all, to the last record, and let time go on to *end* (epoch seconds)."""
        for request in requests:
            await self._until(request.at)
            await self._move(request.at, self.host.serve(request), request, begun=False)
        await self._until(inf)
        self.watch.settled(await self._time(end))

    async def _until(self, time: float) -> None:
        while self._events and self._events[0][0] <= time:
            at, _, event, request = heappop(self._events)
            if isinstance(event, Tell):
                self.watch.settled(await self._time(at))
                await self.call(event.method, event.body)
                self._settled = False
            else:
                await self._move(at, event, request, begun=True)

    async def _move(self, at: float, course: Course, request: Request, *, begun: bool) -> None:
        """One event: wait for its time, then let *course* go on until it pauses or ends."""
        now = await self._time(at)
        self.watch.settled(now)
        try:
            step = course.send(Reply(now)) if begun else next(course)
            while not isinstance(step, Pause):
                step = course.send(await self._do(step, request, now))
            self._later(now + step.seconds, course, request)
        except StopIteration as end:
            self.watch.ended(end.value)

    async def _time(self, at: float) -> float:
        """Let what is under way settle, and time go on to *at*, from one deadline to the next."""
        self._last = max(at, self._last + APART)
        await self._settle()
        while (wakes := trio.lowlevel.current_statistics().seconds_to_next_deadline) <= self._ahead:
            self.mock.jump(max(wakes, 0.0))
            self._settled = False
            await self._settle()
            self.watch.settled(self.clock.now())
        self.mock.jump(self._ahead)
        return self.clock.now()

    @property
    def _ahead(self) -> float:
        return max(0.0, self._last - self.clock.now())

    async def _do(self, step: Step, request: Request, now: float) -> Reply:
        answer = b""
        match step:
            case Ask(method, body):
                await self._settle()
                self.watch.picking(now)
                answer = await self.call(method, body)
                self._settled = False
                self.watch.picked(request, now)
            case Tell(after=after) if after:
                self._later(now + after, step, request)
            case Tell(method, body):
                await self.call(method, body)
                self._settled = False
        return Reply(now, answer)

    async def _settle(self) -> None:
        if not self._settled:
            await wait_all_tasks_blocked()
            self._settled = True

    def _later(self, at: float, event: Course | Tell, request: Request) -> None:
        heappush(self._events, (at, next(self._order), event, request))
