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
from qr.lab.page import Page
from qr.lab.polls import Polls
from qr.lab.tally import Tally
from qr.routing.rules import Rules
from qr.settings import Settings
from qr.system import House, build, listen
from qr.upstream.connections import connector

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
RESET_JITTER, POLL_EVERY = 1.0, 10.0


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
    with _listening(port) as page, _listening(0) as usage, tempfile.TemporaryDirectory(prefix="qr-") as place:
        settings = _settings(Path(place), page, usage)
        library = await trio.to_thread.run_sync(_install, settings)
        house = await trio.to_thread.run_sync(partial(build, settings))
        tally = Tally(house)
        console.print(f"Live page: http://127.0.0.1:{page.getsockname()[1]}/")
        well = await _act(Cast(house, page, usage, library), tally, seconds, console)
    console.print(tally.table())
    return 0 if well and tally.picks and not tally.errors else 1


def _listening(port: int) -> socket.socket:
    return socket.create_server(("127.0.0.1", port))


def _settings(place: Path, page: socket.socket, usage: socket.socket) -> Settings:
    endpoint = f"http://127.0.0.1:{usage.getsockname()[1]}"
    return Settings(
        rules=Rules(reset_jitter=RESET_JITTER),
        state_dir=place / "state",
        listen=f"127.0.0.1:{page.getsockname()[1]}",
        claude_base_url=endpoint,
        codex_base_url=endpoint,
        proxy_url="direct",
    )


def _install(settings: Settings) -> Path:
    """The plugin library beside a file that names our socket, as a host would have it."""
    target = host_target()
    if not (BUILT / target.file_name).exists():
        build_library(target)
    return install(settings.state_dir.parent / "plugins", settings.socket).library


@frozen
class Cast:
    """Who plays: the service, its page, and what the driver is given."""

    house: House
    page: socket.socket
    usage: socket.socket
    library: Path


async def _act(cast: Cast, tally: Tally, seconds: float | None, console: Console) -> bool:
    """Let it all run; says whether it ended well: when it was told to, and with all its counts."""
    extras = (
        ("web", lambda: Page(cast.house, cast.page).run),
        ("polls", lambda: Polls(cast.house, connector(), POLL_EVERY).run),
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(cast.house.run, listen(cast.house.base), *extras))
        nursery.start_soon(_show, tally, console)
        well = await _host(cast, tally, seconds)
        tally.look()
        nursery.cancel_scope.cancel()
    return well


async def _host(cast: Cast, tally: Tally, seconds: float | None) -> bool:
    """The driver's life; it ends with ours in any case."""
    driver = await trio.lowlevel.open_process(
        [sys.executable, "-m", "qr.lab.driver", *_options(cast)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[cast.usage.fileno()],
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


def _options(cast: Cast) -> list[str]:
    return [f"--library={cast.library}", f"--usage-fd={cast.usage.fileno()}", f"--seed={SEED}"]


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
