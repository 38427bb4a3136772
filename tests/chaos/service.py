"""The process of a storm's service, seen from outside."""

import json
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from attrs import define, field

from tests.abi.host import PATIENCE

__all__ = ["Service"]

# A new Python on a busy machine of two cores; an order is obeyed within a second of real work.
STARTS_WITHIN, OBEYS_WITHIN = 30.0, 15.0

# An orderly end may last as long as its last write.
ENDS_WITHIN = 15.0


@define(eq=False)
class Service:
    """Started and ended as often as a storm wants."""

    place: Path
    ahead: float = 0.0
    """By how many seconds its clock is ahead of the machine's."""
    bugs: list[str] = field(factory=list)
    """What it logged as an error, in any of its lives."""
    process: "subprocess.Popen[bytes]" = field(init=False)
    _reader: threading.Thread = field(init=False)
    _awake: threading.Event = field(factory=threading.Event)
    """Never set: what is waited for is time."""

    def start(self) -> None:
        """Returns when picks are answered."""
        command = [sys.executable, "-m", "tests.chaos.victim", str(self.place), str(self.ahead)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        assert self._line(STARTS_WITHIN) == "ready"

    def order(self, *order: Any) -> Any:
        """What it answers to *order*."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        return self._line(OBEYS_WITHIN)

    def end(self, how: signal.Signals) -> int:
        """Its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(ENDS_WITHIN)
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code

    def abandon(self) -> None:
        """Whatever state it is in; harmless when it has ended."""
        if self.process.poll() is None:
            self.end(signal.SIGKILL)

    def hang(self, seconds: float) -> None:
        """It does nothing at all for so long."""
        self.process.send_signal(signal.SIGSTOP)
        self._awake.wait(seconds)
        self.process.send_signal(signal.SIGCONT)

    def _line(self, within: float) -> Any:
        stdout = self.process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], within)
        assert ready, f"the service said nothing within {within:g} s: {self.bugs[-5:]}"
        line = stdout.readline()
        assert line, f"the service ended by itself: {self.bugs[-5:]}"
        return json.loads(line)

    def _read_log(self) -> None:
        log = self.process.stderr
        assert log is not None
        for line in log:
            if b"level=error" in line or b"Traceback" in line or b"Error" in line:
                self.bugs.append(line.decode(errors="replace").strip())
