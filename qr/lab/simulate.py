"""A week in seconds: the real house in virtual time, on simulated traffic, against simulated providers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import trio
from attrs import asdict, define, evolve, field, frozen
from trio.testing import MockClock

from qr.abi.contract import NOT_HANDLED
from qr.clock import VirtualClock
from qr.lab.builtin import RoundRobin
from qr.lab.events import Events, Violation
from qr.lab.faults import FaultLevel
from qr.lab.fleet import fleet
from qr.lab.host import Attempt, Host, Outcome
from qr.lab.invariants import Invariants
from qr.lab.measures import Measures, Result
from qr.lab.provider import Provider
from qr.lab.timeline import Call, Timeline, Watch
from qr.lab.traffic import Request, traffic
from qr.lab.virtual import UsageEndpoint, repeatable, virtual_house
from qr.quota.windows import DAY
from qr.routing.policies import POLICIES
from qr.routing.rules import Rules
from qr.settings import Settings
from qr.system import House

__all__ = ["BASELINES", "Scenario", "compare", "simulate"]

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


def simulate(scenario: Scenario, progress: Progress = lambda _: None) -> Result:
    """
    Run *scenario*, and say what came of it.

    Raises:
        Violation: an invariant did not hold; its message has the seed and the last events.
        ValueError: there is no such policy.

    """
    if scenario.policy not in (*POLICIES, *BASELINES):
        raise ValueError(f"no such policy: {scenario.policy}; there are {', '.join((*POLICIES, *BASELINES))}")
    with repeatable(scenario.seed):
        mock = MockClock(autojump_threshold=0.0)
        try:
            return trio.run(_run, scenario, mock, progress, clock=mock)
        except BaseExceptionGroup as group:
            raise _alone(group) from None


def compare(policies: Sequence[str], scenario: Scenario, progress: Progress = lambda _: None) -> list[Result]:
    """The same traffic and the same faults under each of *policies*; raises as `simulate`."""
    results: list[Result] = []
    for number, policy in enumerate(policies):
        done = number / len(policies)

        def told(share: float, done: float = done) -> None:
            progress(done + share / len(policies))

        results.append(simulate(evolve(scenario, policy=policy), told))
    return results


async def _run(scenario: Scenario, mock: MockClock, progress: Progress) -> Result:
    left = _left_over()
    clock = VirtualClock(BEGINNING)
    accounts = fleet(scenario.accounts, scenario.seed)
    provider = Provider(accounts, now=BEGINNING, seed=scenario.seed, faults=scenario.faults)
    host = Host(provider, scenario.seed, BASELINES.get(scenario.policy, RoundRobin)())
    run = Run(scenario, host, clock, mock, progress)
    if scenario.policy in BASELINES:
        await run.alone()
    else:
        await run.with_house()
    if _left_over() != left:
        raise run.events.violated("something was left over after the shutdown")
    return run.result()


def _alone(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The violation that ended a run; without one, all that did."""
    found: BaseException | None = group.subgroup(Violation)
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return group if found is None else found


def _left_over() -> tuple[int, int]:
    """Tasks that live, and files and sockets that are open."""
    descriptors = Path("/proc/self/fd")
    files = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    return trio.lowlevel.current_statistics().tasks_living, files


@define(eq=False)
class Run(Watch):
    """One run under way: who does what, and who looks on."""

    scenario: Scenario
    host: Host
    clock: VirtualClock
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

    async def alone(self) -> None:
        """The host without a plugin."""
        await self._serve(_not_handled)

    async def with_house(self) -> None:
        """The host, and the house behind the plugin."""
        settings = Settings(rules=Rules(policy=self.scenario.policy))
        endpoint = UsageEndpoint(self.host, self.clock, self._polled)
        self.house = house = virtual_house(settings, self.host, endpoint, self.scenario.seed)
        self.invariants = Invariants(house, self.events)
        self.host.provider.on_told = self.invariants.told
        async with trio.open_nursery() as nursery:
            await nursery.start(house.run)
            await self._serve(house.calls.answer)
            nursery.cancel_scope.cancel()

    async def _serve(self, call: Call) -> None:
        scenario, timeline = self.scenario, Timeline(self.host, call, self.clock, self.mock, self)
        requests = traffic(scenario.sessions, start=BEGINNING, seconds=scenario.seconds, seed=scenario.seed)
        await timeline.run(requests, BEGINNING + scenario.seconds)

    def settled(self, now: float) -> None:
        if self.invariants is not None:
            self.invariants.settled(now)
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
        self.events.add(self.clock.now(), f"{account} polled {status}")
        if self.invariants is not None:
            self.invariants.polled(account, self.clock.now())

    def result(self) -> Result:
        """Once it is over."""
        return self.measures.result(
            asdict(self.scenario),
            seconds=self.scenario.seconds,
            events=self.events.count,
            digest=self.events.digest,
        )


async def _not_handled(method: str, body: bytes) -> bytes:  # noqa: ARG001 - a plugin's interface
    return NOT_HANDLED
