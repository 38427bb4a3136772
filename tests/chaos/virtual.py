"""
The storm under a virtual clock: no library and no process, but death at any moment between two steps.

Hours pass in a second, and a crash after the interval of writes must have everything. A seed draws the same
deeds each time; which of several tasks that could run runs first is left to chance.
"""

from pathlib import Path
from random import Random

import trio
from attrs import define, field
from structlog.testing import capture_logs
from trio.testing import MockClock

from qr.actors.current import Current
from qr.actors.image import Image, read_image
from qr.actors.journal import Journal
from qr.actors.recorder import INTERVAL
from qr.clock import CHECK_INTERVAL, STEP, VirtualClock
from qr.settings import Settings
from qr.system import House
from tests.actors.house import DAY, NOW, Memory
from tests.chaos.accounts import ACCOUNTS, STEADY, Accounts
from tests.chaos.agents import Agents
from tests.chaos.disk import Disk
from tests.chaos.ledger import Ledger
from tests.chaos.mishaps import MISHAPS, Mishaps, account_lives
from tests.chaos.outcome import Outcome
from tests.chaos.standing_still import passes, quiet

__all__ = ["run_virtual"]

# How often each deed is done, relative to the mishaps.
DEEDS = {
    "ask": 60,
    "burst": 4,
    "report": 12,
    "list_accounts": 1,
    "a_moment": 10,
    "a_pause": 6,
    "a_long_pause": 0.3,
    "crash": 0.4,
    "stop": 0.3,
}

# Ends of a life.
ENDS = ("crash", "stop")

# How often nothing but the clock goes wrong until all have noticed that it was set, and how often a crash
# comes just after the death of the recorder.
IN_PEACE, UNWRITTEN = 0.5, 0.5

# Seconds, less than the recorder waits between two writes.
A_BIT = 0.1

# Seconds. The pauses of an actor that kept dying end by then.
LONGEST_PAUSE = 31.0

# Seconds. A step of the clock is noticed by one actor, passed on by another, and taken in by a third. While
# one of them is missing the evidence lies in the future, which counts as infinitely old.
NOTICED_WITHIN = CHECK_INTERVAL + 3 * LONGEST_PAUSE


@define(eq=False)
class Storm:
    """One storm: some lives of the service after each other."""

    picks: int
    settings: Settings
    mock: MockClock
    chance: Random
    clock: VirtualClock = field(factory=lambda: VirtualClock(NOW))
    ledger: Ledger = field(factory=lambda: Ledger(frozenset(ACCOUNTS)))
    disk: Disk = field(factory=lambda: Disk(INTERVAL, trio.current_time))
    accounts: Accounts = field(init=False)
    mishaps: Mishaps = field(init=False)
    agents: Agents = field(init=False)
    house: House = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.accounts = Accounts(self.clock, self.chance)
        self.agents = Agents(self.chance, self.ledger)
        self.mishaps = Mishaps(self.chance, self.clock, self.accounts, self.ledger, self.disk)

    async def rage(self) -> None:
        """Live and crash until so many picks were asked; then look back."""
        store = Memory()
        end = ""
        while end != "over":
            async with trio.open_nursery() as nursery:
                await nursery.start(self._born(store).run)
                end = await self._live()
                if end == "over":
                    await self._look_back(store)
                left = _what_is_left(store)
                nursery.cancel_scope.cancel()
            store = _what_is_left(store) if end == "stop" else left

    def _born(self, store: Memory) -> House:
        image = read_image(store.images[-1]) if store.images else Image()
        current, journal = Current(self.settings), Journal(image)
        self.house = House(
            current, self.settings, self.clock, store, journal, [], seed=1, ask=self.accounts.poll
        )
        self.mishaps.house, self.mishaps.store = self.house, store
        self.agents.door = self.house.door
        self.disk.watch_anew()
        return self.house

    async def _live(self) -> str:
        """How the life ended: in a `crash` or a `stop`, or because the storm is `over`."""
        kinds = {**DEEDS, **MISHAPS}
        await self._list_accounts()
        while self.agents.asked < self.picks:
            (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
            if kind in ENDS:
                await self._end(kind)
                return kind
            await self._do(kind)
            self.disk.watch(self.house.lives["recorder"])
        return "over"

    async def _end(self, kind: str) -> None:
        for _ in range(2):
            # The second one finds a recorder that has just written.
            await self.agents.burst()
            await passes(A_BIT, self.mock)
        self.disk.watch(self.house.lives["recorder"])
        if kind == "crash" and self.chance.random() < UNWRITTEN:
            await self._recorder_keeps_dying()
        self.mishaps.counts[kind] += 1
        self.disk.watch(self.house.lives["recorder"])
        horizon = self.disk.horizon(orderly=kind == "stop")
        self.ledger.ended(horizon)
        if min(horizon, trio.current_time()) - self.mishaps.set_at <= NOTICED_WITHIN:
            self.accounts.forget_ages()

    async def _recorder_keeps_dying(self) -> None:
        """Until no other one follows at once: what it had not written yet must be in its last word."""
        recorder = self.house.lives["recorder"]
        while recorder.alive:
            await self.agents.burst()
            await passes(A_BIT, self.mock)
            recorder.kill()
            await quiet()
            self.disk.watch(recorder)

    async def _do(self, kind: str) -> None:
        if kind not in MISHAPS:
            return await getattr(self, f"_{kind}")()
        self.mishaps.strike(kind)
        if kind == "clock_is_set" and self.chance.random() < IN_PEACE:
            await passes(NOTICED_WITHIN + STEP, self.mock)
            self._look_at_ages()
        return None

    async def _ask(self) -> None:
        await self.agents.ask()

    async def _burst(self) -> None:
        await self.agents.burst()

    async def _report(self) -> None:
        name = self.chance.choice(ACCOUNTS)
        if name in STEADY or (name not in self.accounts.revoked and self.chance.random() < 0.5):
            self.accounts.serve(name, self.house.door)

    async def _list_accounts(self) -> None:
        self.house.door.tell(self.accounts.listing())

    async def _a_moment(self) -> None:
        """Not long enough for everything that was begun."""
        for _ in range(self.chance.randrange(6)):
            await trio.lowlevel.checkpoint()

    async def _a_pause(self) -> None:
        await passes(self.chance.expovariate(1.0), self.mock)
        if trio.current_time() - self.mishaps.set_at > NOTICED_WITHIN:
            self._look_at_ages()

    def _look_at_ages(self) -> None:
        wrongs = (self.accounts.too_fresh(view, STEP) for view in self.house.supervisor.fleet)
        self.ledger.violations.extend(filter(None, wrongs))

    async def _a_long_pause(self) -> None:
        await passes(self.chance.uniform(60, 1200), self.mock)

    async def _look_back(self, store: Memory) -> None:
        """Everybody lives, every session is at home, and the state says so."""
        self.mishaps.end()
        await passes(NOTICED_WITHIN, self.mock)
        for name in ACCOUNTS:
            self.accounts.serve(name, self.house.door)
        await passes(LONGEST_PAUSE, self.mock)
        lives = (*self.house.lives.values(), *account_lives(self.house))
        dead = [life.name for life in lives if not life.alive]
        self._hold(not dead, f"{dead} do not live")
        self._hold(len(account_lives(self.house)) == len(ACCOUNTS), "accounts are missing")
        for name in ACCOUNTS:
            self._hold(await self.agents.is_served_by(name), f"{name} is not in use again")
        await self.agents.come_home()
        await passes(2 * INTERVAL, self.mock)
        table = self.house.supervisor.sessions.bound
        bound = {name: table.get(*name) for name in table.names()}
        self._hold(bound == self.house.journal.bindings, "the journal is not what the supervisor says")
        written = read_image(store.images[-1]).bindings
        self._hold(written == bound, "the state is not what the supervisor says")

    def _hold(self, holds: bool, violation: str) -> None:
        if not holds:
            self.ledger.violations.append(violation)


def _what_is_left(store: Memory) -> Memory:
    """After a crash: the last image, and the disk as it was."""
    left = Memory()
    left.images = store.images[-1:]
    left.failure = store.failure
    return left


def run_virtual(seed: int, picks: int, place: Path) -> Outcome:
    """One storm of *picks* picks; nothing is written, but the settings name *place*."""
    mock = MockClock()

    async def run() -> Outcome:
        settings = Settings(state_dir=place, binding_ttl=30 * DAY)
        storm = Storm(picks, settings, mock, Random(f"virtual {seed}"))
        await storm.rage()
        return Outcome(
            name="under a virtual clock",
            seed=seed,
            asked=storm.agents.asked,
            handled=storm.agents.handled,
            longest=storm.agents.longest,
            lived=trio.current_time(),
            faults=storm.mishaps.counts,
            answers=storm.ledger.counts,
            violations=storm.ledger.violations,
        )

    with capture_logs():
        return trio.run(run, clock=mock)
