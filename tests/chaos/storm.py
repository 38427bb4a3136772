"""
The storm over the whole chain: agents ask through the real library, the service dies in every way meanwhile.

What must hold: no pick errs, none waits longer than its deadline; a session does not move unless its account
is in trouble; a crash forgets no binding older than a second; and after the storm every session is at home,
every actor lives, and nothing is left over.
"""

import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from attrs import define, field

from qr.abi.build import build
from qr.abi.install import install
from tests.abi.host import PATIENCE, eventually
from tests.chaos.cast import ACCOUNTS, CLAUDE, CODEX, MORTAL, SHAKY, accounts_of, model_of, offer
from tests.chaos.faults import plan
from tests.chaos.ledger import Ledger
from tests.chaos.outcome import Outcome
from tests.chaos.plug import Plug
from tests.chaos.service import Service
from tests.chaos.strikes import Strikes
from tests.stories.host import Host
from tests.stories.signals import DAY, HOUR

__all__ = ["run_storm"]

AGENTS = 12

# Sessions of one agent, and how readily it begins one.
SESSIONS, BEGINS = 40, 0.1

# Seconds between two requests of one agent; after a request that the host placed, so many times longer.
THINKS, LONGER = 0.008, 8

# Seconds between two rounds of usage records.
REPORTS = 0.5

# Seconds. The deadline of a pick, and for how long a busy machine of two cores may keep a thread waiting.
DEADLINE, SLACK = 0.25, 0.75

# Seconds. After the storm a clock that was set is noticed within five, a disk tried again after five, a new
# login seen after thirty.
CALM_WITHIN = 45.0

# Of what a service is made when all is well.
LASTING = ("accounts", "tasks", "descriptors", "threads")


@define(eq=False)
class Storm:
    """One storm."""

    seed: int
    picks: int
    host: Host
    service: Service
    plug: Plug
    ledger: Ledger = field(factory=lambda: Ledger(frozenset(ACCOUNTS)))
    strikes: Strikes = field(init=False)
    asked: int = 0
    handled: int = 0
    longest: float = 0.0
    began: float = field(factory=time.monotonic)
    _over: threading.Event = field(factory=threading.Event)
    _turn: threading.Lock = field(factory=threading.Lock)
    """Of the counts."""

    def __attrs_post_init__(self) -> None:
        self.strikes = Strikes(self.host, self.service, self.ledger, self.plug, SHAKY, MORTAL)

    def rage(self) -> None:
        """Have agents ask and faults strike until so many picks were asked."""
        threads = [self._thread(self._agent, number) for number in range(AGENTS)]
        threads.append(self._thread(self._report))
        try:
            for fault in plan(self.seed, self.picks):
                self._wait_for(fault.at)
                self.strikes.strike(fault)
            self._wait_for(self.picks)
        finally:
            self._over.set()
            for thread in threads:
                thread.join()
        self.strikes.relieve()

    def _thread(self, work: Callable[..., None], *given: int) -> threading.Thread:
        def guarded() -> None:
            try:
                work(*given)
            except Exception as error:  # noqa: BLE001 - whatever goes wrong for a client is a violation
                self.ledger.violations.append(f"{type(error).__name__} in a client: {error}")

        thread = threading.Thread(target=guarded)
        thread.start()
        return thread

    def _wait_for(self, picks: int) -> None:
        while self.asked < picks and not self._over.wait(THINKS):
            self.strikes.relieve(self.asked)

    def _agent(self, number: int) -> None:
        chance = Random(f"agent {self.seed} {number}")
        mine: list[str] = []
        while not self._over.is_set() and self.asked < self.picks:
            if not mine or (len(mine) < SESSIONS and chance.random() < BEGINS):
                mine.append(f"agent-{number}-session-{len(mine)}")
            session = chance.choice(mine)
            account = self._ask(session, offer(chance, accounts_of(session)))
            self._over.wait(THINKS if account else THINKS * LONGER)

    def _ask(self, session: str, offered: Sequence[str]) -> str | None:
        life, began = self.ledger.life, time.monotonic()
        account = self.host.session(session).asks(model_of(offered), offered=" ".join(offered))
        ended = time.monotonic()
        with self._turn:
            self.asked += 1
            self.handled += account is not None
            self.longest = max(self.longest, ended - began)
        if ended - began > DEADLINE + SLACK:
            self.ledger.violations.append(f"a pick took {ended - began:.2f} s")
        if account is None:
            self.ledger.unanswered(session, offered)
        else:
            self.ledger.answered(session, account, offered, life, ended)
        return account

    def _report(self) -> None:
        chance = Random(f"reports {self.seed}")
        while not self._over.wait(REPORTS):
            for name in ACCOUNTS:
                if self.strikes.is_well(name):
                    self._served(name, chance)

    def _served(self, name: str, chance: Random) -> None:
        """One usage record, which may be lost, doubled or late."""
        fate = chance.choices(("lost", "doubled", "late", "delivered"), (1, 1, 1, 7))[0]
        for _ in range({"lost": 0, "doubled": 2}.get(fate, 1)):
            self._serves(name, ago=30.0 if fate == "late" else 0.0)

    def _serves(self, name: str, ago: float = 0.0) -> None:
        days = 1 + ACCOUNTS.index(name) / 4
        told = {"five": 30, "five_resets": 4 * HOUR, "week": 30, "week_resets": days * DAY}
        self.host.serves(name, model=model_of([name]), ago=ago, **told)

    def calm(self) -> Mapping[str, Any]:
        """Everybody is well; what the service is made of then."""
        eventually(self._all_well, CALM_WITHIN)
        return eventually(self._quiet, CALM_WITHIN)

    def _all_well(self) -> bool:
        for name in ACCOUNTS:
            self._serves(name)
        nameless = self.host.session(None)
        return all(nameless.asks(model_of([name]), offered=name) for name in ACCOUNTS)

    def _quiet(self) -> Mapping[str, Any] | None:
        condition: Mapping[str, Any] = self.service.order("condition")
        return None if condition["dead"] or condition["problem"] else condition

    def look_back(self, before: Mapping[str, Any]) -> None:
        """After the storm: nothing is left over, and every session is at home, now and after a restart."""
        eventually(self.strikes.clock_is_known, CALM_WITHIN)
        self.calm()
        self._same_as(before)
        self._all_at_home()
        self.strikes.stop_and_start()
        self.calm()
        self._all_at_home()

    def _same_as(self, before: Mapping[str, Any]) -> None:
        """Connections and worker threads end in their own time."""
        after: dict[str, Any] = {}

        def same() -> bool:
            after.update(self.service.order("condition"))
            return all(after[what] == before[what] for what in LASTING)

        with suppress(AssertionError):
            eventually(same, PATIENCE)
        for what in LASTING:
            if after[what] != before[what]:
                self.ledger.violations.append(f"{what}: {before[what]} before, {after[what]} after")

    def _all_at_home(self) -> None:
        for session in self.ledger.promises:
            agent, model = self.host.session(session), model_of(accounts_of(session))
            self.ledger.at_last(session, eventually(partial(agent.asks, model)))

    def outcome(self) -> Outcome:
        bugs = [f"the service logged: {bug}" for bug in self.service.bugs]
        return Outcome(
            name="the whole chain",
            seed=self.seed,
            asked=self.asked,
            handled=self.handled,
            longest=self.longest,
            lived=time.monotonic() - self.began,
            faults=self.strikes.counts,
            answers=self.ledger.counts,
            violations=[*self.ledger.violations, *bugs],
        )


def run_storm(seed: int, picks: int, place: Path) -> Outcome:
    """One storm of *picks* picks in the directory *place*, whose name is short enough for a socket."""
    built = build(out=place / "built")
    library, other = (
        install(place / name, place / "qr.sock", library=built).library for name in ("plugins", "newer")
    )
    service = Service(place)
    try:
        with Host(library, lambda: time.time() + service.ahead, watch_descriptors=False) as host:
            host.has(*CLAUDE)
            host.has(*CODEX, provider="codex")
            host.loaded = plug = Plug(host.loaded, other, host.schema)
            service.start()
            storm = Storm(seed, picks, host, service, plug)
            before = storm.calm()
            storm.rage()
            storm.look_back(before)
            service.end(signal.SIGTERM)
    finally:
        service.abandon()
    return storm.outcome()
