"""The live feed: a snapshot, then changes by number; who reconnects misses nothing; who is slow skips."""

import json

import pytest
import trio
import trio_websocket

from qr.actors.account_state import Entry
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.web import live, reading, turns
from qr.web.messages import FRAME
from qr.web.shapes.asks import AskDecisions
from qr.web.shapes.feed import Ask
from tests.web.site import ANN, BOB, XI, ask, running


async def test_an_empty_ask_is_answered_with_a_snapshot(fleet):
    async with fleet.live() as page:
        message = await ask(page)
    assert message["kind"] == "snapshot"
    assert message["first"]
    assert {account["id"] for account in message["accounts"]} == {ANN, BOB, XI}
    assert message["number"] == fleet.house.feed.number
    assert message["status"]["level"] in ("ok", "info", "warning", "error")


async def test_a_pick_is_on_the_page_at_once(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
        await page.send_message(json.dumps({"after": snapshot["number"], "epoch": snapshot["epoch"]}))
        await fleet.settled()
        await fleet.pick("1")
        with trio.fail_after(1):
            message = json.loads(await page.get_message())
            while "decision" not in {change["kind"] for change in message["changes"]}:
                message = await ask(page, after=message["number"], epoch=message["epoch"])
    assert message["kind"] == "changes"
    kinds = {change["kind"]: change for change in message["changes"]}
    assert kinds["decision"]["value"]["account"] == ANN
    assert kinds["binding"]["key"] == "claude:" + "1" * 64
    assert kinds["binding"]["value"]["account"] == ANN
    assert message["load"]["total"] == 1


async def test_who_reconnects_with_its_number_misses_nothing(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
    await fleet.pick("1")
    await fleet.pick("2")
    async with fleet.live() as page:
        message = await ask(page, after=snapshot["number"], epoch=snapshot["epoch"])
    decisions = [change["value"]["number"] for change in message["changes"] if change["kind"] == "decision"]
    assert decisions == [1, 2]
    numbers = [change["number"] for change in message["changes"]]
    assert numbers == sorted(numbers)


async def test_what_happens_while_an_answer_is_rendered_is_told_by_the_next_one(fleet, monkeypatch):
    """Rendering pauses for picks: what they change is newer than the answer."""
    monkeypatch.setattr(turns, "TURN", -1.0)
    messages, desk = fleet.service.web.live.messages, fleet.desk
    await fleet.pick("1")
    told = {}

    async def snapshot():
        told["snapshot"] = await messages.answer(Ask(), FRAME)

    async def page():
        told["page"] = await reading.decisions(desk, AskDecisions())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(snapshot)
        nursery.start_soon(page)
        while len(told) < 2:
            fleet.house.feed.publish("account", ANN)
            fleet.house.decisions.add(next(iter(fleet.house.decisions)).decision)
            await trio.lowlevel.checkpoint()
    assert json.loads(told["snapshot"].body)["number"] < fleet.house.feed.number
    assert told["page"].newest == max(one.number for one in told["page"].decisions)


@pytest.mark.parametrize(
    "asked", [{"after": 0}, {"after": 0, "epoch": "another"}, {"after": 10**9, "epoch": None}, {"next": "x"}]
)
async def test_what_cannot_be_resumed_is_answered_with_a_snapshot(fleet, asked):
    async with fleet.live() as page:
        message = await ask(page, **asked)
    assert message["kind"] == "snapshot"
    assert message["first"]


async def test_several_changes_of_one_thing_are_coalesced(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
        for used in (41.0, 42.0, 43.0):
            await fleet.healthy(ANN, used=used)
        message = await ask(page, after=snapshot["number"], epoch=snapshot["epoch"])
    (change,) = [change for change in message["changes"] if change["key"] == ANN]
    assert change["value"]["windows"][1]["used_percent"] == 43.0


async def test_what_is_gone_is_null(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
        await fleet.list(Entry(ANN, "claude", "ann"))
        message = await ask(page, after=snapshot["number"], epoch=snapshot["epoch"])
    gone = {change["key"] for change in message["changes"] if change["value"] is None}
    assert gone == {BOB, XI}


async def test_a_large_fleet_comes_in_parts_and_each_fits_into_a_frame(site):
    names = [f"claude-{number:03}.json" for number in range(150)]
    await site.list(*(Entry(name, "claude", f"account {name}") for name in names))
    for name in names:
        await site.healthy(name)
    seen, parts, asked = [], 0, {}
    async with site.live() as page:
        while True:
            await page.send_message(json.dumps(asked))
            text = await page.get_message()
            assert len(text) < 64_000
            message = json.loads(text)
            assert message["first"] == (parts == 0)
            seen += [account["id"] for account in message["accounts"]]
            parts += 1
            if message["next"] is None:
                break
            asked = {"after": message["number"], "epoch": message["epoch"], "next": message["next"]}
    assert parts > 1
    assert seen == names


async def test_more_decisions_than_anybody_reads_are_skipped_and_counted(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
        for _ in range(70):
            await fleet.house.door.pick(question("1"))
        message = await ask(page, after=snapshot["number"], epoch=snapshot["epoch"])
    decisions = [change["value"]["number"] for change in message["changes"] if change["kind"] == "decision"]
    assert decisions == list(range(21, 71))
    assert message["skipped"] == 20


def question(digit):
    candidates = (Candidate(ANN, "claude"), Candidate(BOB, "claude"))
    return Question(("claude",), "claude-sonnet-4-5", digit * 64, offer=Offer(candidates))


async def test_without_news_there_is_a_heartbeat(fleet, monkeypatch):
    """The interval is shortened here: what is tested is that it ends the waiting."""
    monkeypatch.setattr(live, "HEARTBEAT", 0.05)
    async with fleet.live() as page:
        snapshot = await ask(page)
        message = await ask(page, after=snapshot["number"], epoch=snapshot["epoch"])
    assert message["kind"] == "changes"
    assert message["changes"] == []


async def test_the_health_is_brought_along_when_asked(fleet):
    async with fleet.live() as page:
        message = await ask(page, **{"with": ["health"]})
        assert message["health"]["mode"] == "active"


@pytest.mark.parametrize(
    "asked",
    [
        "[]",
        "7",
        "{",
        '{"after": "x"}',
        '{"after": -1.5}',
        '{"more": 1}',
        '{"with": ["everything"]}',
        '{"with": ["next"]}',
        "\0",
        "[" * 3000,
    ],
)
async def test_a_malformed_ask_is_refused_and_ends_the_conversation(fleet, asked):
    async with fleet.live() as page:
        await page.send_message(asked)
        message = json.loads(await page.get_message())
        assert message["kind"] == "refused"
        assert message["problem"]["type"].endswith(":invalid_request")
        with pytest.raises(trio_websocket.ConnectionClosed) as closed:
            await page.get_message()
        assert closed.value.reason.code == 1008


async def test_an_ask_that_is_too_long_ends_the_conversation(fleet):
    async with fleet.live() as page:
        await page.send_message(json.dumps({"epoch": "x" * 10_000}))
        with pytest.raises(trio_websocket.ConnectionClosed) as closed:
            await page.get_message()
        assert closed.value.reason.code == 1009


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Cookie": "quota_router_1=x"}])
async def test_the_feed_needs_a_login(fleet, headers):
    assert b" 401 " in await fleet.handshake(**headers)


@pytest.mark.parametrize("origin", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {}])
async def test_another_sites_page_cannot_open_the_feed_with_the_cookie(fleet, origin):
    assert b" 403 " in await fleet.handshake(Cookie=fleet.cookie, **origin)


async def test_our_own_page_can(fleet):
    async with fleet.live(Cookie=fleet.cookie, Origin=fleet.origin) as page:
        assert (await ask(page))["kind"] == "snapshot"


async def test_listeners_are_counted_and_forgotten_when_they_go(fleet):
    async with fleet.live() as page:
        await ask(page)
        assert fleet.desk.listeners == 1
    await fleet.settled()
    assert fleet.desk.listeners == 0


async def test_too_many_listeners_are_told_to_come_later(fleet, monkeypatch):
    monkeypatch.setattr(live, "MAX_LISTENERS", 0)
    async with fleet.live() as page:
        with pytest.raises(trio_websocket.ConnectionClosed) as closed:
            await page.get_message()
        assert closed.value.reason.code == 1013


async def test_after_a_restart_of_the_supervisor_the_feed_goes_on(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
        fleet.house.lives["supervisor"].kill()
        await fleet.settled()
        message = await ask(page, after=snapshot["number"], epoch=snapshot["epoch"])
    assert message["epoch"] == snapshot["epoch"]
    assert message["kind"] == "changes"


async def test_a_new_life_of_the_service_has_another_epoch(tmp_path):
    epochs = []
    for _ in range(2):
        async with running(tmp_path) as site:
            epochs.append((await site.get("/events"))["epoch"])
    assert epochs[0] != epochs[1]


async def test_an_ask_that_waits_is_replaced_by_the_next(fleet):
    async with fleet.live() as page:
        snapshot = await ask(page)
        seen = {"after": snapshot["number"], "epoch": snapshot["epoch"]}
        await page.send_message(json.dumps(seen))
        await fleet.settled()
        message = await ask(page, **seen, **{"with": ["health"]})
    assert message["health"] is not None


async def test_a_flood_of_asks_is_answered_like_one(fleet):
    async with fleet.live() as page:
        for _ in range(200):
            await page.send_message("{}")
        await fleet.settled()
        assert json.loads(await page.get_message())["kind"] == "snapshot"
        assert len(page._recv_channel._state.data) <= 2


class TestPolling:
    async def test_it_speaks_the_same_messages(self, fleet):
        snapshot = await fleet.get("/events")
        assert snapshot["kind"] == "snapshot"
        await fleet.pick("1")
        query = {"after": snapshot["number"], "epoch": snapshot["epoch"]}
        message = await fleet.get("/events", params=query)
        assert message["kind"] == "changes"
        assert {change["kind"] for change in message["changes"]} >= {"decision", "binding"}

    async def test_it_answers_at_once_without_news(self, fleet):
        snapshot = await fleet.get("/events")
        message = await fleet.get("/events", params={"after": snapshot["number"], "epoch": snapshot["epoch"]})
        assert message["changes"] == []

    async def test_it_brings_everything_along_that_is_asked_for(self, fleet):
        message = await fleet.get("/events?with=health,next")
        assert message["health"]["picks"]["decided"] == 0
        assert message["next_pick"]["answers"][0]["account"] == ANN

    @pytest.mark.parametrize("query", ["with=all", "after=-1", "after=x", "more=1", "after=1&after=2"])
    async def test_a_malformed_query_is_refused(self, fleet, query):
        problem = await fleet.get(f"/events?{query}", status=400)
        assert problem["type"].endswith(":invalid_request")


@pytest.mark.parametrize(("listeners", "seconds"), [(1, 0.25), (10, 0.25), (50, 1.25), (200, 5.0)])
def test_the_more_pages_listen_the_less_often_each_is_answered(listeners, seconds):
    assert live.pace(listeners) == seconds
