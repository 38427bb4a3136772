"""What is aimed at, at 50 candidates unless a name says otherwise; ratios of one run wherever possible."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import frozen

from benchmarks.measuring import Result

__all__ = ["TARGETS", "Target", "Verdict", "verdicts"]

Results = Mapping[str, Result]

# What "does not show" means: two runs of the same differ by some percent on a quiet machine.
UNSEEN = 1.1


@frozen
class Target:
    """A figure, and its bound."""

    text: str
    unit: str
    bound: float
    needs: Sequence[str]
    """Scenarios."""
    figure: Callable[[Results], float | None]
    at_least: bool = False

    def holds(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


@frozen
class Verdict:
    """A target and what was measured."""

    text: str
    unit: str
    bound: float
    at_least: bool
    value: float
    met: bool


def verdicts(results: Results) -> Iterator[Verdict]:
    """Of each target whose scenarios were run."""
    for target in TARGETS:
        if all(name in results for name in target.needs):
            value = target.figure(results)
            if value is not None:
                met = target.holds(value)
                yield Verdict(target.text, target.unit, target.bound, target.at_least, value, met)


def _cost(text: str, unit: str, bound: float, name: str, figure: str, *, at_least: bool = False) -> Target:
    def value(results: Results) -> float | None:
        found: float = getattr(results[name].service, figure)
        return found

    return Target(text, unit, bound, (name,), value, at_least)


def _over_floor(text: str, bound: float, name: str, figure: str) -> Target:
    return Target(text, "x", bound, (name,), lambda results: results[name].ratio(figure))


def _unseen(text: str, many: str, few: str) -> Target:
    def value(results: Results) -> float | None:
        return results[many].service.p50 / results[few].service.p50

    return Target(text, "x", UNSEEN, (many, few), value)


def _of_process(text: str, unit: str, bound: float, name: str, figure: str) -> Target:
    def value(results: Results) -> float | None:
        found: float = getattr(results[name], figure)
        return found

    return Target(text, unit, bound, (name,), value)


def _handled(results: Results) -> float | None:
    """Of the scenario with the fewest. A service that misses its deadline is fast by not being asked."""
    asked = [result.service.handled_share for result in results.values() if not result.scenario.idle]
    return min(asked, default=None)


def _growth(results: Results) -> float:
    """Microseconds for each candidate more."""
    many, few = results["closed-1x200"], results["closed-1x10"]
    more = many.scenario.candidates - few.scenario.candidates
    return (many.service.cpu_per_pick - few.service.cpu_per_pick) / more


TARGETS: Sequence[Target] = (
    Target("picks handled, in every scenario", "", 1.0, (), _handled, at_least=True),
    _cost("CPU of a pick, one thread", "µs", 75, "closed-1x50", "cpu_per_pick"),
    _cost("picks a second, saturated", "/s", 13_000, "closed-16x50", "per_second", at_least=True),
    _over_floor("p50 to the floor, one thread", 2, "closed-1x50", "p50"),
    _over_floor("p99 to the floor, one thread", 4, "closed-1x50", "p99"),
    _cost("p99 at 1,000/s with 3 pages and state writes", "µs", 1_500, "everything", "p99"),
    _cost("maximum at 1,000/s with 3 pages and state writes", "µs", 10_000, "everything", "maximum"),
    Target("CPU of each candidate more", "µs", 0.6, ("closed-1x10", "closed-1x200"), _growth),
    _unseen("p50 with 1,000 accounts to that with 10", "accounts-1000", "accounts-10"),
    _unseen("p50 with 100,000 bindings to that with 1,000", "bindings-100000", "closed-1x50"),
    _unseen("p50 with 50 pages to that with none", "pages-50", "open-1000x50"),
    _of_process("memory, 1,000 accounts and 100,000 bindings", "MB", 200, "large", "resident_mb"),
    _of_process("memory, 20 accounts, idle", "MB", 75, "idle", "resident_mb"),
    _of_process("memory, 20 accounts, after ten seconds at 1,000/s", "MB", 75, "open-1000x10", "resident_mb"),
    _of_process("first pick, 20 accounts", "ms", 1000, "idle", "first_pick_ms"),
    _of_process("first pick, 1,000 accounts and 100,000 bindings", "ms", 1000, "large", "first_pick_ms"),
    _cost("idle with 20 accounts, of one core", "", 0.005, "idle", "cpu_share"),
)
