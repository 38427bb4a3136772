"""Account actors die alone, and what they said last is where the next one begins."""

import trio
from trio.testing import wait_all_tasks_blocked

from qr.actors.account import Surroundings
from qr.actors.account_state import AccountState, Entry
from qr.actors.messages import Pause
from qr.actors.rooms import Rooms
from qr.clock import VirtualClock
from qr.settings import Settings
from tests.actors.house import NOW, nobody


async def test_an_actor_that_dies_before_anybody_listened_is_followed_from_what_it_said_last(autojump_clock):
    told = []

    def publish(view, state):
        first = state.paused and not any(before.paused for before in told)
        told.append(state)
        if first:
            rooms.get("a").life.kill()

    settings = Settings()
    around = Surroundings(publish, lambda _: True, nobody, VirtualClock(NOW), lambda: settings)
    async with trio.open_nursery() as nursery:
        rooms = Rooms(nursery, around, seed=7, mailboxes={})
        rooms.open(AccountState(Entry("a", "claude")))
        rooms.tell("a", Pause("a", on=True))
        await wait_all_tasks_blocked()
        assert rooms.get("a").life.restarts == 1
        assert told[-1].paused
        nursery.cancel_scope.cancel()


async def test_a_closed_room_leaves_nobody_behind(autojump_clock):
    settings = Settings()
    around = Surroundings(lambda *_: None, lambda _: True, nobody, VirtualClock(NOW), lambda: settings)
    async with trio.open_nursery() as nursery:
        rooms = Rooms(nursery, around, seed=7, mailboxes={})
        rooms.open(AccountState(Entry("a", "claude")))
        await wait_all_tasks_blocked()
        rooms.close("a")
        await wait_all_tasks_blocked()
        assert "a" not in rooms
        assert not rooms.tell("a", Pause("a", on=True))
        assert nursery.child_tasks == frozenset()


async def test_an_account_that_is_closed_while_it_has_a_message_makes_nothing_known(autojump_clock):
    """
    Else the journal would keep an account that nobody has.
    """
    told = []
    settings = Settings()
    around = Surroundings(
        lambda _, state: told.append(state), lambda _: True, nobody, VirtualClock(NOW), lambda: settings
    )
    async with trio.open_nursery() as nursery:
        rooms = Rooms(nursery, around, seed=7, mailboxes={})
        rooms.open(AccountState(Entry("a", "claude")))
        await wait_all_tasks_blocked()
        rooms.tell("a", Pause("a", on=True))
        rooms.close("a")
        await wait_all_tasks_blocked()
        assert not told[-1].paused
