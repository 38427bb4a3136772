"""
The recorder: once a second, whole, and never losing the last word.

Tests that wait name `autojump_clock` themselves; the store here is memory, so no thread waits for a disk.
"""

import json

import trio

from qr.actors.account_state import AccountState, Entry
from qr.actors.image import join, read_image
from qr.actors.journal import Journal
from qr.actors.recorder import RETRY, Recorder
from qr.quota.history import Refused, Reset, Sample, Series
from qr.routing.bindings import Binding
from qr.store import StoreError
from tests.actors.house import Memory


def lengths(parts):
    return [len(parts.bindings), len(parts.accounts), len(parts.history)]


def bound(store):
    return {entry["key"]: entry["account"] for entry in json.loads(store.images[-1])["bindings"]}


async def test_changes_within_a_second_are_one_write(mock_clock):
    mock_clock.rate = 1000
    journal, store = Journal(), Memory()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Recorder(journal, store, 1).run)
        for number in range(100):
            journal.binding("claude", f"s{number % 10}", Binding(f"a{number}"))
        await trio.sleep(0.9)
        nursery.cancel_scope.cancel()
    assert len(store.images) == 1
    assert bound(store) == {f"s{number}": f"a{90 + number}" for number in range(10)}


async def test_the_last_change_is_written_at_shutdown():
    journal, store = Journal(), Memory()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Recorder(journal, store, 1).run)
        await trio.testing.wait_all_tasks_blocked()
        journal.binding("claude", "s", Binding("a"))
        nursery.cancel_scope.cancel()
    assert bound(store) == {"s": "a"}


async def test_a_full_disk_is_said_and_tried_again(mock_clock):
    mock_clock.rate = 1000
    journal, store = Journal(), Memory()
    store.failure = StoreError("the disk is full")
    recorder = Recorder(journal, store, 1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(recorder.run)
        journal.binding("claude", "s", Binding("a"))
        await trio.sleep(RETRY / 2)
        assert recorder.problem == "the disk is full"
        store.failure = None
        await trio.sleep(RETRY)
        assert recorder.problem is None
        nursery.cancel_scope.cancel()
    assert bound(store) == {"s": "a"}


async def test_without_persistence_nothing_is_written_and_nothing_piles_up():
    journal, store = Journal(), Memory()
    store.persistent = False
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Recorder(journal, store, 1).run)
        journal.binding("claude", "s", Binding("a"))
        await trio.testing.wait_all_tasks_blocked()
        assert not journal.changed.is_set()
        nursery.cancel_scope.cancel()
    assert store.images == []


def test_what_is_gone_is_gone_from_the_next_image():
    journal = Journal()
    journal.binding("claude", "s", Binding("a"))
    journal.account("a", AccountState(Entry("a", "claude")))
    journal.series(("a", "weekly"), Series())
    assert lengths(journal.take()) == [1, 1, 1]
    journal.binding("claude", "s", None)
    journal.account("a", None)
    journal.series(("a", "weekly"), None)
    assert lengths(journal.take()) == [0, 0, 0]


def test_an_image_comes_back_as_it_was():
    journal = Journal()
    journal.binding("claude", "s", Binding("a", "b", 1.0, 2.0))
    journal.account("a", AccountState(Entry("a", "claude", changed_at=3.0), paused=True))
    journal.generation(5)
    journal.series(("a", "weekly"), Series((Sample(10, 1.5),), (Reset(9, 60.0),), (Refused(8),)))
    image = read_image(json.loads(join(1, journal.take())))
    again = Journal(image)
    assert again.bindings == journal.bindings
    assert again.accounts == journal.accounts
    assert again.history == journal.history
    assert again.settings_generation == 5
    assert image.unreadable == 0


def test_an_entry_that_cannot_be_read_costs_itself_alone():
    good = {"provider": "claude", "key": "s", "account": "a"}
    image = read_image({"bindings": [good, {"provider": 7}, None], "accounts": [{}, {"entry": {"id": "a"}}]})
    assert image.bindings == {("claude", "s"): Binding("a")}
    assert image.unreadable == 4


def test_a_list_that_is_none_costs_the_whole():
    image = read_image({"bindings": 7})
    assert (image.bindings, image.accounts, image.unreadable) == ({}, [], 1)
