"""What is measured: one value for each line of the table."""

from collections.abc import Sequence

from attrs import evolve, frozen

__all__ = ["FULL", "SHORT", "Scenario", "named"]

# In open loop so many threads wait for arrivals: the library keeps as many connections.
OPEN_THREADS = 64


@frozen
class Scenario:
    """One service, filled, and the load that it is put under."""

    name: str
    threads: int = 1
    rate: float = 0.0
    """Picks a second with random gaps; 0: each thread asks again as soon as it is answered."""
    candidates: int = 50
    accounts: int = 50
    bindings: int = 1000
    fresh_share: float = 0.1
    """Of the picks that are for new sessions: each is a binding more, and a reason to write the state."""
    records_rate: float = 0.0
    """Usage records a second (`usage.handle`)."""
    pages: int = 0
    """Open pages of the live feed."""
    seconds: float = 10.0

    @property
    def idle(self) -> bool:
        return self.threads == 0


def _closed(threads: int, candidates: int, seconds: float = 10.0) -> Scenario:
    name = f"closed-{threads}x{candidates}"
    return Scenario(
        name, threads=threads, candidates=candidates, accounts=max(candidates, 20), seconds=seconds
    )


def _open(rate: int, candidates: int = 50, seconds: float = 10.0) -> Scenario:
    return Scenario(
        f"open-{rate}x{candidates}",
        threads=OPEN_THREADS,
        rate=rate,
        candidates=candidates,
        accounts=max(candidates, 20),
        seconds=seconds,
    )


USUAL = _open(1000)
SINGLE = _closed(1, 50)

SIZES = (10, 50, 200)

FULL: Sequence[Scenario] = (
    *(_closed(threads, size) for threads in (1, 16) for size in SIZES),
    # A hundred a second is three thousand picks in half a minute: enough for a p99.
    *(_open(100, size, 30.0) for size in SIZES),
    *(_open(rate, size) for rate in (1000, 3000) for size in SIZES),
    evolve(USUAL, name="pages-3", pages=3),
    evolve(USUAL, name="pages-50", pages=50),
    evolve(USUAL, name="writes-20000", bindings=20_000),
    *(
        evolve(SINGLE, name=f"accounts-{number}", accounts=number, candidates=10)
        for number in (10, 100, 1000)
    ),
    *(evolve(SINGLE, name=f"bindings-{number}", bindings=number) for number in (100, 20_000, 100_000)),
    evolve(USUAL, name="records-1000", records_rate=1000.0),
    evolve(USUAL, name="everything", pages=3, bindings=20_000, seconds=300.0),
    Scenario("large", threads=0, accounts=1000, bindings=100_000, seconds=10.0),
    Scenario("idle", threads=0, candidates=20, accounts=20, seconds=30.0),
)

# The rest of `FULL` is told by these, on a quiet machine.
CHOSEN = (
    "closed-1x10",
    "closed-1x50",
    "closed-1x200",
    "closed-16x50",
    "accounts-10",
    "accounts-1000",
    "bindings-100000",
    "everything",
    "idle",
)
SHORT_SECONDS = 1.0

SHORT: Sequence[Scenario] = tuple(
    evolve(scenario, seconds=SHORT_SECONDS) for scenario in FULL if scenario.name in CHOSEN
)


def named(names: Sequence[str]) -> list[Scenario]:
    """
    The scenarios with these names, in their order.

    Raises:
        KeyError: there is none of a name.
    """
    known = {scenario.name: scenario for scenario in FULL}
    return [known[name] for name in names]
