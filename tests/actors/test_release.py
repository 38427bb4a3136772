"""
The host's cooldown is released when a reading proves that the quota is back.

Each test names `autojump_clock` itself.
"""

import json

import trio
from structlog.testing import capture_logs

from qr.actors.current import Current
from qr.actors.mailbox import Mailbox
from qr.actors.messages import Freed
from qr.actors.release import CAPACITY, GAP, METHOD, Release
from qr.clock import VirtualClock
from qr.settings import Settings

OK = b'{"ok":true,"result":{"auth_index":"ix","models":[]}}'
OLD = b'{"ok":false,"error":{"code":"host_call_failed","message":"unsupported host callback x"}}'
FAILED = b'{"ok":false,"error":{"code":"host_call_failed","message":"auth not found"}}'


class Host:
    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def call(self, method, body):
        assert method == METHOD
        self.asked.append(json.loads(body)["auth_index"])
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def release(host, *steps, settings=None):
    mailbox = Mailbox(CAPACITY)
    actor = Release(mailbox, host.call, Current(settings or Settings()), VirtualClock(1e9))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(actor.run)
        for account, wait in steps:
            mailbox.post(Freed(account, f"ix-{account}"))
            await trio.sleep(wait)
        nursery.cancel_scope.cancel()
    return actor


async def test_at_most_once_per_account_and_ten_minutes(autojump_clock):
    host = Host(OK)
    await release(host, ("a", 1), ("a", 1), ("b", GAP), ("a", 1))
    assert host.asked == ["ix-a", "ix-b", "ix-a"]


async def test_a_host_that_cannot_is_said_once_and_asked_no_more(autojump_clock):
    host = Host(OLD)
    with capture_logs() as logs:
        actor = await release(host, ("a", 1), ("b", 1))
    assert host.asked == ["ix-a"]
    assert actor.supported is False
    assert len(logs) == 1


async def test_the_log_names_a_fingerprint_and_the_evidence(autojump_clock):
    with capture_logs() as logs:
        await release(Host(OK), ("ann@example.com", 1))
    (entry,) = logs
    assert len(entry["account"]) == 8
    assert entry["evidence"]
    assert "ann" not in str(logs)


async def test_a_failure_proves_nothing(autojump_clock):
    for answer in (FAILED, b"", b"nonsense", OSError("gone")):
        host = Host(answer)
        actor = await release(host, ("a", 1), ("b", 1))
        assert host.asked == ["ix-a", "ix-b"]
        assert actor.supported is None


async def test_switched_off_by_the_settings(autojump_clock):
    host = Host(OK)
    await release(host, ("a", 1), settings=Settings(release_host_cooldown=False))
    assert host.asked == []
