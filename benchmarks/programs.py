"""The programs that are measured with, and the processes of what is measured."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec
from attrs import frozen

from benchmarks.filling import Place
from benchmarks.scenarios import Scenario
from qr.abi.build import BUILT, host_target
from qr.abi.build import build as build_library
from qr.abi.install import install

__all__ = ["Peer", "Programs", "Run", "drive", "echo", "pages", "programs", "service"]

SOURCES = Path(__file__).parent / "native"
ROOT = Path(__file__).parent.parent
DRIVER = ("driver.c", "histogram.c", "load.c", "plugin.c", "text.c")
QR = "from qr.cli import main; main()"

FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-lm", "-lpthread", "-ldl")

# Seconds: a service ends within ten; what the driver is asked for takes as long as it was asked for.
ENDS, SLACK = 15.0, 120.0

# Before counting starts, connections are made and caches filled.
WARMUP = 0.3

# Sessions of one run of the driver are new to the service; no run makes as many.
FRESH_PER_RUN = 100_000_000


@frozen
class Programs:
    """Compiled for this machine."""

    driver: Path
    echo: Path
    library: Path


def programs(out: Path) -> Programs:
    """
    Compile the driver and the floor into *out*; the library is built if it is missing.

    Raises:
        subprocess.CalledProcessError: the compiler refuses.
        BuildError: there is no library for this machine.
    """
    target = host_target()
    library = BUILT / target.file_name
    return Programs(
        _compile(DRIVER, out / "driver"),
        _compile(("echo.c",), out / "echo"),
        library if library.exists() else build_library(target),
    )


def _compile(sources: Sequence[str], program: Path) -> Path:
    gcc = shutil.which("gcc")
    compiler = [gcc] if gcc else [sys.executable, "-m", "ziglang", "cc"]
    files = [str(SOURCES / source) for source in sources]
    subprocess.run([*compiler, *files, *FLAGS, "-o", str(program)], check=True)
    return program


@frozen
class Peer:
    """Somebody who answers on a socket, and the library that was installed for it."""

    pid: int
    library: Path


@contextmanager
def service(place: Place, made: Programs) -> Iterator[Peer]:
    """`qr serve` in a process of its own."""
    command = [sys.executable, "-c", QR, "serve", "--settings", str(place.settings)]
    with place.log.open("wb") as log, _running(command, stderr=log) as process:
        yield Peer(process.pid, _installed(place.directory / "plugins", place.socket, made))


@contextmanager
def echo(place: Place, made: Programs) -> Iterator[Peer]:
    """The floor: a C server that answers every pick with the same account."""
    path = place.directory / "echo.sock"
    answer = '{"ok":true,"result":{"AuthID":"claude-user0000@example.com.json","Handled":true}}'
    with _running([str(made.echo), str(path), answer]) as process:
        yield Peer(process.pid, _installed(place.directory / "echo", path, made))


def _installed(directory: Path, socket: Path, made: Programs) -> Path:
    return install(directory, socket, library=made.library).library


@contextmanager
def pages(place: Place, count: int) -> Iterator[None]:
    """So many open pages of the live feed, in a process of their own; each has shown the accounts once."""
    if not count:
        yield
        return
    command = [sys.executable, "-m", "benchmarks.pages", str(place.owner_socket), str(count)]
    with _running(command, stdout=subprocess.PIPE) as process:
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            raise RuntimeError("the pages were not shown")
        yield


@contextmanager
def _running(
    command: Sequence[str], stdout: int | None = None, stderr: IO[bytes] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    # What is installed has been compiled to byte code; so has what is measured.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=stdout, stderr=stderr, cwd=ROOT, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(ENDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


class Run(msgspec.Struct, frozen=True):
    """What the driver saw; times are nanoseconds."""

    first_pick_at: int
    """Of the monotonic clock."""
    first_pick_cpu: int
    """Of the peer until then."""
    elapsed: int
    cpu: int
    """Of the peer, while it counted."""
    picks: int
    """That began while it counted; their times are in the counts."""
    handled: int
    answered: int
    """Picks that ended while it counted."""
    late: int
    records: int
    longest: int
    counts: list[tuple[int, int]]


def drive(
    made: Programs, place: Place, scenario: Scenario, peer: Peer, *, seconds: float, number: int, idle: bool
) -> Run:
    """
    Put *peer* under the load of *scenario*.

    Args:
        seconds: for which it counts.
        number: of this run, for new sessions to be new.
        idle: the host is attached and asks nothing.

    Raises:
        subprocess.CalledProcessError, subprocess.TimeoutExpired: the driver, or its peer, failed.

    """
    options = {
        "library": peer.library,
        "pid": peer.pid,
        "pick": place.pick,
        "records": place.records,
        "accounts": place.listing,
        "threads": 0 if idle else scenario.threads,
        "rate": scenario.rate,
        "records_rate": 0 if idle else scenario.records_rate,
        "bound": scenario.bindings,
        "fresh_share": scenario.fresh_share,
        "fresh_from": (number + 1) * FRESH_PER_RUN,
        "seconds": seconds,
        "warmup": WARMUP if seconds else 0,
    }
    command = [str(made.driver), *(f"{name}={value}" for name, value in options.items())]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=seconds + SLACK)
    return msgspec.json.decode(done.stdout, type=Run)
