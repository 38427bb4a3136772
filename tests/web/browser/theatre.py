"""The process in which the services run that the browser looks at.

`python -m tests.web.browser.theatre SCENE [PORT] [FLAG…]` serves one for people. Without arguments it does
what it is told on its standard input, a line of JSON each, and answers with a line:
`{"open": SCENE, "flags": […], "port": 0}`, `{"close": URL}`, `{"at": URL, "do": WHAT, "how": {…}}`.

A scene is one of `scenes`. With the flag `host` or `old-host` it is reached through a host.
"""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from inspect import isawaitable
from typing import Any

import trio
from attrs import define
from hypercorn.config import Config
from hypercorn.trio import serve
from quart_trio import QuartTrio

from qr import logs

from .host import ESCAPING_ENDS, Host
from .scenes import set_up
from .service import TOKEN, on_stage

OLD_SCHEMA = 3


@define
class Stage:
    """One service that runs."""

    url: str
    login: str
    """The address that logs in."""
    play: Any
    """What can be made to happen is a method of it."""


@asynccontextmanager
async def performance(scene: str, flags: Sequence[str], port: int) -> AsyncIterator[Stage]:
    """A service that runs until the end of the block."""
    world = set_up(scene, time.time())
    async with on_stage(world, 0 if flags else port) as stage:
        if not flags:
            yield Stage(stage.service.url.rstrip("/"), f"{stage.service.url}login?token={TOKEN}", stage)
            return
        schema = OLD_SCHEMA if "old-host" in flags else ESCAPING_ENDS
        host = Host(stage.house.calls.answer, schema)
        async with serving(host.app(), port) as url:
            yield Stage(url, url, host)


@asynccontextmanager
async def serving(app: QuartTrio, port: int) -> AsyncIterator[str]:
    config = Config()
    config.bind, config.accesslog, config.errorlog = [f"127.0.0.1:{port}"], None, None
    config.graceful_timeout = 0.2
    async with trio.open_nursery() as nursery:
        yield (await nursery.start(partial(serve, app, config)))[0]
        nursery.cancel_scope.cancel()


class Theatre:
    """The stages by address."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._stages: dict[str, tuple[Stage, trio.CancelScope, trio.Event]] = {}

    async def obey(self, told: dict[str, Any]) -> object:
        if "open" in told:
            stage, *end = await self._nursery.start(self._run, told)
            self._stages[stage.url] = (stage, *end)
            return [stage.url, stage.login]
        if "close" in told:
            _, scope, gone = self._stages.pop(told["close"])
            scope.cancel()
            return await gone.wait()
        result = getattr(self._stages[told["at"]][0].play, told["do"])(**told["how"])
        return await result if isawaitable(result) else result

    async def _run(self, told: dict[str, Any], task_status: trio.TaskStatus[object]) -> None:
        gone = trio.Event()
        with trio.CancelScope() as scope:
            async with performance(told["open"], told["flags"], told["port"]) as stage:
                task_status.started((stage, scope, gone))
                await trio.sleep_forever()
        gone.set()


async def obey_input() -> None:
    async with trio.open_nursery() as nursery, trio.lowlevel.FdStream(os.dup(0)) as told:
        theatre = Theatre(nursery)
        async for line in lines(told):
            answer = await theatre.obey(json.loads(line))
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        nursery.cancel_scope.cancel()


async def lines(stream: trio.lowlevel.FdStream) -> AsyncIterator[bytes]:
    rest = b""
    async for some in stream:
        *whole, rest = (rest + some).split(b"\n")
        for line in whole:
            yield line


async def alone(scene: str, port: str = "0", *flags: str) -> None:
    async with performance(scene, flags, int(port)) as stage:
        sys.stdout.write(f"{stage.login}\n")
        sys.stdout.flush()
        await trio.sleep_forever()


if __name__ == "__main__":
    logs.configure("error")  # to standard error: the answers have standard output
    trio.run(alone if sys.argv[1:] else obey_input, *sys.argv[1:])
