"""A house without sockets: the real actors on a virtual clock, driven through the door."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from attrs import define, evolve, field
from trio.testing import wait_all_tasks_blocked

from qr.actors.account_state import Entry
from qr.actors.current import Current
from qr.actors.journal import Journal
from qr.actors.messages import Apply, Listing
from qr.actors.reports import Attempt, read_attempt
from qr.clock import VirtualClock
from qr.routing.question import Question
from qr.routing.request import Attributes, Candidate, Offer
from qr.settings import Settings
from qr.store import StillWritingError
from qr.system import House
from qr.upstream.results import PollResult

NOW = 1_788_280_000.0
HOUR = 3600.0
DAY = 24 * HOUR


async def nobody(entry):
    """Polls that bring nothing."""
    return PollResult(error="nobody answers")


class Memory:
    """A store that keeps all images, and can be told to fail; like the real one it writes one at a time."""

    def __init__(self) -> None:
        self.persistent = True
        self.images: list[bytes] = []
        self.failure: Exception | None = None
        self._writing = threading.Lock()

    def save(self, image):
        if self.failure is not None:
            raise self.failure
        if not self._writing.acquire(blocking=False):
            raise StillWritingError("the write before goes on")
        try:
            self.images.append(b"".join(image))
        finally:
            self._writing.release()


@define(eq=False)
class Living:
    """A house that lives, and short words to talk to it."""

    house: House
    clock: VirtualClock
    store: Memory
    nursery: trio.Nursery = field(repr=False)

    @property
    def supervisor(self):
        return self.house.supervisor

    async def settled(self):
        """Every message has been taken in."""
        await wait_all_tasks_blocked()

    async def pick(self, *names, session="s", model="claude-sonnet-4-5", provider="claude", **more):
        candidates = tuple(
            name if isinstance(name, Candidate) else Candidate(name, provider, 0, Attributes("oauth"))
            for name in names
        )
        question = Question((provider,), model, session, offer=Offer(candidates), **more)
        return await self.house.door.pick(question)

    async def list(self, *names, provider="claude", **more):
        self.house.door.tell(Listing([Entry(name, provider, **more) for name in names]))
        await self.settled()

    async def report(
        self, name, *, headers=None, status=0, body="", failed=False, started=-2.0, model="claude-sonnet-4-5"
    ):
        await trio.sleep(1)
        now = self.clock.now()
        attempt = Attempt(name, "claude", model, None, now + started, now, failed, status)
        self.house.door.tell(read_attempt(attempt, headers or {}, body))
        await self.settled()

    async def seen(self, name, five=20.0, week=40.0, week_resets=2 * DAY, five_resets=2 * HOUR, **status):
        """A success whose headers tell the windows."""
        await self.report(
            name, headers=claude_headers(self.clock.now(), five, week, five_resets, week_resets, **status)
        )

    async def set(self, **changes):
        settings = self.house.current.settings
        rules = {key: value for key, value in changes.items() if hasattr(settings.rules, key)}
        others = {key: value for key, value in changes.items() if key not in rules}
        self.house.current.take(evolve(settings, rules=evolve(settings.rules, **rules), **others))
        self.house.door.tell(Apply(self.house.current.settings))
        await self.settled()

    def view(self, name):
        return self.supervisor.fleet.get(name)


def claude_headers(
    now,
    five,
    week,
    five_resets=2 * HOUR,
    week_resets=2 * DAY,
    *,
    five_status="allowed",
    week_status="allowed",
):
    prefix = "Anthropic-Ratelimit-Unified-"
    values = {
        "5h-Utilization": five / 100,
        "5h-Reset": int(now + five_resets),
        "5h-Status": five_status,
        "7d-Utilization": week / 100,
        "7d-Reset": int(now + week_resets),
        "7d-Status": week_status,
    }
    return {prefix + name: [str(value)] for name, value in values.items()}


@asynccontextmanager
async def living(tmp_path, *, journal=None, settings=None, store=None, ask=None) -> AsyncIterator[Living]:
    clock = VirtualClock(NOW)
    store = store or Memory()
    settings = settings or Settings(state_dir=tmp_path, auth_dir=tmp_path / "none")
    journal = journal or Journal()
    house = House(Current(settings), settings, clock, store, journal, [], seed=7, ask=ask or nobody)
    async with trio.open_nursery() as nursery:
        await nursery.start(house.run)
        living_house = Living(house, clock, store, nursery)
        await living_house.settled()
        yield living_house
        nursery.cancel_scope.cancel()
