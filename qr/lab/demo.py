"""`qr demo`: all of it in one command, with simulated subscriptions and agents.

The service runs here. A driver process stands for the host: it loads the real plugin library, which reaches
the service through its real socket, and serves the usage endpoints that the service polls.
"""

import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from math import inf
from pathlib import Path

import msgspec
import trio
from attrs import frozen
from rich.console import Console
from rich.live import Live

from qr.abi.build import BUILT, host_target
from qr.abi.build import build as build_library
from qr.abi.install import install
from qr.actors.messages import Refresh
from qr.lab.stage import cast
from qr.lab.tally import Tally
from qr.routing.rules import Rules
from qr.settings import Settings
from qr.system import House, build, listen
from qr.web.service import Service, serve

__all__ = ["run_demo"]

# The same cast and agents each time.
SEED = 7

# Seconds between two looks at what happened.
REFRESH = 0.25

# The driver finishes its requests, which take half a second at most; one that hangs is killed.
DRIVER_ENDS = 5.0

# A line of counts is far shorter; the driver writes nothing else there.
CHUNK = 64 * 1024

# In the demo a window passes within a minute or so: resets are told apart, and polls made, accordingly.
RESET_JITTER, POLL_INTERVAL, RESET_PROBE = 1.0, 20.0, 1.0


async def run_demo(*, seconds: float | None, port: int, console: Console | None = None) -> int:
    """
    Run the demo for *seconds* (None: until interrupted), with its live page on *port* (0: a free one).

    Returns:
        The exit code: 0, or 1 when anything failed.

    Raises:
        OSError: the port cannot be had.
        BuildError: there is no plugin library, and none can be built.

    """
    console = console or Console()
    with (
        tempfile.TemporaryDirectory(prefix="qr-") as place,
        socket.create_server(("127.0.0.1", 0)) as usage,
    ):
        settings = _settings(Path(place), port, usage)
        stage = await trio.to_thread.run_sync(partial(_build, settings, usage))
        try:
            console.print(f"Live page: {stage.service.login_url}", soft_wrap=True)
            tally = Tally(stage.house)
            well = await _act(stage, tally, seconds, console)
        finally:
            stage.close()
    if not console.is_terminal:
        # Where nothing can be overwritten the last line has no end yet.
        console.line()
    console.print(tally.table())
    return 0 if well and tally.picks and not tally.errors else 1


@frozen
class Stage:
    """What the demo is made of."""

    house: House
    service: Service
    library: Path
    listening: socket.socket
    """Where the library reaches the house."""
    usage: socket.socket
    """Where the driver serves the usage endpoints."""

    def close(self) -> None:
        """Give the sockets back that the house was built on."""
        self.service.close()
        self.listening.close()


def _settings(place: Path, port: int, usage: socket.socket) -> Settings:
    endpoint = f"http://127.0.0.1:{usage.getsockname()[1]}"
    return Settings(
        rules=Rules(reset_jitter=RESET_JITTER),
        poll_interval=POLL_INTERVAL,
        reset_probe=RESET_PROBE,
        state_dir=place / "state",
        listen=f"127.0.0.1:{port}",
        claude_base_url=endpoint,
        codex_base_url=endpoint,
        proxy_url="direct",
    )


def _build(settings: Settings, usage: socket.socket) -> Stage:
    """The house, its web, and the library installed as a host would have it. Blocks on the disk."""
    target = host_target()
    if not (BUILT / target.file_name).exists():
        build_library(target)
    library = install(settings.state_dir.parent / "plugins", settings.socket).library
    house = build(settings)
    return Stage(house, serve(house, settings), library, listen(settings), usage)


async def _act(stage: Stage, tally: Tally, seconds: float | None, console: Console) -> bool:
    """Let it all run; says whether it ended well: when it was told to, and with all its counts."""
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(stage.house.run, stage.listening, *stage.service))
        nursery.start_soon(_refresh, stage.house)
        nursery.start_soon(_show, tally, console)
        well = await _host(stage, tally, seconds)
        tally.look()
        nursery.cancel_scope.cancel()
    return well


async def _refresh(house: House) -> None:
    """Have all accounts polled as soon as they are known, as somebody does who opens the page."""
    accounts = {account.id for account in cast()}
    number = house.feed.number
    while not all(account in house.supervisor.fleet for account in accounts):
        await house.feed.wait(number)
        number = house.feed.number
    for account in accounts:
        house.door.tell(Refresh(account))


async def _host(stage: Stage, tally: Tally, seconds: float | None) -> bool:
    """The driver's life; it ends with ours in any case."""
    driver = await trio.lowlevel.open_process(
        [sys.executable, "-m", "qr.lab.driver", *_options(stage)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[stage.usage.fileno()],
        # An interrupt at the terminal is for us; the driver is told by the end of its input.
        start_new_session=True,
    )
    try:
        async with trio.open_nursery() as reading:
            reading.start_soon(_count, driver, tally)
            with trio.move_on_after(inf if seconds is None else seconds):
                await _interrupted_or_gone(driver)
            early = driver.returncode is not None
            await _end(driver)
        return not early and driver.returncode == 0
    finally:
        driver.kill()
        # A killed process ends at once, and is waited for so that nothing of it is left.
        with trio.CancelScope(shield=True):
            await driver.wait()
            if driver.stdout is not None:
                await driver.stdout.aclose()


def _options(stage: Stage) -> list[str]:
    return [f"--library={stage.library}", f"--usage-fd={stage.usage.fileno()}", f"--seed={SEED}"]


async def _interrupted_or_gone(driver: trio.Process) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as waiting:
            waiting.start_soon(_gone, driver, waiting.cancel_scope)
            async for _ in signals:
                waiting.cancel_scope.cancel()


async def _gone(driver: trio.Process, then: trio.CancelScope) -> None:
    await driver.wait()
    then.cancel()


async def _end(driver: trio.Process) -> None:
    """Ask the driver to end by ending its input; kill it if it does not."""
    if driver.stdin is not None:
        await driver.stdin.aclose()
    with trio.move_on_after(DRIVER_ENDS):
        await driver.wait()
    driver.kill()
    await driver.wait()


async def _count(driver: trio.Process, tally: Tally) -> None:
    """Take in what the driver counts, to its end."""
    rest = b""
    while driver.stdout is not None and (chunk := await driver.stdout.receive_some(CHUNK)):
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            tally.driver = Counter(msgspec.json.decode(lines[-1], type=dict[str, int]))


async def _show(tally: Tally, console: Console) -> None:
    with Live(console=console, auto_refresh=False) as live:
        while True:
            tally.look()
            live.update(tally.line(), refresh=True)
            await trio.sleep(REFRESH)
