"""One provider's half of a simulated run: the real house in virtual time, and who looks on.

The providers share nothing but the host: no session, no account, no window. So each half has a host and a
house of its own, and the halves can run side by side.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from threading import active_count

import trio
from attrs import define, field, frozen
from trio.testing import MockClock

from qr.abi.contract import NOT_HANDLED
from qr.clock import VirtualClock
from qr.lab.builtin import RoundRobin
from qr.lab.events import Events, Violation
from qr.lab.faults import FaultLevel
from qr.lab.fleet import fleet
from qr.lab.host import Attempt, Host, Outcome
from qr.lab.invariants import Invariants
from qr.lab.machine import MachineClock, Setting, settings_of
from qr.lab.measures import Figures, Measures
from qr.lab.provider import Provider
from qr.lab.timeline import Call, Timeline, Watch
from qr.lab.traffic import Request, traffic
from qr.lab.virtual import UsageEndpoint, repeatable, virtual_house
from qr.quota.windows import DAY
from qr.routing.rules import Rules
from qr.settings import Settings
from qr.system import House

__all__ = ["BASELINES", "Progress", "Scenario", "run_half"]

# What the host does without us, and the plainest thing that anybody would do.
BASELINES: Mapping[str, Callable[[], RoundRobin]] = {
    "host_default": RoundRobin,
    "round_robin": partial(RoundRobin, tiers=False),
}

# A Monday, eight o'clock UTC: work begins.
BEGINNING = 1_788_768_000.0

Progress = Callable[[float], None]
"""Told now and then how much of a run is done, 0 to 1."""

# So many times in a run.
TELLINGS = 200

# Objects between two collections of garbage: a run leaves hardly any cycles, and to look for them more often
# takes a tenth of its time.
COLLECT_EVERY = 100_000


@frozen
class Scenario:
    """What is simulated; the same scenario gives the same run, event for event."""

    days: float = 7.0
    accounts: int = 20
    sessions: int = 400
    policy: str = "reset_first"
    """One of the router's, or one of `BASELINES`."""
    seed: int = 7
    faults: FaultLevel = "some"

    @property
    def seconds(self) -> float:
        return self.days * DAY


def run_half(scenario: Scenario, provider: str, progress: Progress = lambda _: None) -> Figures:
    """
    Run *provider*'s half of *scenario*.

    Raises:
        Violation: an invariant did not hold; its message has the seed and the last events.

    """
    with repeatable(scenario.seed), _seldom_collecting():
        mock = MockClock(autojump_threshold=0.0)
        try:
            return trio.run(_run, scenario, provider, mock, progress, clock=mock)
        except BaseExceptionGroup as group:
            raise _alone(group) from None


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    usual = gc.get_threshold()
    gc.set_threshold(COLLECT_EVERY, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


async def _run(scenario: Scenario, provider: str, mock: MockClock, progress: Progress) -> Figures:
    left = _left_over()
    clock = VirtualClock(BEGINNING)
    accounts = [one for one in fleet(scenario.accounts, scenario.seed) if one.provider == provider]
    simulated = Provider(accounts, now=BEGINNING, seed=scenario.seed, faults=scenario.faults)
    host = Host(simulated, scenario.seed, BASELINES.get(scenario.policy, RoundRobin)())
    run = Run(scenario, provider, host, MachineClock(clock), mock, progress)
    if scenario.policy in BASELINES:
        await run.alone()
    else:
        await run.with_house()
    if remains := _left_over() - left:
        raise run.events.violated(f"something was left over after the shutdown: {dict(remains)}")
    return run.measures.figures(events=run.events.count, digest=run.events.digest)


def _alone(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The violation that ended a run; without one, all that did."""
    found: BaseException | None = group.subgroup(Violation)
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return group if found is None else found


def _left_over() -> Counter[str]:
    """What a house must take down with it, counted. Sockets, pipes and the like are files too."""
    descriptors = Path("/proc/self/fd")
    statistics = trio.lowlevel.current_statistics()
    return Counter(
        {
            "tasks": statistics.tasks_living,
            "deadlines": int(statistics.seconds_to_next_deadline < inf),
            "calls from threads": statistics.run_sync_soon_queue_size,
            "threads": active_count(),
            "files": len(list(descriptors.iterdir())) if descriptors.exists() else 0,
        }
    )


@define(eq=False)
class Run(Watch):
    """A half under way: who does what, and who looks on."""

    scenario: Scenario
    provider: str
    host: Host
    machine: MachineClock
    mock: MockClock
    progress: Progress
    events: Events = field(init=False)
    measures: Measures = field(init=False)
    invariants: Invariants | None = None
    house: House | None = None
    _told: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.events = Events(self.scenario.seed)
        self.measures = Measures(self.host.provider)
        self.host.on_attempt = self._attempted
        self.host.shown = self.machine.shown

    @property
    def world(self) -> VirtualClock:
        return self.machine.world

    async def alone(self) -> None:
        """The host without a plugin."""
        await self._serve(_not_handled)

    async def with_house(self) -> None:
        """The host, and the house behind the plugin."""
        settings = Settings(rules=Rules(policy=self.scenario.policy))
        endpoint = UsageEndpoint(self.host, self.machine, self._polled)
        self.house = house = virtual_house(settings, self.host, endpoint, self.scenario.seed)
        self.invariants = Invariants(house, self.events, self.machine)
        self.host.provider.on_told = self.invariants.told
        async with trio.open_nursery() as nursery:
            await nursery.start(house.run)
            nursery.start_soon(self.machine.follow, self._clock_settings(), self._clock_set)
            await self._serve(house.calls.answer)
            self.invariants.sweep()
            nursery.cancel_scope.cancel()

    async def _serve(self, call: Call) -> None:
        scenario, timeline = self.scenario, Timeline(self.host, call, self.world, self.mock, self)
        everything = traffic(scenario.sessions, start=BEGINNING, seconds=scenario.seconds, seed=scenario.seed)
        own = (request for request in everything if request.provider == self.provider)
        await timeline.run(own, BEGINNING + scenario.seconds)

    def settled(self, now: float) -> None:
        if self.invariants is not None:
            self.invariants.settled()
        share = (now - BEGINNING) / self.scenario.seconds
        if share - self._told > 1 / TELLINGS:
            self._told = share
            self.progress(min(share, 1.0))

    def picking(self, now: float) -> None:  # noqa: ARG002 - as in Watch
        if self.invariants is not None:
            self.invariants.picking()

    def picked(self, request: Request, now: float) -> None:
        if self.house is None or self.invariants is None:
            return
        numbered = self.house.decisions.get(self.house.decisions.count)
        if numbered is not None:
            decision = numbered.decision
            self.events.add(now, f"{request.names.thread} {decision.reason} {decision.account}")
            self.invariants.decided(decision)

    def ended(self, outcome: Outcome) -> None:
        self.measures.ended(outcome)
        if outcome.fault is not None:
            raise self.events.violated(f"the plugin failed a request with {outcome.fault}")

    def _attempted(self, request: Request, attempt: Attempt) -> None:
        self.measures.attempted(request, attempt)
        self.events.add(attempt.at, f"{attempt.account} {attempt.answer.status} {attempt.answer.tokens}")

    def _polled(self, account: str, status: int) -> None:
        self.measures.polls += 1
        now = self.world.now()
        self.events.add(now, f"{account} polled {status}")
        if self.invariants is not None:
            self.invariants.polled(account, now)

    def _clock_settings(self) -> Iterator[Setting]:
        scenario, rate = self.scenario, self.host.provider.faults.clock_settings
        return settings_of(scenario.seed, rate, BEGINNING, scenario.seconds)

    def _clock_set(self, seconds: float) -> None:
        self.events.add(self.world.now(), f"the machine's clock was set by {seconds:.1f}")


async def _not_handled(method: str, body: bytes) -> bytes:  # noqa: ARG001 - a plugin's interface
    return NOT_HANDLED
