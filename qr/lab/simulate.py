"""A week in seconds: simulated agents and providers around the real house, once or under several policies."""

from collections.abc import Iterator, MutableSequence, Sequence
from multiprocessing import cpu_count, get_context
from multiprocessing.pool import AsyncResult

from attrs import asdict, evolve

from qr import logs
from qr.lab.fleet import fleet
from qr.lab.half import BASELINES, Progress, Scenario, run_half
from qr.lab.measures import Figures, Result, together
from qr.quota.windows import HOUR
from qr.routing.policies import POLICIES

__all__ = ["BASELINES", "Progress", "Scenario", "compare", "simulate"]

# Seconds between two looks at how far the other processes are.
LOOK_EVERY = 0.2

Half = tuple[int, Scenario, str]
"""Its place among all halves, what is run, and whose half it is."""


def simulate(
    scenario: Scenario, progress: Progress = lambda _: None, *, processes: int | None = None
) -> Result:
    """
    Run *scenario*, and say what came of it.

    Args:
        scenario: what is simulated.
        progress: told now and then how much is done, 0 to 1.
        processes: how many may run side by side; None: one for each processor. It changes no result.

    Raises:
        Violation: an invariant did not hold; its message has the seed and the last events.
        ValueError: there is no such policy.

    """
    return compare([scenario.policy], scenario, progress, processes=processes)[0]


def compare(
    policies: Sequence[str],
    scenario: Scenario,
    progress: Progress = lambda _: None,
    *,
    processes: int | None = None,
) -> list[Result]:
    """The same traffic and the same faults under each of *policies*; otherwise as `simulate`."""
    for policy in policies:
        if policy not in (*POLICIES, *BASELINES):
            known = ", ".join((*POLICIES, *BASELINES))
            raise ValueError(f"no such policy: {policy}; there are {known}")
    scenarios = [evolve(scenario, policy=policy) for policy in policies]
    providers = sorted({account.provider for account in fleet(scenario.accounts, scenario.seed)})
    pairs = [(one, provider) for one in scenarios for provider in providers]
    halves = [(place, *pair) for place, pair in enumerate(pairs)]
    several = min(processes or cpu_count(), len(halves)) > 1
    figures = _side_by_side(halves, progress, processes) if several else _one_by_one(halves, progress)
    own = zip(*[iter(figures)] * len(providers), strict=True)
    hours = scenario.accounts * scenario.seconds / HOUR
    return [together(asdict(one), parts, hours) for one, parts in zip(scenarios, own, strict=True)]


def _one_by_one(halves: Sequence[Half], progress: Progress) -> list[Figures]:
    figures = []
    for place, scenario, provider in halves:

        def told(share: float, place: int = place) -> None:
            progress((place + share) / len(halves))

        figures.append(run_half(scenario, provider, told))
    return figures


def _side_by_side(halves: Sequence[Half], progress: Progress, processes: int | None) -> list[Figures]:
    # Started afresh: a copy of a process with threads in it is not to be trusted.
    context = get_context("spawn")
    shares = context.Array("d", len(halves))
    with context.Pool(processes, _share, (shares,)) as pool:
        running = [pool.apply_async(_half, (half,)) for half in halves]
        for one in _unfinished(running):
            one.wait(LOOK_EVERY)
            progress(sum(shares[:]) / len(halves))
        return [one.get() for one in running]


def _unfinished(running: Sequence["AsyncResult[Figures]"]) -> Iterator["AsyncResult[Figures]"]:
    """One that still runs, as long as there is any; raises what ended another."""
    while True:
        for one in running:
            if one.ready():
                one.get()
        waiting = next((one for one in running if not one.ready()), None)
        if waiting is None:
            return
        yield waiting


_shares: MutableSequence[float]
"""In each process of the pool: where it tells how far its halves are."""


def _share(shares: MutableSequence[float]) -> None:
    global _shares  # noqa: PLW0603 - the way in which a pool's processes are given anything
    _shares = shares
    # What the simulated house logs is nobody's concern, and standard output is the results'.
    logs.configure("error")


def _half(half: Half) -> Figures:
    place, scenario, provider = half

    def told(share: float) -> None:
        _shares[place] = share

    return run_half(scenario, provider, told)
