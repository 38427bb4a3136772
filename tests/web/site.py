"""A house with its web on real sockets, and short words to talk to both."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import trio
from attrs import define, evolve, field
from trio.testing import wait_all_tasks_blocked
from trio_websocket import WebSocketConnection, wrap_client_stream

from qr.actors.account_state import Entry
from qr.actors.messages import Apply, Listing, Observe
from qr.clock import VirtualClock
from qr.quota.readings import Observation, Reading
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.settings import Settings
from qr.system import House, build
from qr.web.service import Service, serve

# The start of each test, epoch seconds; the clock then moves with Trio's.
NOW = 1_790_000_000.0
HOUR, DAY = 3600.0, 86400.0

# No test waits longer for anything.
PATIENCE = 10

ANN, BOB, XI = "claude-ann@example.com.json", "claude-bob.json", "codex-xi.json"

UPGRADE = (
    "GET /live HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
)


@define(eq=False)
class Site:
    """One running service."""

    house: House
    service: Service
    client: httpx.AsyncClient = field(repr=False)
    """Sends the token."""
    nursery: trio.Nursery = field(repr=False)

    @property
    def desk(self):
        return self.service.web.desk

    @property
    def address(self):
        return self.service.server.doorways[0].listening.getsockname()[:2]

    @property
    def cookie(self):
        """A header of a browser that has logged in."""
        name = f"quota_router_{self.address[1]}"
        return f"{name}={self.service.access.cookie(self.house.clock.now())}"

    @property
    def origin(self):
        return self.service.url.rstrip("/")

    async def get(self, path, status=200, **more):
        answer = await self.client.get(f"/api/v1{path}", **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def post(self, path, body, status=200, method="POST"):
        answer = await self.client.request(method, f"/api/v1{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def settled(self):
        """Every message has been taken in."""
        await wait_all_tasks_blocked()

    async def tell(self, message):
        assert self.house.door.tell(message)
        await self.settled()

    async def list(self, *entries):
        await self.tell(Listing(list(entries)))

    async def see(self, account, *readings, source="usage", **more):
        now = self.house.clock.now()
        full = source == "usage" and bool(readings)
        await self.tell(Observe(account, Observation(now, source, readings, full=full, **more)))

    async def healthy(self, account, used=40.0, resets=2 * DAY):
        """Both windows of the account are read."""
        now = self.house.clock.now()
        await self.see(
            account,
            Reading("five_hour", 20.0, now + 2 * HOUR, "allowed"),
            Reading("weekly", used, now + resets, "allowed"),
        )

    async def fleet(self):
        """Three accounts, each with windows that were read."""
        await self.list(Entry(ANN, "claude", "ann"), Entry(BOB, "claude", "bob"), Entry(XI, "codex", "xi"))
        for account, resets in ((ANN, DAY), (BOB, 2 * DAY), (XI, 3 * DAY)):
            await self.healthy(account, resets=resets)

    async def pick(
        self, session="1", *, model="claude-sonnet-4-5", provider="claude", names=(ANN, BOB), **more
    ):
        candidates = tuple(Candidate(name, provider) for name in names)
        key = session and session * (64 // len(session))
        question = Question((provider,), model, key, offer=Offer(candidates), **more)
        return await self.house.door.pick(question)

    async def rule(self, **rules):
        settings = self.house.current.settings
        self.house.current.take(evolve(settings, rules=evolve(settings.rules, **rules)))
        await self.tell(Apply(self.house.current.settings))

    @asynccontextmanager
    async def live(self, **headers) -> AsyncIterator[WebSocketConnection]:
        """The feed, as a program opens it."""
        sent = headers or {"Authorization": f"Bearer {self.service.access.token}"}
        pairs = [(name.encode(), value.encode()) for name, value in sent.items()]
        host = self.origin.removeprefix("http://")
        # The library leaves the socket of a connection open that the other side has closed.
        stream = await trio.open_tcp_stream(*self.address)
        async with stream, trio.open_nursery() as nursery:
            yield await wrap_client_stream(nursery, stream, host, "/live", extra_headers=pairs)
            nursery.cancel_scope.cancel()

    async def handshake(self, **headers: str) -> bytes:
        """The first line that answers the wish for a feed."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        host = self.origin.removeprefix("http://")
        return (await self.raw(f"{UPGRADE}Host: {host}\r\n{lines}\r\n".encode())).partition(b"\r\n")[0]

    async def raw(self, sent: bytes) -> bytes:
        """Everything that comes back over a connection of its own until it ends."""
        stream = await trio.open_tcp_stream(*self.address)
        received = bytearray()
        async with stream:
            with trio.move_on_after(PATIENCE) as patience:
                await stream.send_all(sent)
                try:
                    async for piece in stream:
                        received += piece
                except trio.BrokenResourceError:
                    pass
            assert not patience.cancelled_caught, "the connection was left open"
        return bytes(received)


async def _never(_):
    await trio.sleep_forever()


async def ask(connection, **asked):
    """One ask on the feed, and its answer."""
    await connection.send_message(json.dumps(asked))
    return json.loads(await connection.get_message())


@asynccontextmanager
async def running(tmp_path, *, ask=None, **settings) -> AsyncIterator[Site]:
    """A site that lives until the end of the block; *ask* polls an account, by default never to an end."""
    chosen = Settings(state_dir=tmp_path, **{"listen": "127.0.0.1:0", **settings})
    with trio.fail_after(6 * PATIENCE):
        clock = VirtualClock(NOW)
        house = build(chosen, clock=clock)
        house.ask = ask or _never
        service = serve(house, chosen)
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(lambda task_status: house.run(None, *service, task_status=task_status))
                token = {"Authorization": f"Bearer {service.access.token}"}
                transport = httpx.AsyncHTTPTransport(verify=False)
                async with httpx.AsyncClient(
                    base_url=service.url.rstrip("/"),
                    headers=token,
                    transport=transport,
                    trust_env=False,
                    timeout=PATIENCE,
                ) as client:
                    yield Site(house, service, client, nursery)
                nursery.cancel_scope.cancel()
        finally:
            service.close()
            house.store.close()
