"""The real service in a world that was set up by hand; only the host and the providers are stand-ins."""

import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import trio

from qr.abi.hostlink import HostLink
from qr.actors.messages import Observe
from qr.quota.readings import Observation, Reading
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.settings import Settings
from qr.store import open_store
from qr.system import House, build
from qr.web.canary import Canary
from qr.web.service import Service, serve

from .world import MODELS, World

__all__ = ["TOKEN", "Stage", "on_stage"]

TOKEN = "correct-horse-battery-staple"


class ListingHost(HostLink):
    """A host that is attached, lists the accounts of a world, and keeps their credentials to itself."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world
        self.about: Mapping[str, str] = {"plugin": "quota-router", "version": "0.1.0", "pid": "17"}
        self.attached.set()

    @property
    def up(self) -> bool:
        return True

    async def call(self, method: str, body: bytes) -> bytes:
        await trio.lowlevel.checkpoint()
        if method == "host.auth.list":
            return msgspec.json.encode({"ok": True, "result": self._world.listing()})
        return msgspec.json.encode(
            {"ok": False, "error": {"code": "host_call_failed", "message": "not here"}}
        )


class Calm(Canary):
    """A busy machine holds up the tests' process, which is no news to those who look at pages."""

    async def run(self) -> None:
        await trio.sleep_forever()


class Stage:
    """A service that runs, and what a test can make happen in it."""

    def __init__(self, house: House, service: Service) -> None:
        self.house = house
        self.service = service

    async def pick(self, session: str | None, provider: str = "claude") -> int:
        """A request of *session*; the number of the decision."""
        names = [view.id for view in self.house.supervisor.fleet if view.provider == provider]
        offered = tuple(Candidate(name, provider) for name in names)
        await self.house.door.pick(Question((provider,), MODELS[provider], session, offer=Offer(offered)))
        return self.house.decisions.count

    def observe(self, account: str, window: str, used: float) -> None:
        """A response's headers told of one window."""
        view = self.house.supervisor.fleet.get(account)
        assert view is not None
        reading = Reading(window, used, view.windows[window].resets_at)
        self.house.door.tell(Observe(account, Observation(time.time(), "headers", (reading,))))


@asynccontextmanager
async def on_stage(world: World, port: int) -> AsyncIterator[Stage]:
    """A service in *world* that lives until the end of the block."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="qr-")))
        settings = Settings(rules=world.rules, state_dir=place, listen=f"127.0.0.1:{port}", token=TOKEN)
        writer = open_store(place)
        writer.save([world.state_file()])
        if world.held:
            stack.callback(writer.close)
        else:
            writer.close()
        house = build(settings)
        stack.callback(house.store.close)
        await _in_place(house, world)
        service = serve(house, settings)
        service.web.desk.canary = Calm()
        stack.callback(service.close)
        async with trio.open_nursery() as nursery:
            await nursery.start(lambda task_status: house.run(None, *service, task_status=task_status))
            house.supervisor.reasons.update(decision.reason for decision in world.decisions)
            yield Stage(house, service)
            nursery.cancel_scope.cancel()


async def _in_place(house: House, world: World) -> None:
    """What a state file does not hold: the host, the newest decisions, what came of them."""
    house.ask = _unanswered
    house.calls.feedback = world.feedback
    for decision in world.decisions:
        house.decisions.add(decision)
    if world.attached:
        house.link = ListingHost(world)
    if world.config is not None:
        told = {"config_yaml": world.config.encode(), "schema_version": world.schema}
        await house.calls.answer("plugin.register", msgspec.json.encode(told))


async def _unanswered(_: object) -> Any:
    """The providers: they take their time."""
    await trio.sleep_forever()
