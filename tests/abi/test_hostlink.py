"""The way back to the host, over a pair of real sockets."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack

import pytest
import trio
import trio.testing

from qr.abi.frames import HOST_REPLY, Frame
from qr.abi.hostlink import HostLink, HostLinkDown

Connect = Callable[[], trio.SocketStream]


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """New connections; the other end of each is open as long as the test runs."""
    with ExitStack() as open_sockets:

        def connect() -> trio.SocketStream:
            near, far = socket.socketpair()
            open_sockets.enter_context(far)
            stream = trio.SocketStream(trio.socket.from_stdlib_socket(near))
            open_sockets.enter_context(stream.socket)
            return stream

        yield connect


async def test_who_waited_before_any_library_was_there_is_woken_by_the_first(connect: Connect) -> None:
    link = HostLink()
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.attached.wait)
            await trio.testing.wait_all_tasks_blocked()
            link.attach({"plugin": "quota-router"}, connect())


async def test_who_comes_after_a_library_has_left_waits_for_the_next(connect: Connect) -> None:
    link, first = HostLink(), connect()
    link.attach({}, first)
    link.detach(first)
    assert not link.up
    assert not link.attached.is_set()
    link.attach({}, connect())
    assert link.attached.is_set()


async def test_a_call_that_is_under_way_when_the_library_leaves_is_told(connect: Connect) -> None:
    link, stream = HostLink(), connect()
    link.attach({}, stream)

    async def call() -> None:
        with pytest.raises(HostLinkDown):
            await link.call("host.auth.list", b"{}")

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(call)
            await trio.testing.wait_all_tasks_blocked()
            link.detach(stream)


async def test_an_answer_whose_caller_gave_up_goes_to_nobody_else(connect: Connect) -> None:
    link, answers = HostLink(), []
    link.attach({}, connect())

    async def call() -> None:
        answers.append(await link.call("host.auth.get", b"{}"))

    with trio.fail_after(5):
        async with trio.open_nursery() as impatient:
            impatient.start_soon(call)
            await trio.testing.wait_all_tasks_blocked()
            impatient.cancel_scope.cancel()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(call)
            await trio.testing.wait_all_tasks_blocked()
            link.answered(Frame(HOST_REPLY, b"\x00late"))
            link.answered(Frame(HOST_REPLY, b"\x00wanted"))
    assert answers == [b"wanted"]
