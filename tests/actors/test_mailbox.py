"""Bounded mailboxes, and replies that are given once."""

import trio

from qr.actors.mailbox import Mailbox, Reply


async def test_a_full_mailbox_refuses_at_once_and_counts():
    mailbox = Mailbox[int](2)
    assert [mailbox.post(number) for number in range(3)] == [True, True, False]
    assert (len(mailbox), mailbox.refused) == (2, 1)
    assert await mailbox.next() == 0
    assert mailbox.drain() == [1]
    assert mailbox.drain() == []


async def test_messages_wait_for_the_next_reader():
    mailbox = Mailbox[int](2)
    mailbox.post(1)
    with trio.CancelScope() as dead:
        dead.cancel()
        await mailbox.next()
    assert await mailbox.next() == 1


async def test_only_the_first_answer_counts():
    reply = Reply[int]()
    reply.give(1)
    reply.give(2)
    assert await reply.wait() == 1


async def test_no_answer_is_an_answer():
    reply = Reply[int]()
    reply.give(None)
    reply.give(2)
    assert await reply.wait() is None
