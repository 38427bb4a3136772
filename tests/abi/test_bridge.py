"""The service's side of the socket: real connections, frames of all kinds, none of which harms another."""

import base64
import stat
from contextlib import asynccontextmanager, suppress

import msgspec
import pytest
import trio
import trio.testing

from qr.abi import bridge as bridge_module
from qr.abi import connection as connection_module
from qr.abi.bridge import Bridge, SocketBusy, open_socket
from qr.abi.calls import Calls
from qr.abi.contract import NOT_HANDLED
from qr.abi.frames import (
    PONG,
    REPLY,
    Frames,
    encode_attach,
    encode_call,
    encode_note,
    encode_ping,
    encode_pong,
    encode_reply,
)
from qr.abi.hostlink import HostLink
from qr.actors.current import Current
from qr.actors.door import Door
from qr.actors.journal import Journal
from qr.clock import SystemClock
from qr.settings import Settings

PATIENCE = 10


@asynccontextmanager
async def bridged(tmp_path):
    path = tmp_path / "router.sock"
    settings = Settings(state_dir=tmp_path, pick_deadline=0.125)
    current = Current(settings)
    calls = Calls(Door(), current, Journal(), settings, SystemClock(), lambda: None)
    with trio.fail_after(PATIENCE), open_socket(path) as listening:
        bridge = Bridge(listening, calls, HostLink(), current)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bridge.run)
            yield bridge, path
            nursery.cancel_scope.cancel()


async def until(holds):
    """Settings are read in a thread, libraries live in threads: neither has an event to wait for."""
    with trio.fail_after(PATIENCE):
        while not holds():  # noqa: ASYNC110 - see above
            await trio.sleep(0.002)


async def exchange(path, *frames):
    """The answers to *frames* on one connection, until as many have come or the bridge hangs up."""
    received, answers = Frames(), []
    async with await trio.open_unix_socket(str(path)) as stream:
        with suppress(trio.BrokenResourceError):
            await stream.send_all(b"".join(frames))
            while len(answers) < len(frames) and (chunk := await stream.receive_some()):
                answers += received.feed(chunk)
    return answers


async def test_a_call_is_answered_with_the_deadline_of_the_settings(tmp_path):
    async with bridged(tmp_path) as (_, path):
        (reply,) = await exchange(path, encode_call("scheduler.pick", b"{}"))
    assert (reply.kind, reply.payload, reply.deadline_ms) == (REPLY, NOT_HANDLED, 125)


async def test_calls_on_one_connection_are_answered_in_order_and_notes_not_at_all(tmp_path):
    async with bridged(tmp_path) as (bridge, path):
        answers = await exchange(
            path,
            encode_call("scheduler.pick", b"{}") + encode_note("usage.handle", b"{}"),
            encode_ping(),
            encode_call("nothing"),
        )
        assert bridge._calls.feedback == 1
    assert [answer.kind for answer in answers] == [REPLY, PONG, REPLY]


async def test_a_frame_may_come_byte_by_byte(tmp_path):
    async with bridged(tmp_path) as (_, path), await trio.open_unix_socket(str(path)) as stream:
        for byte in encode_ping():
            await stream.send_all(bytes((byte,)))
        assert await stream.receive_some()


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 64, encode_reply(b"{}"), b"\xff" * 8, encode_call("x")[:5]]
)
async def test_what_is_no_call_ends_its_own_connection_alone(tmp_path, garbage):
    async with bridged(tmp_path) as (_, path):
        async with await trio.open_unix_socket(str(path)) as broken:
            await broken.send_all(garbage)
            await broken.send_eof()
            assert (await exchange(path, encode_ping()))[0].kind == PONG
        assert (await exchange(path, encode_ping()))[0].kind == PONG


async def test_a_library_that_has_gone_before_it_is_answered_ends_its_own_connection_alone(tmp_path):
    async with bridged(tmp_path) as (bridge, path):
        ours, theirs = trio.socket.socketpair()
        with theirs:
            await theirs.send(encode_call("scheduler.pick", b"{}"))
        await bridge._serve(trio.SocketStream(ours))
        assert bridge.connections == 0
        assert (await exchange(path, encode_ping()))[0].kind == PONG


async def test_who_is_idle_makes_room_and_if_nobody_is_who_comes_is_turned_away(tmp_path, monkeypatch):
    monkeypatch.setattr(bridge_module, "MAX_CONNECTIONS", 2)
    async with (
        bridged(tmp_path) as (bridge, path),
        await trio.open_unix_socket(str(path)) as older,
        await trio.open_unix_socket(str(path)) as newer,
    ):
        bridge._calls._door.open = True
        picks = []
        for stream in (older, newer):
            await stream.send_all(encode_call("scheduler.pick", b"{}"))
            picks.append(await bridge._calls._door.mailbox.next())
        assert await exchange(path, encode_ping()) == []
        assert bridge.turned_away == 1
        for pick in picks:
            pick.give(None)
        assert await exchange(path, encode_ping())
        assert await older.receive_some() == encode_reply(NOT_HANDLED, 125)
        assert await older.receive_some() == b""
        assert await newer.receive_some() == encode_reply(NOT_HANDLED, 125)
        await newer.send_all(encode_ping())
        assert (await newer.receive_some(), bridge.turned_away) == (encode_pong(125), 1)


def attachment(configured, mode, pid="1"):
    config = base64.b64encode(f"mode: {mode}\n".encode()).decode()
    about = {"plugin": "quota-router", "pid": pid, "configured": str(configured)}
    return encode_attach(about, msgspec.json.encode({"config_yaml": config, "schema_version": 6}))


@pytest.mark.parametrize(("times", "mode"), [((1, 2), "off"), ((2, 1), "shadow"), ((1, 1), "off")])
async def test_the_settings_in_force_are_those_of_the_library_that_was_configured_last(tmp_path, times, mode):
    """A host that has loaded a newer library keeps the older one, with older settings, attached."""
    first, second = times
    async with (
        bridged(tmp_path) as (bridge, path),
        await trio.open_unix_socket(str(path)) as one,
        await trio.open_unix_socket(str(path)) as other,
    ):
        await one.send_all(attachment(first, "shadow"))
        await until(lambda: bridge._current.settings.rules.mode == "shadow")
        await other.send_all(attachment(second, "off"))
        await until(lambda: len(bridge._link.lines) == 2 and bridge._current.settings.rules.mode == mode)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert bridge._current.settings.rules.mode == mode


async def test_an_attachment_without_settings_changes_none(tmp_path):
    async with bridged(tmp_path) as (bridge, path), await trio.open_unix_socket(str(path)) as stream:
        await stream.send_all(encode_attach({"pid": "1", "configured": "0"}))
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert bridge._link.up
        assert bridge._current.generation == 0


@pytest.mark.parametrize("frame", [encode_call("x"), encode_note("x"), encode_ping(), encode_attach({})])
async def test_on_a_callback_connection_a_library_says_nothing_but_what_the_host_answers(tmp_path, frame):
    async with bridged(tmp_path) as (bridge, path), await trio.open_unix_socket(str(path)) as stream:
        await stream.send_all(encode_attach({"pid": "1"}) + frame)
        assert await stream.receive_some() == b""
        assert not bridge._link.up


class TestSocket:
    def test_for_this_user_alone(self, tmp_path):
        with open_socket(tmp_path / "new" / "router.sock"):
            assert stat.S_IMODE((tmp_path / "new" / "router.sock").stat().st_mode) == 0o600
            assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700

    def test_a_dead_socket_is_replaced(self, tmp_path):
        open_socket(tmp_path / "router.sock").close()
        open_socket(tmp_path / "router.sock").close()

    def test_a_live_one_is_left_alone(self, tmp_path):
        with (
            open_socket(tmp_path / "router.sock"),
            pytest.raises(SocketBusy, match="another service answers"),
        ):
            open_socket(tmp_path / "router.sock")

    def test_anything_else_is_left_alone(self, tmp_path):
        (tmp_path / "router.sock").write_text("mine")
        with pytest.raises(FileExistsError, match="no socket"):
            open_socket(tmp_path / "router.sock")
        assert (tmp_path / "router.sock").read_text() == "mine"

    def test_a_path_that_is_too_long_is_said(self, tmp_path):
        with pytest.raises(OSError, match="too long"):
            open_socket(tmp_path / ("x" * 200))
        assert list(tmp_path.iterdir()) == []


async def test_an_answer_that_does_not_fit_the_buffer_is_sent_whole(tmp_path):
    large = b"x" * (4 * 1024 * 1024)
    async with bridged(tmp_path) as (bridge, path):

        async def answer(body):
            return large

        bridge._calls._methods["large"] = answer
        (reply,) = await exchange(path, encode_call("large"))
    assert reply.payload == large


async def test_a_library_that_takes_no_answer_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(connection_module, "SEND_TIMEOUT", 0.05)
    async with bridged(tmp_path) as (bridge, path):

        async def answer(body):
            return b"x" * (4 * 1024 * 1024)

        bridge._calls._methods["large"] = answer
        async with await trio.open_unix_socket(str(path)) as stream:
            await stream.send_all(encode_call("large"))
            while not bridge.connections:
                await trio.lowlevel.checkpoint()
            while bridge.connections:
                await trio.lowlevel.checkpoint()
        assert await exchange(path, encode_ping())


async def test_frames_behind_an_open_pick_wait_for_its_answer(tmp_path):
    async with bridged(tmp_path) as (bridge, path), await trio.open_unix_socket(str(path)) as stream:
        bridge._calls._door.open = True
        await stream.send_all(encode_call("scheduler.pick", b"{}") + encode_ping())
        pick = await bridge._calls._door.mailbox.next()
        await trio.testing.wait_all_tasks_blocked(0.01)
        pick.give(None)
        received, answers = Frames(), []
        while len(answers) < 2:
            answers += received.feed(await stream.receive_some())
    assert [answer.kind for answer in answers] == [REPLY, PONG]


async def test_an_answer_that_comes_too_late_reaches_nobody_else(tmp_path):
    """The next connection has the descriptor of the one that is gone."""
    async with bridged(tmp_path) as (bridge, path):
        bridge._calls._door.open = True
        async with await trio.open_unix_socket(str(path)) as gone:
            await gone.send_all(encode_call("scheduler.pick", b"{}"))
            pick = await bridge._calls._door.mailbox.next()
        await until(lambda: bridge.connections == 0)
        async with await trio.open_unix_socket(str(path)) as other:
            await until(lambda: bridge.connections == 1)
            pick.give(None)
            await other.send_all(encode_ping())
            assert [frame.kind for frame in Frames().feed(await other.receive_some())] == [PONG]


async def test_who_reads_none_of_its_answers_is_hung_up_on(tmp_path):
    async with bridged(tmp_path) as (bridge, path), await trio.open_unix_socket(str(path)) as stream:
        picks = encode_call("scheduler.pick", b"{}") * 100_000
        with pytest.raises(trio.BrokenResourceError):
            await stream.send_all(picks)
        await until(lambda: bridge.connections == 0)


async def test_a_bug_costs_one_connection(tmp_path, monkeypatch):
    async with bridged(tmp_path) as (bridge, path):
        monkeypatch.setattr(bridge._link, "attach", lambda *_: 1 / 0)
        assert await exchange(path, encode_attach({"pid": "1"})) == []
        assert await exchange(path, encode_ping())
