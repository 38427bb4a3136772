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

from qr.actors.account_state import Entry
from qr.actors.current import Current
from qr.actors.image import read_image
from qr.actors.journal import Journal
from qr.actors.messages import Listing
from qr.actors.recorder import INTERVAL
from qr.clock import CHECK_INTERVAL, STEP, VirtualClock
from qr.routing.question import Question
from qr.routing.request import Attributes, Candidate, Offer
from qr.settings import Settings
from qr.system import House
from tests.actors.house import NOW, Memory
from tests.chaos.accounts import ACCOUNTS, MODEL, STEADY, Accounts
from tests.chaos.disk import Disk
from tests.chaos.ledger import Ledger
from tests.chaos.mishaps import MISHAPS, Mishaps, account_lives
from tests.chaos.outcome import Outcome
from tests.chaos.standing_still import passes

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
    "crash": 0.3,
}

SESSIONS = 150

# How often some accounts are left out of an offer, as when a request has tried them already.
LEFT_OUT = 0.15

# Requests that are under way at a time in a burst.
BURST = 20

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
    house: House = field(init=False)
    asked: int = 0
    handled: int = 0
    longest: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.accounts = Accounts(self.clock, self.chance)
        self.mishaps = Mishaps(self.chance, self.clock, self.accounts, self.ledger, self.disk)

    async def rage(self) -> None:
        """Live and crash until so many picks were asked; then look back."""
        store = Memory()
        while True:
            async with trio.open_nursery() as nursery:
                await nursery.start(self._born(store).run)
                crashed = await self._live()
                if not crashed:
                    await self._look_back(store)
                store = _what_is_left(store)
                nursery.cancel_scope.cancel()
            if not crashed:
                return

    def _born(self, store: Memory) -> House:
        image = read_image(store.images[-1]) if store.images else None
        current, journal = Current(self.settings), Journal(image)
        self.house = House(
            current, self.settings, self.clock, store, journal, [], seed=1, ask=self.accounts.poll
        )
        self.mishaps.house, self.mishaps.store = self.house, store
        return self.house

    async def _live(self) -> bool:
        """True: the life ended in a crash."""
        kinds = {**DEEDS, **MISHAPS}
        await self._list_accounts()
        while self.asked < self.picks:
            (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
            if kind == "crash":
                self.mishaps.counts[kind] += 1
                self.ledger.ended(self.disk.horizon(orderly=False))
                return True
            if kind in MISHAPS:
                self.mishaps.strike(kind)
            else:
                await getattr(self, f"_{kind}")()
        return False

    async def _ask(self) -> None:
        names = list(ACCOUNTS)
        if self.chance.random() < LEFT_OUT:
            names = self.chance.sample(ACCOUNTS, self.chance.randint(1, len(ACCOUNTS)))
        await self._pick(f"s{self.chance.randrange(SESSIONS)}", names)

    async def _burst(self) -> None:
        """Many at once, each session once."""
        async with trio.open_nursery() as nursery:
            for number in self.chance.sample(range(SESSIONS), BURST):
                nursery.start_soon(self._pick, f"s{number}", list(ACCOUNTS))

    async def _pick(self, session: str, names: list[str]) -> str | None:
        candidates = tuple(Candidate(name, "claude", 0, Attributes("oauth")) for name in names)
        self.asked += 1
        life, began = self.ledger.life, trio.current_time()
        decision = await self.house.door.pick(Question(("claude",), MODEL, session, offer=Offer(candidates)))
        self.longest = max(self.longest, trio.current_time() - began)
        if decision is None or decision.account is None:
            return None
        self.handled += 1
        self._hold(decision.account in names, f"{decision.account} was not offered")
        self.ledger.answered(session, decision.account, names, life, trio.current_time())
        return decision.account

    async def _report(self) -> None:
        name = self.chance.choice(ACCOUNTS)
        if name in STEADY or self.chance.random() < 0.5:
            self.accounts.serve(name, self.house.door)

    async def _list_accounts(self) -> None:
        self.house.door.tell(Listing([Entry(name, "claude") for name in ACCOUNTS]))

    async def _a_moment(self) -> None:
        """Not long enough for everything that was begun."""
        for _ in range(self.chance.randrange(6)):
            await trio.lowlevel.checkpoint()

    async def _a_pause(self) -> None:
        await passes(self.chance.expovariate(1.0), self.mock)
        if trio.current_time() - self.mishaps.set_at > NOTICED_WITHIN:
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
        for session in self.ledger.promises:
            self.ledger.at_last(session, await self._pick(session, list(ACCOUNTS)))
        await passes(2 * INTERVAL, self.mock)
        bound = {(provider, key): binding for provider, key, binding in self.house.supervisor.sessions.bound}
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
        storm = Storm(picks, Settings(state_dir=place), mock, Random(f"virtual {seed}"))
        await storm.rage()
        return Outcome(
            name="under a virtual clock",
            seed=seed,
            asked=storm.asked,
            handled=storm.handled,
            longest=storm.longest,
            lived=trio.current_time(),
            faults=storm.mishaps.counts,
            answers=storm.ledger.counts,
            violations=storm.ledger.violations,
        )

    with capture_logs():
        return trio.run(run, clock=mock)
