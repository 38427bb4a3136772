"""
The service of a storm: the real house in a process of its own, that does what it is told on standard input.

One JSON list a line, such as `["kill", "supervisor"]`; each is answered by one line on standard output. The
first line that it writes tells that picks are answered.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import trio
from attrs import define

from qr import logs
from qr.actors.lives import Life
from qr.service import run_until_signal
from qr.settings import Settings
from qr.system import House, build, listen
from qr.web.service import serve

__all__ = ["settings_at"]

# Nobody listens there: no poll reaches a provider.
NOWHERE = "http://127.0.0.1:9"


def settings_at(place: Path) -> Settings:
    """Of a service whose files are below *place*."""
    return Settings(
        state_dir=place / "state",
        socket=place / "qr.sock",
        listen="127.0.0.1:0",
        claude_base_url=NOWHERE,
        codex_base_url=NOWHERE,
        proxy_url="direct",
    )


@define
class Watch:
    """A clock that is set forward and back."""

    ahead: float

    def now(self) -> float:
        """Epoch seconds."""
        return time.time() + self.ahead


@define(eq=False)
class Victim:
    """Takes the orders."""

    house: House
    watch: Watch

    async def run(self) -> None:
        """Obey until cancelled."""
        orders = trio.lowlevel.FdStream(os.dup(sys.stdin.fileno()))
        rest = b""
        async with orders:
            async for received in orders:
                *lines, rest = (rest + received).split(b"\n")
                for line in lines:
                    say(self.obey(*json.loads(line)))
        await trio.sleep_forever()

    def obey(self, order: str, *given: Any) -> Any:
        """The answer to one order."""
        return getattr(self, order)(*given)

    def kill(self, name: str) -> None:
        """End the actor *name*, or all."""
        for life in self.house.lives.values() if name == "all" else [self.house.lives[name]]:
            if life.name != "victim":
                life.kill()

    def kill_account(self, chance: float) -> None:
        """End one of the account actors."""
        lives = self._accounts()
        if lives:
            lives[int(chance * len(lives))].kill()

    def set_clock(self, ahead: float) -> None:
        self.watch.ahead = ahead

    def condition(self) -> dict[str, Any]:
        """What a storm must leave as it was, and what it may change."""
        connections = self.house.bridge.connections if self.house.bridge else 0
        lives = self._accounts()
        return {
            "dead": [life.name for life in (*self.house.lives.values(), *lives) if not life.alive],
            "accounts": len(lives),
            "tasks": sum(1 for _ in _tasks(trio.lowlevel.current_root_task())) - connections,
            "descriptors": len(list(Path("/proc/self/fd").iterdir())) - connections,
            "threads": [thread.name for thread in threading.enumerate() if "Trio" not in thread.name],
            "problem": self.house.recorder.problem,
        }

    def _accounts(self) -> list[Life]:
        supervisor = self.house.supervisor
        if supervisor.directory is None:
            return []
        rooms = map(supervisor.directory.rooms.get, sorted(view.id for view in supervisor.fleet))
        return [room.life for room in rooms if room is not None]


def _tasks(task: trio.lowlevel.Task | None) -> Iterator[trio.lowlevel.Task]:
    if task is not None:
        yield task
        for nursery in task.child_nurseries:
            for child in nursery.child_tasks:
                yield from _tasks(child)


def say(answer: Any) -> None:
    """One line for the storm."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main(place: str, ahead: str) -> None:
    """Live until a signal."""
    logs.configure("warning")
    settings, watch = settings_at(Path(place)), Watch(float(ahead))
    listening = listen(settings)
    house = build(settings, clock=watch)
    extras = (*serve(house, settings), ("victim", lambda: Victim(house, watch).run))
    trio.run(lambda: run_until_signal(house, listening, *extras, started=lambda: say("ready")))


if __name__ == "__main__":
    main(*sys.argv[1:])
