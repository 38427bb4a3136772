"""Real processes that save, and real places where saving goes wrong."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

import qr

ROOT = Path(qr.__file__).parent.parent

# How long a child may take for one line; generous, for a busy machine.
PATIENCE = 30.0


class Saving:
    """A child process that saves for ever; each line it says is a number that is safe."""

    def __init__(self, directory):
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("saving_forever.py")), str(directory)],
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self.pid = self._process.pid
        self.said = b""
        assert self.line() == b"opened True"

    def line(self):
        """The next line; all that was said is kept."""
        start = self.said.rfind(b"\n") + 1
        while b"\n" not in self.said[start:]:
            assert select.select([self._process.stdout], [], [], PATIENCE)[0], "the child says nothing"
            assert self._read(), "the child ended"
        return self.said[start:].split(b"\n")[0]

    def _read(self):
        chunk = os.read(self._process.stdout.fileno(), 65536)
        self.said += chunk
        return chunk

    def stop(self, how=signal.SIGKILL):
        """End it, and return the last number that it called safe."""
        self._process.send_signal(how)
        self._process.wait(PATIENCE)
        while self._read():
            pass
        numbers = self.said[: self.said.rfind(b"\n") + 1].split()[2:]
        return int(numbers[-1]) if numbers else 0

    def close(self):
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


@pytest.fixture
def saving():
    children = []

    def start(directory):
        children.append(Saving(directory))
        children[-1].line()
        return children[-1]

    yield start
    for child in children:
        child.close()


@pytest.fixture
def mounted():
    """Mounts a small file system of its own; skips where that is not permitted."""
    with tempfile.TemporaryDirectory() as place:
        mounts = []

        def mount(*options):
            done = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", place],
                check=False,
                capture_output=True,
            )
            if done.returncode:
                pytest.skip("mounting needs root: the full and the read-only disk were NOT tested")
            mounts.append(place)
            return Path(place)

        yield mount
        for _ in mounts:
            subprocess.run(["umount", place], check=True)


@pytest.fixture
def powerless():
    """Runs the test as a user without rights, since root is never denied anything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
