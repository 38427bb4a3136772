"""The library under the sanitizers, under valgrind, and under thousands of threads, driven by a host in C."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from qr.abi.build import FLAGS, sources
from tests.abi.service import running

pytestmark = pytest.mark.sanitizer

HOST = Path(__file__).parent / "host.c"
PATIENCE = 60  # seconds for one run; the longest takes ten
CONNECTIONS = 64  # the library's own bound, and beside them the callback connection
DEADLINE_MS = 250
SLACK_MS = 500  # thousands of threads on two cores

LEAKS = ["--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=9"]


def need(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} IS NOT INSTALLED: MEMORY ERRORS AND RACES IN THE PLUGIN LIBRARY GO UNSEEN")
    return found


class Bench:
    """The library and a host for it, both compiled with *options*."""

    def __init__(self, place: Path, *options: str) -> None:
        self.library = place / "quota-router.so"
        self._host = place / "host"
        defines = [
            "-D_GNU_SOURCE",
            '-DQUOTA_ROUTER_VERSION="0"',
            "-g",
            "-O1",
            "-pthread",
            "-Werror",
            *options,
        ]
        gcc = need("gcc")
        files = [str(path) for path in sources()]
        subprocess.run([gcc, *FLAGS, *defines, *files, "-o", str(self.library), "-ldl"], check=True)
        plain = [flag for flag in FLAGS if flag != "-shared"]
        subprocess.run([gcc, *plain, *defines, str(HOST), "-o", str(self._host), "-ldl"], check=True)

    def run(self, socket: Path, *arguments: object, under: tuple[str, ...] = ()) -> dict[str, Any]:
        """What the host saw; fails when it, a sanitizer or valgrind complained."""
        command = [*under, str(self._host), str(self.library), *map(str, arguments)]
        environment = {**os.environ, "QUOTA_ROUTER_SOCKET": str(socket)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        seen = json.loads(done.stdout)
        assert isinstance(seen, dict)
        return seen


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    options = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return Bench(tmp_path_factory.mktemp("addresses"), *options)


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("races"), "-fsanitize=thread")


@pytest.mark.parametrize(("script", "rounds"), [("healthy", 200), ("mixed", 20), ("restarts", 1000)])
def test_no_memory_error_and_no_leak(addresses: Bench, socket_path: Path, script: str, rounds: int) -> None:
    with running(socket_path, script):
        seen = addresses.run(socket_path, 16, rounds, 2)
    assert seen["handled"] + seen["not_handled"] == 16 * rounds
    assert seen["handled"] > 0


def test_no_memory_error_when_the_service_hangs(addresses: Bench, socket_path: Path) -> None:
    with running(socket_path, "hang"):
        seen = addresses.run(socket_path, 200, 20, 2, "picks")
    assert seen["not_handled"] == 200 * 20 * 2


@pytest.mark.parametrize(("script", "rounds"), [("healthy", 50), ("mixed", 20), ("restarts", 200)])
def test_no_race(races: Bench, socket_path: Path, script: str, rounds: int) -> None:
    """Addresses are not randomised here: the sanitizer does not find its way about otherwise."""
    with running(socket_path, script):
        races.run(socket_path, 16, rounds, 2, under=(need("setarch"), "-R"))


@pytest.mark.parametrize("script", ["healthy", "mixed"])
def test_valgrind_is_content(plain: Bench, socket_path: Path, script: str) -> None:
    with running(socket_path, script):
        plain.run(socket_path, 8, 12, 2, under=(need("valgrind"), "-q", *LEAKS))


def test_valgrind_is_content_without_a_service(plain: Bench, socket_path: Path) -> None:
    plain.run(socket_path, 8, 20, 2, under=(need("valgrind"), "-q", *LEAKS))


def test_two_thousand_picks_at_a_time_meet_a_hung_service(plain: Bench, socket_path: Path) -> None:
    """All are answered within the deadline, over a bounded number of connections."""
    with running(socket_path, "hang"):
        seen = plain.run(socket_path, 2000, 1, 1, "picks")
    assert seen["not_handled"] == 2000
    assert seen["slowest_ms"] < DEADLINE_MS + SLACK_MS
    assert seen["descriptors"] <= CONNECTIONS + 2, "the callback connection, and the host's own listing"
    assert seen["threads"] <= 2000 + 2, "the callback thread, and the host's own watcher"


def test_unloading_takes_no_time(plain: Bench, socket_path: Path) -> None:
    with running(socket_path, "healthy"):
        seen = plain.run(socket_path, 8, 20, 20)
    assert seen["callbacks"] > 0
    assert seen["unload_ms"] < 200
