"""The way back to the host, over a pair of real sockets."""

import socket
from collections.abc import AsyncIterator, Callable, Sequence
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


async def asked(link: HostLink) -> trio.SocketStream:
    """The connection of the library that is asked now."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(link.call, "host.auth.list", b"{}")
        await trio.testing.wait_all_tasks_blocked()
        [line] = [line for line in link.lines if line.waiting]
        link.answered(line.stream, Frame(HOST_REPLY, b"\x00"))
    return line.stream


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
    link, stream, answers = HostLink(), connect(), []
    link.attach({}, stream)

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
            link.answered(stream, Frame(HOST_REPLY, b"\x00late"))
            link.answered(stream, Frame(HOST_REPLY, b"\x00wanted"))
    assert answers == [b"wanted"]


async def test_a_command_of_the_host_does_not_come_between_the_host_and_the_service(connect: Connect) -> None:
    link, server, login = HostLink(), connect(), connect()
    link.attach({"pid": "1"}, server)
    link.attach({"pid": "2"}, login)
    assert await asked(link) is server
    assert link.about == {"pid": "1"}


async def test_a_library_that_is_of_no_use_gives_way_to_another(connect: Connect) -> None:
    link, login, server = HostLink(), connect(), connect()
    link.attach({"pid": "2"}, login)
    link.pass_on()
    assert await asked(link) is login
    link.attach({"pid": "1"}, server)
    link.pass_on()
    assert await asked(link) is server
    assert link.about == {"pid": "1"}


async def test_when_the_library_that_is_asked_leaves_another_one_is_asked(connect: Connect) -> None:
    link, first, second = HostLink(), connect(), connect()
    link.attach({"pid": "1"}, first)
    link.attach({"pid": "2"}, second)
    link.detach(first)
    assert link.attached.is_set()
    assert await asked(link) is second


@pytest.mark.parametrize("order", [("old", "new"), ("new", "old")])
async def test_a_newer_library_of_the_same_host_replaces_the_older(
    connect: Connect, order: Sequence[str]
) -> None:
    """After a restart of the service they come in any order."""
    link, configured, newest = HostLink(), {"old": "100", "new": "200"}, {}
    streams = {name: connect() for name in order}
    for name in order:
        newest[name] = link.attach({"pid": "1", "configured": configured[name]}, streams[name])
    assert await asked(link) is streams["new"]
    assert newest["new"]
    assert newest["old"] == (order[0] == "old")


@pytest.mark.parametrize("configured", ["", "-1", "1e3", "\u0661", "x"])
async def test_a_time_that_is_none_is_the_earliest(connect: Connect, configured: str) -> None:
    link = HostLink()
    assert link.attach({"pid": "1", "configured": "1"}, connect())
    assert not link.attach({"pid": "1", "configured": configured}, connect())
