"""One scenario from an empty directory to its figures."""

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import msgspec
from attrs import field, frozen

from benchmarks.filling import Place, fill
from benchmarks.histogram import Histogram
from benchmarks.programs import Peer, Programs, Run, drive, echo, pages, service
from benchmarks.scenarios import Scenario
from qr.web.shapes.service import Health

__all__ = ["Cost", "Result", "measure"]

# Service and floor are measured in turns, so that what the machine does meanwhile meets both.
ROUNDS = 2

# The floor's times scatter less: half as long is enough.
FLOOR_SHARE = 0.5

PERCENTILES = (50.0, 99.0, 99.9)

KILOBYTE, MEGABYTE = 1024, 1_000_000
MICROSECONDS = 1000.0


@frozen
class Cost:
    """What picks cost. Times are microseconds."""

    picks: int
    per_second: float
    handled_share: float
    late: int
    cpu_per_pick: float
    """Of the server, with all that it did besides."""
    cpu_share: float
    """Of one core."""
    p50: float
    p99: float
    p99_9: float
    maximum: float


@frozen
class Result:
    """The figures of one scenario."""

    scenario: Scenario
    service: Cost
    floor: Cost | None
    """None: there is nothing to compare."""
    first_pick_ms: float
    """From the start of the process."""
    first_pick_cpu_ms: float
    """What the process had worked by then; on a quiet machine the two are the same."""
    resident_mb: float
    """At the end."""
    worst_lag_ms: float
    """Of the event loop, in the last minute."""
    state_writes: int
    records: int
    reasons: Mapping[str, int]
    """How often each was given for a pick."""

    def ratio(self, name: str) -> float | None:
        """How many times the floor's *name* (`p50`, `p99` …) this is."""
        floor = getattr(self.floor, name) if self.floor else 0
        return getattr(self.service, name) / floor if floor else None


def measure(scenario: Scenario, made: Programs) -> Result:
    """
    Fill a service, start it, put it under load beside the floor.

    Raises:
        subprocess.CalledProcessError: something did not run; what the service said stands on standard error.

    """
    with tempfile.TemporaryDirectory(prefix="qr-") as directory:
        place = Place(Path(directory))
        fill(place, scenario, time.time())
        try:
            return _Bench(scenario, made, place).result()
        except Exception:
            sys.stderr.write(place.log.read_text())
            raise


@frozen
class _Bench:
    scenario: Scenario
    made: Programs
    place: Place
    runs: dict[int, list[Run]] = field(factory=dict)
    """By process."""

    def result(self) -> Result:
        began_at = time.monotonic_ns()
        with service(self.place, self.made) as served, echo(self.place, self.made) as floor:
            first = self.run(served, 0.0)
            with pages(self.place, self.scenario.pages):
                self.take_turns(served, floor)
            health = _health(self.place)
            return Result(
                scenario=self.scenario,
                service=self.cost(served),
                floor=None if self.scenario.idle else self.cost(floor),
                first_pick_ms=(first.first_pick_at - began_at) / 1e6,
                first_pick_cpu_ms=first.first_pick_cpu / 1e6,
                resident_mb=_resident(served.pid) / MEGABYTE,
                worst_lag_ms=health.loop.worst_seconds * 1000,
                state_writes=health.persistence.writes,
                records=health.host.feedback,
                reasons=health.picks.reasons,
            )

    def take_turns(self, served: Peer, floor: Peer) -> None:
        seconds = self.scenario.seconds / ROUNDS
        for _ in range(ROUNDS):
            self._keep(served, self.run(served, seconds, idle=self.scenario.idle))
            if not self.scenario.idle:
                self._keep(floor, self.run(floor, seconds * FLOOR_SHARE, idle=False))

    def run(self, peer: Peer, seconds: float, *, idle: bool = True) -> Run:
        number = sum(map(len, self.runs.values()))
        return drive(self.made, self.place, self.scenario, peer, seconds=seconds, number=number, idle=idle)

    def _keep(self, peer: Peer, run: Run) -> None:
        self.runs.setdefault(peer.pid, []).append(run)

    def cost(self, peer: Peer) -> Cost:
        runs = self.runs[peer.pid]
        histogram = Histogram()
        for run in runs:
            histogram.add(run.counts, run.longest)
        picks, answered = sum(run.picks for run in runs), sum(run.answered for run in runs)
        elapsed, cpu = sum(run.elapsed for run in runs), sum(run.cpu for run in runs)
        p50, p99, p99_9 = map(histogram.percentile, PERCENTILES)
        return Cost(
            picks=picks,
            per_second=answered / elapsed * 1e9,
            handled_share=sum(run.handled for run in runs) / picks if picks else 0.0,
            late=sum(run.late for run in runs),
            cpu_per_pick=cpu / answered / MICROSECONDS if answered else 0.0,
            cpu_share=cpu / elapsed,
            p50=p50,
            p99=p99,
            p99_9=p99_9,
            maximum=histogram.maximum,
        )


def _health(place: Place) -> Health:
    """What the service says of itself, its canary above all."""
    transport = httpx.HTTPTransport(uds=str(place.owner_socket))
    with httpx.Client(transport=transport, base_url="http://localhost") as client:
        answer = client.get("/api/v1/health")
        answer.raise_for_status()
        return msgspec.json.decode(answer.content, type=Health)


def _resident(pid: int) -> int:
    """Bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * KILOBYTE
