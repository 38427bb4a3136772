"""Attacks over a real socket: each line of the specification's "Security" is tried to be broken."""

import httpx
import pytest

from qr.actors.account_state import Entry
from tests.web.site import ANN, running

# Every kind of data: the API, the feed for polling, metrics, the document of the API.
DATA = [
    "/api/v1/accounts",
    "/api/v1/health",
    "/api/v1/settings",
    "/api/v1/sessions",
    "/api/v1/decisions",
    "/api/v1/next",
    "/api/v1/openapi.json",
    "/api/v1/events",
    "/events",
    "/metrics",
    "/api/v1/nothing",
    "/nothing",
    "/api/v1/decisions/1",
    "/Api/v1/health",
    "//api/v1/health",
    "/static/../api/v1/health",
    "/static/%2e%2e/api/v1/health",
    "/./api/v1/health",
]

PAUSE = "/api/v1/accounts/pause"


@pytest.mark.parametrize("path", DATA)
async def test_no_data_without_authentication(fleet, path):
    """The path goes over the wire as it stands."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = await fleet.raw(request.encode())
    assert answer.split()[1] in (b"401", b"404", b"308")
    assert b"ann" not in answer
    assert b"quota_router_" not in answer


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz"])
async def test_what_holds_no_data_needs_no_login(stranger, path):
    answer = await stranger.get(path)
    assert answer.status_code in (200, 404)
    assert ANN not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8318", "127.0.0.1.nip.io", "", "localhost, evil.example"]
)
@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/login?token={token}", "/live"])
async def test_a_rebound_name_gets_nothing_not_even_the_page(fleet, host, path):
    """With the token and the cookie, as if the attacker had got both."""
    token = fleet.service.access.token
    request = (
        f"GET {path.format(token=token)} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        f"Cookie: {fleet.cookie}\r\nConnection: close\r\n\r\n"
    )
    answer = await fleet.raw(request.encode())
    assert answer.split()[1] in (b"421", b"404", b"400")
    assert b"Set-Cookie" not in answer


FOREIGN = ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1", "file://"]


@pytest.mark.parametrize("origin", FOREIGN)
async def test_another_origin_writes_nothing_with_the_cookie(fleet, stranger, origin):
    answer = await stranger.post(
        PAUSE, json={"account": ANN}, headers={"Cookie": fleet.cookie, "Origin": origin}
    )
    assert answer.status_code == 403
    assert not fleet.house.supervisor.fleet.get(ANN).paused


@pytest.mark.parametrize("origin", FOREIGN)
async def test_another_origin_reads_nothing_and_is_told_no_origin_is_allowed(fleet, stranger, origin):
    answer = await stranger.get("/api/v1/accounts", headers={"Cookie": fleet.cookie, "Origin": origin})
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_with_the_cookie_a_write_without_origin_is_refused(fleet, stranger):
    """Old browsers and plain forms send none."""
    answer = await stranger.post(PAUSE, json={"account": ANN}, headers={"Cookie": fleet.cookie})
    assert answer.status_code == 403


async def test_with_the_token_a_write_needs_no_origin(fleet, stranger):
    header = {"Authorization": f"Bearer {fleet.service.access.token}"}
    assert (await stranger.post(PAUSE, json={"account": ANN}, headers=header)).status_code == 200


async def test_our_own_page_may_write(fleet, stranger):
    headers = {"Cookie": fleet.cookie, "Origin": fleet.origin}
    assert (await stranger.post(PAUSE, json={"account": ANN}, headers=headers)).status_code == 200
    assert fleet.house.supervisor.fleet.get(ANN).paused


@pytest.mark.parametrize("sender", ["cross-site", "same-site"])
async def test_another_site_on_the_same_machine_is_told_apart(fleet, stranger, sender):
    """The page on another port gets the cookie sent along; the browser says where it comes from."""
    headers = {"Cookie": fleet.cookie, "Sec-Fetch-Site": sender}
    assert (await stranger.get("/api/v1/accounts", headers=headers)).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
async def test_what_a_form_can_send_is_not_taken(fleet, stranger, kind):
    headers = {"Cookie": fleet.cookie, "Origin": fleet.origin, "Content-Type": kind}
    answer = await stranger.post(PAUSE, content=b'{"account":"%b"}' % ANN.encode(), headers=headers)
    assert answer.status_code == 415
    assert not fleet.house.supervisor.fleet.get(ANN).paused


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
async def test_an_action_is_a_post_and_nothing_else(fleet, method):
    answer = await fleet.client.request(method, PAUSE, params={"account": ANN})
    assert answer.status_code == 405


EVERYWHERE = ["/", "/nothing", "/api/v1/health", "/healthz", "/login?token=x", "/metrics", "/static/none.js"]


@pytest.mark.parametrize("path", EVERYWHERE)
async def test_every_answer_carries_the_strict_headers(fleet, stranger, path):
    for client in (fleet.client, stranger):
        answer = await client.get(path)
        policy = answer.headers["Content-Security-Policy"]
        directives = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
        assert directives["default-src"] == "'none'"
        assert directives["script-src"] == directives["style-src"] == "'self'"
        assert directives["frame-ancestors"] == "'none'"
        assert directives["require-trusted-types-for"] == "'script'"
        assert "unsafe" not in policy
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


async def test_a_refused_handshake_carries_them_too(fleet):
    request = (
        "GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    answer = await fleet.raw(request.encode())
    assert answer.startswith(b"HTTP/1.1 401")
    assert b"content-security-policy" in answer.lower()


@pytest.mark.parametrize("path", ["/api/v1/accounts", "/events", "/metrics", "/api/v1/nothing"])
async def test_no_copy_of_data_is_kept(fleet, path):
    assert (await fleet.client.get(path)).headers["Cache-Control"] == "no-store"


async def test_no_answer_says_what_it_was_made_with(fleet):
    answer = await fleet.client.get("/api/v1/nothing")
    assert "Server" not in answer.headers
    assert "hypercorn" not in answer.text.lower() + str(answer.headers).lower()


HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202e{{7*7}}"


async def test_hostile_names_come_as_plain_json_text(fleet):
    """Escaping is the page's business; the API's is to send them as JSON, which nothing renders."""
    await fleet.list(Entry(HOSTILE, "claude", HOSTILE))
    await fleet.healthy(HOSTILE)
    await fleet.pick("1", model=HOSTILE, names=(HOSTILE,))
    for path in ("/accounts", "/decisions", "/sessions", "/next"):
        answer = await fleet.client.get(f"/api/v1{path}")
        assert answer.headers["Content-Type"] == "application/json"
        assert HOSTILE in set(texts(answer.json()))
    assert "onerror" not in (await fleet.client.get("/metrics")).text


def texts(value):
    """All texts in an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for own in value.values():
            yield from texts(own)
    elif isinstance(value, list):
        for own in value:
            yield from texts(own)


WRITE = (
    "PATCH /api/v1/settings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    "Content-Type: application/json\r\nConnection: close\r\n"
)


async def test_too_large_a_body_is_refused_and_not_read(fleet):
    head = WRITE.format(token=fleet.service.access.token) + "Content-Length: 600000\r\n\r\n"
    assert b" 413 " in (await fleet.raw(head.encode())).partition(b"\r\n")[0]


async def test_a_chunked_body_without_end_is_cut(fleet):
    head = WRITE.format(token=fleet.service.access.token) + "Transfer-Encoding: chunked\r\n\r\n"
    chunks = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert b" 413 " in (await fleet.raw(head.encode() + 12 * chunks)).partition(b"\r\n")[0]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"x"',
        b"\xff\xfe",
        b'{"account": 7}',
        b'{"account": null}',
        b"{}",
        b'{"account":"a","more":1}',
        b'{"account":"\\ud800"}',
        b"[" * 50_000,
        b'{"account":' + b"[" * 50_000,
        b'{"account":"a"}{"account":"b"}',
        b"\0" * 100,
    ],
)
async def test_no_body_breaks_a_route(fleet, body):
    headers = {"Content-Type": "application/json"}
    answer = await fleet.client.post(PAUSE, content=body, headers=headers)
    assert answer.status_code in (400, 404)
    assert answer.headers["Content-Type"] == "application/problem+json"


async def test_the_owners_socket_needs_no_token_and_is_the_owners_alone(fleet, tmp_path):
    path = tmp_path / "web.sock"
    assert path.stat().st_mode & 0o777 == 0o600
    transport = httpx.AsyncHTTPTransport(uds=str(path))
    async with httpx.AsyncClient(base_url="http://owner", transport=transport) as owner:
        assert (await owner.get("/api/v1/accounts")).status_code == 200
        assert (await owner.post(PAUSE, json={"account": ANN})).status_code == 200
        foreign = await owner.get("/api/v1/accounts", headers={"Origin": "http://evil.example"})
        assert foreign.status_code == 403


async def test_nobody_can_claim_another_entrance(fleet, stranger):
    headers = {
        "quota_router.entrance": "owner",
        "X-Quota-Router-Entrance": "owner",
        "X-Forwarded-For": "127.0.0.1",
    }
    assert (await stranger.get("/api/v1/accounts", headers=headers)).status_code == 401


async def test_two_services_on_one_machine_do_not_share_a_cookie(fleet, tmp_path_factory):
    async with running(tmp_path_factory.mktemp("other")) as other:
        assert fleet.cookie.partition("=")[0] != other.cookie.partition("=")[0]
