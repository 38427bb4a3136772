"""
The census lists the accounts, and waits for a host that is not ready.

Each test names `autojump_clock` itself.
"""

import trio

from qr.actors.census import INTERVAL, RETRY, Census
from qr.actors.door import Door
from qr.actors.messages import Listing
from qr.upstream.credentials import AuthEntry
from qr.upstream.errors import HostNotReadyError


class Source:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.skipped = ()
        self.asked_at = []

    async def list(self):
        self.asked_at.append(trio.current_time())
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def fetch(self, entry):
        raise AssertionError("nobody asks for a credential here")


ANN = AuthEntry("a", "claude", "ix", "Ann", changed_at=5.0, account_type="oauth")


async def run(census, seconds):
    with trio.move_on_after(seconds):
        await census.run()


async def test_the_accounts_are_told_as_they_are(autojump_clock):
    door = Door()
    await run(Census(Source([ANN]), door, lambda: None), 1)
    (listing,) = door.mailbox.drain()
    assert isinstance(listing, Listing)
    (entry,) = listing.entries
    assert (entry.id, entry.provider, entry.label, entry.auth_index) == ("a", "claude", "Ann", "ix")
    assert (entry.changed_at, entry.listed, entry.api_key) == (5.0, True, False)


async def test_a_host_that_is_not_ready_is_asked_again_soon(autojump_clock):
    source = Source(HostNotReadyError("not yet"), [ANN])
    census = Census(source, Door(), lambda: None)
    await run(census, RETRY + INTERVAL + 1)
    first, second, third = source.asked_at
    assert (second - first, third - second) == (RETRY, INTERVAL)
    assert census.problem is None


async def test_the_problem_is_kept_for_the_operator(autojump_clock):
    census = Census(Source(HostNotReadyError("not yet")), Door(), lambda: None)
    await run(census, 1)
    assert census.problem == "not yet"


async def test_nobody_is_asked_before_there_is_a_host(autojump_clock):
    attached = trio.Event()
    source = Source([ANN])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Census(source, Door(), lambda: attached).run)
        await trio.sleep(100)
        assert source.asked_at == []
        attached.set()
        await trio.sleep(1)
        assert len(source.asked_at) == 1
        nursery.cancel_scope.cancel()
