"""The demo, whole: the real library in a process of its own, real sockets, real polls."""

import io
import re
import signal
import subprocess
import sys

import httpx
import pytest
import trio
from rich.console import Console

from qr.lab.demo import run_demo

# It is told to end after a few seconds; a machine that is busy otherwise needs some more.
BOUND = 60.0


class Screen(io.StringIO):
    """Remembers what was shown, and tells when the first line is there."""

    def __init__(self):
        super().__init__()
        self.written = trio.Event()

    def write(self, text):
        super().write(text)
        if "\n" in text:
            self.written.set()
        return len(text)


def figures(text):
    return {name: int(count) for count, name in re.findall(r"^ *(\d+) +([a-z ]+?) *$", text, re.MULTILINE)}


@pytest.mark.slow
async def test_the_demo_routes_shows_and_ends_by_itself():
    out = io.StringIO()
    with trio.fail_after(BOUND):
        code = await run_demo(seconds=6.0, port=0, console=Console(file=out, width=120))
    counted = figures(out.getvalue())
    assert code == 0
    assert counted["errors"] == 0
    assert counted["kept"] > 0
    assert counted["picks"] >= counted["kept"] + counted["failovers"]


@pytest.mark.slow
async def test_the_live_page_answers_while_the_demo_runs():
    out = Screen()

    async def visit(then):
        await out.written.wait()
        url = re.search(r"http://\S+", out.getvalue())[0]
        async with httpx.AsyncClient(follow_redirects=True) as client:
            response = await client.get(url)
        assert response.status_code == 200
        then.cancel()

    with trio.fail_after(BOUND):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(visit, nursery.cancel_scope)
            nursery.start_soon(lambda: run_demo(seconds=None, port=0, console=Console(file=out, width=200)))


@pytest.mark.slow
async def test_an_interrupt_ends_the_demo_with_its_summary():
    script = (
        "import trio; from rich.console import Console; from qr.lab.demo import run_demo; "
        "console = Console(force_terminal=True, color_system=None, width=120); "
        "raise SystemExit(trio.run(lambda: run_demo(seconds=None, port=0, console=console)))"
    )
    with trio.fail_after(BOUND):
        process = await trio.lowlevel.open_process(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        async with process.stdout:
            text = await _read_until(process.stdout, r"kept [1-9]")
            process.send_signal(signal.SIGINT)
            text += await _read_until(process.stdout, "$ never")
        assert await process.wait() == 0
    assert figures(text)["errors"] == 0


async def _read_until(stream, pattern):
    text = ""
    while not re.search(pattern, text) and (chunk := await stream.receive_some()):
        text += chunk.decode()
    return text
