"""What clients do to a server: send what is no HTTP, stop reading, stop sending, come in crowds."""

import json
import socket

import pytest
import trio

from qr.web import server
from tests.web.site import ask, running


def lines(*parts):
    """A request's head of these lines, each for this service unless it names another one."""
    first, *headers = parts
    return b"\r\n".join((first, b"Host: localhost", *headers, b"", b""))


CLOSE = b"Connection: close"
GET, POST = b"GET / HTTP/1.1", b"POST /login HTTP/1.1"
CHUNKS = b"Transfer-Encoding: chunked"
UPGRADE = lines(
    b"GET /live HTTP/1.1",
    b"Authorization: Bearer {token}",
    b"Upgrade: websocket",
    b"Connection: Upgrade",
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    b"Sec-WebSocket-Version: 13",
)

MALFORMED = {
    "bytes after an upgrade": UPGRADE + b"\xff\xff\xff\xff garbage",
    "an upgrade with a body": UPGRADE[:-2] + b"Content-Length: 5\r\n\r\nhello",
    "an upgrade without a key": UPGRADE.replace(b"Sec-WebSocket-Key", b"X-Key"),
    "an upgrade of another version": UPGRADE.replace(b"Version: 13", b"Version: 12"),
    "an upgrade to something else": UPGRADE.replace(b"Upgrade: websocket", b"Upgrade: h2c"),
    "an upgrade twice": UPGRADE * 2,
    "a malformed chunk": lines(POST, CHUNKS) + b"zz\r\n",
    "a negative chunk": lines(POST, CHUNKS) + b"-1\r\n",
    "a huge chunk": lines(POST, CHUNKS) + b"ffffffffffffffffff\r\n",
    "a chunk that is cut off": lines(POST, CHUNKS) + b"9\r\nabc",
    "two lengths": lines(POST, b"Content-Length: 1", b"Content-Length: 2") + b"x",
    "a length and chunks": lines(POST, b"Content-Length: 1", CHUNKS) + b"x",
    "a length that is none": lines(POST, b"Content-Length: many"),
    "no HTTP at all": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "zeros": b"\0" * 4096,
    "a line without end": b"GET /" + b"a" * 100_000,
    "headers without end": GET + b"\r\n" + b"X: y\r\n" * 20_000,
    "no host": GET + b"\r\n\r\n",
    "two hosts": lines(GET, b"Host: evil.example"),
    "a path that is no ASCII": lines("GET /é HTTP/1.1".encode()),
    "a path of bytes": lines(b"GET /\xff\xfe HTTP/1.1"),
    "a path with a broken escape": lines(b"GET /%zz%ff HTTP/1.1", CLOSE),
    "a path that is a URL": lines(b"GET http://evil.example/ HTTP/1.1", CLOSE),
    "a path that is a star": lines(b"OPTIONS * HTTP/1.1", CLOSE),
    "a connection to elsewhere": lines(b"CONNECT evil.example:443 HTTP/1.1", CLOSE),
    "header names with blanks": lines(GET, b"X : y"),
    "header values with controls": lines(GET, b"X: a\0b"),
    "bare line feeds": lines(GET, CLOSE).replace(b"\r\n", b"\n"),
    "folded headers": lines(GET, b"X: a", b" b", CLOSE),
    "HTTP/2 by prior knowledge": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 64,
    "HTTP/2 by upgrade": lines(
        GET, b"Upgrade: h2c", b"HTTP2-Settings: AAAA", b"Connection: Upgrade, HTTP2-Settings"
    ),
    "HTTP/0.9": b"GET /\r\n",
    "HTTP/3.0": lines(b"GET / HTTP/3.0"),
    "an expectation": lines(POST, b"Expect: 100-continue", b"Content-Length: 5") + b"hell",
    "pipelined requests": lines(b"GET /healthz HTTP/1.1") * 50,
    "a cookie that is none": lines(b"GET /api/v1/health HTTP/1.1", b'Cookie: \xff=;;;="\\', CLOSE),
    "a form that is none": lines(POST, b"Content-Type: multipart/form-data", b"Content-Length: 3", CLOSE)
    + b"--\r",
    "nothing": b"",
}


async def half(site, sent: bytes) -> bytes:
    """Send, say that nothing follows, and take what comes."""
    token = site.service.access.token.encode()
    stream = await trio.open_tcp_stream(*site.address)
    received = bytearray()
    async with stream:
        try:
            await stream.send_all(sent.replace(b"{token}", token))
            await stream.send_eof()
            async for piece in stream:
                received += piece
        except trio.BrokenResourceError:
            pass
    return bytes(received)


@pytest.mark.parametrize("name", MALFORMED)
async def test_malformed_input_ends_its_own_connection_only(site, name):
    """Another page is open on the feed meanwhile, and notices nothing."""
    async with site.live() as page:
        first = await ask(page)
        with trio.fail_after(5):
            received = await half(site, MALFORMED[name])
        assert b"Traceback" not in received
        again = await ask(page)
        assert again["epoch"] == first["epoch"]
    answer = await site.client.get("/healthz")
    assert answer.status_code == 200
    assert site.house.lives["web"].restarts == 0


async def test_the_known_killers_in_a_row_cost_nobody_else_anything(site):
    for _ in range(10):
        for name in ("bytes after an upgrade", "a malformed chunk"):
            await half(site, MALFORMED[name])
    assert site.service.server.failed > 0
    assert site.house.lives["web"].restarts == 0
    assert (await site.client.get("/readyz")).status_code == 200


@pytest.mark.parametrize(
    "frames",
    {
        "a frame that is not masked": b"\x81\x02{}",
        "a reserved opcode": b"\x83\x80\0\0\0\0",
        "a fragment of nothing": b"\x80\x80\0\0\0\0",
        "a control frame that is too long": b"\x89\xfe\x01\x00\0\0\0\0" + b"x" * 256,
        "a frame longer than memory": b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
        "text that is no UTF-8": b"\x81\x82\0\0\0\0\xff\xfe",
        "a close without a code": b"\x88\x81\0\0\0\0x",
        "reserved bits": b"\xf1\x80\0\0\0\0",
        "an empty text": b"\x81\x80\0\0\0\0",
        "an empty binary": b"\x82\x80\0\0\0\0",
        "garbage": bytes(range(256)),
        "a flood of pings": b"\x89\x80\0\0\0\0" * 500,
        "a flood of asks": b"\x81\x82\0\0\0\0{}" * 500,
    }.items(),
    ids=lambda item: item[0],
)
async def test_malformed_frames_end_their_own_connection_only(site, frames):
    token = site.service.access.token.encode()
    stream = await trio.open_tcp_stream(*site.address)
    async with stream:
        await stream.send_all(UPGRADE.replace(b"{token}", token))
        assert b" 101 " in await stream.receive_some()
        try:
            await stream.send_all(frames[1])
            await stream.send_eof()
            async for _ in stream:
                pass
        except trio.BrokenResourceError:
            pass
    assert (await site.client.get("/healthz")).status_code == 200
    await site.settled()
    assert site.desk.listeners == 0
    assert site.house.lives["web"].restarts == 0


async def stalled(site, sent: bytes) -> trio.SocketStream:
    """A client with the smallest of buffers that sends and never reads."""
    peer = trio.socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    await peer.connect(site.address)
    stream = trio.SocketStream(peer)
    await stream.send_all(sent)
    return stream


async def test_a_client_that_stops_reading_holds_up_neither_a_pick_nor_the_end(fleet):
    """By structure: a write to it waits in a task of its own, and has a deadline of its own."""
    login = f"Authorization: Bearer {fleet.service.access.token}".encode()
    head = lines(b"GET /api/v1/openapi.json HTTP/1.1", login)
    streams = [await stalled(fleet, head * 20) for _ in range(5)]
    await fleet.settled()
    decision = await fleet.pick("1")
    assert decision.account
    assert (await fleet.client.get("/healthz")).status_code == 200
    with trio.fail_after(server.GRACE + 3):
        fleet.house.lives["web"].kill()
        while not fleet.house.lives["web"].restarts:
            await trio.lowlevel.checkpoint()
    for stream in streams:
        await stream.aclose()


async def test_a_write_that_nobody_takes_ends_with_its_connection(nursery, mock_clock):
    """Even where the writer is shielded, as Hypercorn's is."""
    mock_clock.autojump_threshold = 0
    ours, theirs = socket.socketpair()
    bounded = server.BoundedStream(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
    with pytest.raises(trio.BrokenResourceError), trio.CancelScope(shield=True):
        await bounded.send_all(b"x" * 10_000_000)
    assert trio.current_time() == pytest.approx(server.WRITE_PATIENCE, abs=1)
    assert ours.fileno() == -1 or bounded.socket.fileno() == -1
    theirs.close()


async def test_a_killed_web_comes_back_on_the_same_address(site):
    for _ in range(3):
        site.house.lives["web"].kill()
        await site.settled()
        answer = await site.raw(lines(b"GET /healthz HTTP/1.1", CLOSE))
        assert answer.endswith(b"ok\n")
    assert site.house.lives["web"].restarts == 3


async def test_pages_are_told_that_the_service_stops(tmp_path):
    async with running(tmp_path) as site, site.live() as page:
        await ask(page)
        await page.send_message(json.dumps({"after": 0, "epoch": site.desk.epoch}))
        await site.settled()
        site.house.lives["web"].kill()
        assert await page.get_message() == '{"kind":"closing"}'


async def test_a_crowd_is_turned_away_at_the_door(site, tmp_path, monkeypatch):
    """The bound is lowered here: 512 connections would cost the test more than they teach."""
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 3)
    streams = [await trio.open_tcp_stream(*site.address) for _ in range(6)]
    await site.settled()
    assert site.service.server.turned_away == 3
    async with await trio.open_unix_socket(str(tmp_path / "web.sock")) as owner:
        await owner.send_all(lines(b"GET /healthz HTTP/1.1", CLOSE))
        assert b" 200 " in await owner.receive_some()
    for stream in streams:
        await stream.aclose()
    await site.settled()
    assert (await site.client.get("/healthz")).status_code == 200


async def test_a_connection_that_says_close_is_closed(site):
    answer = await site.raw(lines(b"GET /healthz HTTP/1.1", CLOSE))
    assert answer.endswith(b"ok\n")


async def test_a_request_that_never_ends_is_cut(site):
    """The patience is shortened here: what is tested is that it ends."""
    site.service.server._config.keep_alive_timeout = 0.05
    assert await site.raw(b"GET / HTTP/1.1\r\nHost: local") == b""
