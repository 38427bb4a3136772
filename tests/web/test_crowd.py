"""Fifty pages and one that stops reading: what they cost a pick."""

import json
import socket

import trio

from qr.actors.messages import Pick
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from tests.web.site import ANN, BOB, UPGRADE, ask


async def test_fifty_pages_and_one_that_stops_reading_cost_a_pick_nothing(fleet):
    """By structure: publishing renders nothing and waits for nobody, however many listen."""
    messages = fleet.service.web.live.messages
    silent = await stopped_reading(fleet)
    async with trio.open_nursery() as pages:
        heard = [await pages.start(listen, fleet) for _ in range(50)]
        await fleet.settled()
        assert fleet.desk.listeners == 51
        rendered = len(messages._rendered)
        answers = []
        fleet.house.supervisor.handle(Pick(question("1"), answers.append))
        # The answer is there before any other task has run.
        assert [decision.account for decision in answers] == [ANN]
        assert len(messages._rendered) == rendered
        for one in heard:
            await one.wait()
        # Each change was rendered once for all of them.
        assert len(messages._rendered) <= rendered + 4
        pages.cancel_scope.cancel()
    await silent.aclose()


def seen(message):
    """The ask of who has seen *message*."""
    return json.dumps({"after": message["number"], "epoch": message["epoch"]})


async def stopped_reading(site):
    """A client that asks for the whole fleet again and again, and reads nothing of it."""
    peer = trio.socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    await peer.connect(site.address)
    stream = trio.SocketStream(peer)
    login = f"Host: localhost\r\nAuthorization: Bearer {site.service.access.token}\r\n\r\n"
    await stream.send_all((UPGRADE + login).encode() + b"")
    await site.settled()
    for _ in range(100):
        await stream.send_all(b"\x81\x82\0\0\0\0{}")
    return stream


async def listen(site, task_status):
    """A page that waits for news, and tells that it got them."""
    heard = trio.Event()
    async with site.live() as page:
        message = await ask(page)
        await page.send_message(seen(message))
        task_status.started(heard)
        message = json.loads(await page.get_message())
        while "decision" not in {change["kind"] for change in message["changes"]}:
            await page.send_message(seen(message))
            message = json.loads(await page.get_message())
        heard.set()
        await trio.sleep_forever()


def question(digit):
    candidates = (Candidate(ANN, "claude"), Candidate(BOB, "claude"))
    return Question(("claude",), "claude-sonnet-4-5", digit * 64, offer=Offer(candidates))
