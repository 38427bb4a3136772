"""
The recorder: once a second, whole, and never losing the last word.

Writes happen in a thread, so the clock is moved by hand and the end of a write is waited for.
"""

import json
import threading
import time

import pytest
import trio

from qr.actors.account_state import AccountState, Entry
from qr.actors.image import Parts, pieces, read_image
from qr.actors.journal import Journal
from qr.actors.lives import Life, keep_alive
from qr.actors.recorder import INTERVAL, RETRY, Recorder
from qr.quota.history import Refused, Reset, Sample, Series
from qr.routing.bindings import Binding
from qr.routing.rules import Rules
from qr.store import StillWritingError, StoreError
from tests.actors.house import Memory


def lengths(parts):
    return [len(list(kept)) for kept in (parts.bindings, parts.accounts, parts.history)]


def bound(store):
    return {entry["key"]: entry["account"] for entry in json.loads(store.images[-1])["bindings"]}


async def soon(holds, within=5.0):
    """Writes happen in a thread, which takes its real time whatever the clock says."""
    end = time.monotonic() + within
    while not holds():
        assert time.monotonic() < end
        await trio.lowlevel.checkpoint()


async def test_changes_within_a_second_are_one_write(mock_clock):
    journal, store = Journal(), Memory()
    recorder = Recorder(journal, store, 1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(recorder.run)
        journal.binding("claude", "s", Binding("a"))
        await soon(lambda: recorder.writes == 1)
        for number in range(100):
            journal.binding("claude", f"s{number % 10}", Binding(f"a{number}"))
        mock_clock.jump(INTERVAL / 2)
        await trio.testing.wait_all_tasks_blocked()
        assert recorder.writes == 1
        mock_clock.jump(INTERVAL / 2)
        await soon(lambda: recorder.writes == 2)
        nursery.cancel_scope.cancel()
    assert len(store.images) == 2
    assert bound(store) == {"s": "a"} | {f"s{number}": f"a{90 + number}" for number in range(10)}


async def test_the_last_change_is_written_at_shutdown():
    journal, store = Journal(), Memory()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Recorder(journal, store, 1).run)
        await trio.testing.wait_all_tasks_blocked()
        journal.binding("claude", "s", Binding("a"))
        nursery.cancel_scope.cancel()
    assert bound(store) == {"s": "a"}


async def test_a_full_disk_is_said_and_tried_again(mock_clock):
    journal, store = Journal(), Memory()
    store.failure = StoreError("the disk is full")
    recorder = Recorder(journal, store, 1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(recorder.run)
        journal.binding("claude", "s", Binding("a"))
        await soon(lambda: recorder.problem == "the disk is full")
        store.failure = None
        mock_clock.jump(RETRY)
        await soon(lambda: recorder.problem is None)
        nursery.cancel_scope.cancel()
    assert bound(store) == {"s": "a"}


class Slow(Memory):
    """Its first write lasts until a second one is tried meanwhile, which is refused, as the real one does."""

    def __init__(self):
        super().__init__()
        self.busy = threading.Lock()
        self.began, self.go_on = threading.Event(), threading.Event()

    def save(self, image):
        if not self.busy.acquire(blocking=False):
            self.go_on.set()
            raise StillWritingError("an earlier write has not ended yet")
        try:
            pieces = list(image)
            self.began.set()
            assert self.go_on.wait(5)
            super().save(pieces)
        finally:
            self.busy.release()


@pytest.mark.parametrize("killed", [False, True])
async def test_the_last_word_waits_for_a_write_that_was_given_up(killed):
    """At shutdown, and when the recorder alone is killed."""
    journal, store = Journal(), Slow()
    life = Life("recorder")
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_alive, life, lambda: Recorder(journal, store, 1).run)
            journal.binding("claude", "s", Binding("a"))
            await trio.to_thread.run_sync(store.began.wait, 5)
            journal.binding("claude", "t", Binding("b"))
            if killed:
                life.kill()
                while len(store.images) < 2:
                    await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
    assert bound(store) == {"s": "a", "t": "b"}


class Late(Memory):
    """The thread of its first write gets its turn only when it is told to go on."""

    def __init__(self):
        super().__init__()
        self.began, self.go_on, self.over = threading.Event(), threading.Event(), threading.Event()

    def save(self, image):
        if self.began.is_set():
            return super().save(image)
        self.began.set()
        assert self.go_on.wait(5)
        try:
            return super().save(image)
        finally:
            self.over.set()


async def test_a_write_that_was_given_up_before_it_began_does_not_follow_a_newer_one():
    journal, store = Journal(), Late()
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Recorder(journal, store, 1).run)
            journal.binding("claude", "s", Binding("a"))
            await trio.to_thread.run_sync(store.began.wait, 5)
            journal.binding("claude", "t", Binding("b"))
            nursery.cancel_scope.cancel()
        store.go_on.set()
        await trio.to_thread.run_sync(store.over.wait, 5)
    assert bound(store) == {"s": "a", "t": "b"}


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
    journal.owned_by_host(Rules(mode="shadow", failover_max=60.0, manual_priority={"a": 1}))
    journal.series(("a", "weekly"), Series((Sample(10, 1.5),), (Reset(9, 60.0),), (Refused(8),)))
    image = read_image(b"".join(pieces(2, journal.take())))
    again = Journal(image)
    assert again.bindings == journal.bindings
    assert again.accounts == journal.accounts
    assert again.history == journal.history
    assert again.settings_generation == 5
    assert again.host_rules == journal.host_rules
    assert image.unreadable == 0


def test_an_entry_that_cannot_be_read_costs_itself_alone():
    good = {"provider": "claude", "key": "s", "account": "a"}
    series = {"account": "a", "window": "weekly", "at": "AQAAAA==", "used_tenths": "MgA="}
    lists = {
        "bindings": [good, {"provider": 7}, None],
        "accounts": [{}, {"entry": {"id": "a"}}],
        "history": [series, {**series, "at": "AQAA"}, {**series, "at": "?"}, {**series, "at": [1]}],
    }
    image = read_image(json.dumps(lists).encode())
    assert image.bindings == {("claude", "s"): Binding("a")}
    assert image.history == {("a", "weekly"): Series((Sample(1, 5.0),))}
    assert image.unreadable == 7


def test_text_that_is_no_utf8_costs_its_entry():
    image = read_image(
        b'{"bindings":[{"provider":"claude","key":"\xff","account":"a"}],"settings_generation":7}'
    )
    assert (image.bindings, image.settings_generation, image.unreadable) == ({}, 7, 1)


def test_a_list_that_is_none_costs_the_whole():
    image = read_image(b'{"bindings": 7}')
    assert (image.bindings, image.accounts, image.unreadable) == ({}, [], 1)


def test_a_column_that_is_shorter_ends_both():
    text = b'{"history":[{"account":"a","window":"weekly","at":"AQAAAAIAAAA=","used_tenths":"MgA="}]}'
    assert read_image(text).history == {("a", "weekly"): Series((Sample(1, 5.0),))}


def test_text_that_is_no_unicode_costs_its_entry_when_it_is_written():
    """A file name may be such a text."""
    accounts = [AccountState(Entry(name, "claude")) for name in ("a", "\udcff", "b")]
    bindings = [(("claude", "\udcff"), Binding("a"))]
    image = read_image(b"".join(pieces(2, Parts(bindings, accounts, []))))
    assert [state.id for state in image.accounts] == ["a", "b"]
    assert (image.bindings, image.unreadable) == ({}, 0)
