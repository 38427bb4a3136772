"""The table, and the same as JSON."""

import os
import platform
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from attrs import frozen

from benchmarks.measuring import Result
from benchmarks.targets import Verdict, verdicts

__all__ = ["Machine", "Report", "heading", "line", "machine", "summary", "to_json"]

HERE = Path(__file__).parent

COLUMNS = (
    f"{'scenario':16}{'picks/s':>9}{'CPU µs':>8}{'p50 µs':>9}{'p99':>9}{'p99.9':>9}{'max':>10}"
    f"{'floor p50':>11}{'p50 ratio':>11}{'p99 ratio':>11}{'handled':>9}{'lag ms':>8}{'first ms':>9}"
    f"{'CPU ms':>7}{'MB':>6}"
)


@frozen
class Machine:
    """Where and of what the figures are."""

    processor: str
    cores: int
    kernel: str
    python: str
    load: float
    """Average of the minute before: above some tenths the times are worth little."""
    commit: str
    at: str

    def __str__(self) -> str:
        return (
            f"{self.processor}, {self.cores} cores, {self.kernel}, Python {self.python}, "
            f"load {self.load:.1f}; commit {self.commit}; {self.at}"
        )


def machine() -> Machine:
    """This one, now."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 0,
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
        commit=_commit(),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _commit() -> str:
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


@frozen
class Report:
    """All of one run."""

    machine: Machine
    results: Sequence[Result]

    @property
    def verdicts(self) -> list[Verdict]:
        return list(verdicts({result.scenario.name: result for result in self.results}))


def heading() -> str:
    return f"{COLUMNS}\n{'-' * len(COLUMNS)}"


def line(result: Result) -> str:
    """One scenario's line of the table."""
    cost = result.service
    picks = (
        f"{cost.per_second:9,.0f}{cost.cpu_per_pick:8.1f}{cost.p50:9.0f}{cost.p99:9.0f}{cost.p99_9:9.0f}"
        f"{cost.maximum:10.0f}{_over_floor(result)}{cost.handled_share:9.1%}"
    )
    if result.scenario.idle:
        picks = f"{f'{cost.cpu_share:.2%} of a core':>{len(picks)}}"
    return (
        f"{result.scenario.name:16}{picks}{result.worst_lag_ms:8.1f}{result.first_pick_ms:9.0f}"
        f"{result.first_pick_cpu_ms:7.0f}{result.resident_mb:6.0f}"
    )


def _over_floor(result: Result) -> str:
    floor = result.floor.p50 if result.floor else 0.0
    return f"{floor:11.0f}{result.ratio('p50') or 0.0:11.1f}{result.ratio('p99') or 0.0:11.1f}"


def summary(report: Report) -> str:
    """The targets, and what became of them."""
    return "\n".join(_judged(report.verdicts))


def _judged(found: Sequence[Verdict]) -> Iterator[str]:
    for verdict in found:
        sign = "≥" if verdict.at_least else "≤"
        told = f"{verdict.value:10,.3g} {sign} {verdict.bound:<8,g} {verdict.unit}"
        yield f"{'met   ' if verdict.met else 'missed'} {verdict.text:52}{told}"


def to_json(report: Report) -> bytes:
    """For comparison with other runs; times are microseconds unless a name says otherwise."""
    told = {"machine": report.machine, "results": report.results, "targets": report.verdicts}
    return msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n"
