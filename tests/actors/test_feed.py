"""The feed: numbered, coalesced, never waiting."""

import trio
from trio.testing import wait_all_tasks_blocked

from qr.actors.feed import KEPT, Feed


def publish(feed, *keys):
    for key in keys:
        feed.publish("account", key)


def keys(changes):
    return [(change.number, change.key) for change in changes]


async def test_changes_since_a_number_the_last_of_each_thing():
    feed = Feed()
    publish(feed, "a", "b", "a")
    assert keys(feed.since(0)) == [(2, "b"), (3, "a")]
    assert keys(feed.since(2)) == [(3, "a")]
    assert feed.since(3) == []
    assert feed.number == 3


async def test_things_of_different_kinds_are_apart():
    feed = Feed()
    feed.publish("account", "a")
    feed.publish("binding", "a")
    assert [(change.number, change.kind) for change in feed.since(0)] == [(1, "account"), (2, "binding")]


async def test_who_was_away_too_long_needs_a_snapshot():
    feed = Feed()
    publish(feed, *("x" for _ in range(KEPT + 1)))
    assert feed.since(0) is None
    assert keys(feed.since(1)) == [(KEPT + 1, "x")]


async def test_a_number_of_an_earlier_life_needs_a_snapshot():
    assert Feed().since(7) is None
    assert Feed().since(0) == []


async def test_listeners_wake_and_a_feed_without_any_costs_nothing():
    feed = Feed()
    heard = []

    async def listen(name, number):
        await feed.wait(number)
        heard.append(name)

    publish(feed, "a")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen, "late", 0)
        nursery.start_soon(listen, "first", 1)
        nursery.start_soon(listen, "second", 1)
        nursery.start_soon(listen, "patient", 2)
        await wait_all_tasks_blocked()
        assert heard == ["late"]
        publish(feed, "b")
        await wait_all_tasks_blocked()
        assert sorted(heard) == ["first", "late", "second"]
        publish(feed, "c")
    assert "patient" in heard
