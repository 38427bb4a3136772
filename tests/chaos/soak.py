"""Storm after storm for a given time, each with a seed and a process of its own."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Lock

from attrs import define, field

from tests.chaos.outcome import Outcome

__all__ = ["Soak"]

# Of so many storms one goes over the whole chain; the others are under a virtual clock, and ten times faster.
CHAIN_EVERY = 4

PICKS = {"chain": 2000, "virtual": 3000}

# Seconds. A storm that is not over by then hangs.
HANGS = 300.0


@define(eq=False)
class Soak:
    """The sum of all storms."""

    first: int
    """The seed of the first storm; the others count on from it."""
    seconds: float
    """No storm begins after so many."""
    jobs: int
    """Storms at a time."""
    counts: Counter[str] = field(factory=Counter)
    faults: Counter[str] = field(factory=Counter)
    failures: list[str] = field(factory=list)
    """What went wrong, with the command that repeats it."""
    _seeds: Iterator[int] = field(init=False)
    _turn: Lock = field(factory=Lock)

    def run(self) -> None:
        self._seeds = count(self.first)
        end = time.monotonic() + self.seconds
        with ThreadPoolExecutor(self.jobs) as pool:
            for work in [pool.submit(self._work, end) for _ in range(self.jobs)]:
                work.result()

    def _work(self, end: float) -> None:
        while time.monotonic() < end:
            with self._turn:
                seed = next(self._seeds)
            self._storm("virtual" if seed % CHAIN_EVERY else "chain", seed)

    def _storm(self, kind: str, seed: int) -> None:
        given = [kind, "--seed", str(seed), "--picks", str(PICKS[kind])]
        command = [sys.executable, "-m", "tests.chaos", *given]
        try:
            done = subprocess.run(
                [*command, "--json"], check=False, capture_output=True, text=True, timeout=HANGS
            )
        except subprocess.TimeoutExpired:
            return self._take(None, given, f"not over within {HANGS:g} s")
        try:
            outcome = Outcome(**json.loads(done.stdout))
        except (ValueError, TypeError):
            return self._take(None, given, done.stderr.strip().rpartition("\n")[2])
        return self._take(outcome, given, "; ".join(outcome.violations[:1]))

    def _take(self, outcome: Outcome | None, given: list[str], wrong: str) -> None:
        with self._turn:
            self.counts["storms"] += 1
            if wrong:
                self.failures.append(f"{wrong}\n    python -m tests.chaos {' '.join(given)}")
            if outcome is not None:
                self.counts["picks"] += outcome.asked
                self.counts["violations"] += len(outcome.violations)
                self.counts[f"{given[0]} seconds"] += round(outcome.lived)
                self.faults.update(outcome.faults)

    def __str__(self) -> str:
        counts, hours = self.counts, self.counts["virtual seconds"] / 3600
        summary = (
            f"{counts['storms']} seeds from {self.first} on: {counts['picks']} picks, "
            f"{hours:.0f} virtual hours, {self.faults.total()} faults injected, "
            f"{counts['violations']} violations, {len(self.failures)} storms failed"
        )
        faults = [f"  {kind}: {times}" for kind, times in self.faults.most_common()]
        return "\n".join([summary, *faults, *(f"FAILED: {failure}" for failure in self.failures)])
