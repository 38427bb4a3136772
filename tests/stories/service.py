"""The service of a story: in a thread, where it can be looked into, or in a process of its own."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import trio
from attrs import define, field

from qr.abi import frames
from qr.routing.account import AccountView
from qr.settings import Settings
from qr.system import House, build, listen
from tests.abi.host import PATIENCE, eventually

__all__ = ["Inside", "Outside", "Watch"]

# A new Python on a busy machine of two cores.
STARTS_WITHIN = 20.0


@define
class Watch:
    """The clock of host and service: the machine's, and what the story has skipped."""

    ahead: float = 0.0

    def now(self) -> float:
        """Epoch seconds."""
        return time.time() + self.ahead

    def passes(self, seconds: float) -> None:
        """So much time passes, while the machine sleeps for all that anybody can tell."""
        self.ahead += seconds


@define(eq=False)
class Inside:
    """The service as it is built for `qr serve`, in a thread."""

    settings: Settings
    watch: Watch
    house: House = field(init=False)
    _thread: threading.Thread = field(init=False)
    _scope: trio.CancelScope = field(init=False)
    _token: trio.lowlevel.TrioToken = field(init=False)

    def start(self) -> None:
        """Returns when picks are answered."""
        started = threading.Event()
        self._thread = threading.Thread(target=trio.run, args=(self._live, started.set))
        self._thread.start()
        assert started.wait(PATIENCE)

    async def _live(self, started: Callable[[], None]) -> None:
        self._token = trio.lowlevel.current_trio_token()
        with listen(self.settings) as listening, trio.CancelScope() as self._scope:
            self.house = build(self.settings, clock=self.watch)
            async with trio.open_nursery() as nursery:
                await nursery.start(self.house.run, listening)
                started()
        self.house.store.close()

    def stop(self) -> None:
        """Take it down in order; harmless when it is down."""
        if self._thread.is_alive():
            self._token.run_sync_soon(self._scope.cancel)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    @contextmanager
    def taking_in(self) -> Iterator[None]:
        """A usage record is delivered; when the context ends, everybody who is concerned has heard of it."""
        before = self.house.calls.feedback
        yield
        if self._thread.is_alive():
            eventually(lambda: self.house.calls.feedback > before)
            trio.from_thread.run(trio.testing.wait_all_tasks_blocked, trio_token=self._token)

    def counts_accounts_again(self) -> None:
        """Another census follows this one and asks the host at once; what it learned is known on return."""
        before = self.house.census
        self._token.run_sync_soon(self.house.lives["census"].kill)
        eventually(lambda: self.house.census is not before and self.house.census.listings > 0)
        trio.from_thread.run(trio.testing.wait_all_tasks_blocked, trio_token=self._token)

    def view(self, account: str) -> AccountView | None:
        """What is known of the account."""
        return self.house.supervisor.fleet.get(account)

    @property
    def reason(self) -> str:
        """Of the last decision."""
        return next(iter(self.house.decisions)).decision.reason

    @property
    def would(self) -> str | None:
        """Who would have served the last request if shadow had not kept it back."""
        choice = next(iter(self.house.decisions)).decision.would
        return choice and choice.account


@define(eq=False)
class Outside:
    """`python -m qr serve` as a process of its own."""

    settings: Path
    socket: Path
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Returns when it answers on its socket."""
        command = [sys.executable, "-m", "qr", "serve", "--settings", str(self.settings)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        eventually(self._answers, STARTS_WITHIN)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the service ended by itself"
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(PATIENCE)
            if probe.connect_ex(str(self.socket)) != 0:
                return False
            probe.sendall(frames.encode_ping())
            return probe.recv(64)[4:5] == bytes((frames.PONG,))

    def stop(self) -> None:
        """As its operator would; it has to go well."""
        assert self._end(signal.SIGTERM) == 0

    def kill(self) -> None:
        """As the kernel would: nothing more is written."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        code = self._process.wait(PATIENCE)
        self._process = None
        return code

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It does nothing at all meanwhile."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            if self._process is not None:
                self._process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """Whatever state it is in."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
