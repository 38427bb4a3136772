"""One poll against a real server: what is asked, what is believed, and how everything else ends."""

import socket

import httpx
import pytest
import trio

from qr import __version__
from qr.settings import Settings
from qr.upstream.credentials import Credential
from qr.upstream.usage import Limits, poll, poll_options

from .servers import (
    CLAUDE_BODY,
    CODEX_BODY,
    Provider,
    drips,
    endless,
    hangs,
    percents,
    says,
    says_json,
    serving,
)

OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


async def test_claude_is_asked_with_exactly_these_headers(ask):
    async with serving(Provider([says_json(CLAUDE_BODY)])) as provider:
        result = await ask(provider.url)
        assert provider.request_line == "GET /api/oauth/usage HTTP/1.1"
        assert provider.headers == {
            "host": f"127.0.0.1:{provider.port}",
            "authorization": "Bearer token-in-use",
            "anthropic-beta": "oauth-2025-04-20",
            "accept": "application/json",
            "accept-encoding": "gzip",
            "user-agent": "qr/test",
        }
    assert percents(result) == {"five_hour": 31.0, "weekly": 54.0, "weekly:fable": 81.0}
    assert (result.error, result.failure, result.status) == (None, None, 200)
    assert result.observation.observed_at == 1788270000.0
    assert result.observation.full
    assert 0 < result.duration < 5


@pytest.mark.parametrize("account_id", ["acct-1", ""])
async def test_codex_is_asked_for_the_account_when_it_is_known(ask, account_id):
    async with serving(Provider([says_json(CODEX_BODY)])) as provider:
        result = await ask(provider.url, provider="codex", account_id=account_id)
        assert provider.request_line == "GET /backend-api/wham/usage HTTP/1.1"
        assert provider.headers.get("chatgpt-account-id", "") == account_id
        assert provider.headers["authorization"] == "Bearer token-in-use"
        assert "anthropic-beta" not in provider.headers
    assert percents(result) == {"five_hour": 23.0, "weekly": 61.0}


async def asked_with(settings, provider):
    """The one request that a poll under *settings* makes."""
    requests = []

    def answer(request):
        requests.append(request)
        return httpx.Response(200)

    await poll(
        Credential(provider, "token"),
        options=poll_options(settings),
        proxy=None,
        connect=lambda _: httpx.MockTransport(answer),
    )
    (request,) = requests
    return request.method, str(request.url), request.headers["user-agent"]


async def test_the_settings_say_where_and_as_whom_is_asked():
    ours = f"quota-router/{__version__}"
    claude, codex = "https://api.anthropic.com/api/oauth/usage", "https://chatgpt.com/backend-api/wham/usage"
    assert await asked_with(Settings(), "claude") == ("GET", claude, ours)
    assert await asked_with(Settings(), "codex") == ("GET", codex, ours)
    elsewhere = Settings(
        claude_base_url="http://127.0.0.1:9/claude",
        codex_base_url="http://127.0.0.1:9",
        poll_user_agent="claude-code/2.1.0",
    )
    assert await asked_with(elsewhere, "claude") == (
        "GET",
        "http://127.0.0.1:9/claude/api/oauth/usage",
        "claude-code/2.1.0",
    )
    assert (await asked_with(elsewhere, "codex"))[1] == "http://127.0.0.1:9/api/codex/usage"


async def test_a_redirect_is_not_followed(ask):
    async with serving(Provider([says_json(CLAUDE_BODY)])) as elsewhere, serving(Provider([])) as provider:
        provider.script.append(says(307, location=f"{elsewhere.url}/api/oauth/usage"))
        result = await ask(provider.url)
    assert result.status == 307
    assert elsewhere.heads == []


async def test_cookies_are_not_kept(ask):
    async with serving(Provider([says_json(CLAUDE_BODY, set_cookie="a=b; Path=/")])) as provider:
        await ask(provider.url)
        await ask(provider.url)
        assert "cookie" not in provider.headers


SLOW = {
    "never answers": hangs,
    "a head that drips": drips(OK, 0.05),
    "a body that drips": drips(OK + b"content-length: 9\r\n\r\n123456789", 0.02),
}


@pytest.mark.parametrize("behaviour", SLOW.values(), ids=SLOW)
async def test_a_slow_answer_is_given_up_after_the_time_for_the_whole_poll(ask, behaviour):
    async with serving(Provider([behaviour])) as provider:
        result = await ask(provider.url, limits=Limits(connect=0.1, whole=0.2))
    assert result.error == "no complete answer within 0.2 s"
    assert 0.15 < result.duration < 1


async def test_a_poll_that_is_cancelled_ends_at_once(ask):
    async with serving(Provider([hangs])) as provider:
        with trio.move_on_after(0.05) as scope:
            await ask(provider.url, limits=Limits(whole=60))
    assert scope.cancelled_caught


SMALL = Limits(connect=0.5, whole=2, body=4096)

REFUSALS = {
    "expired": (
        says_json({"type": "error", "error": {"type": "authentication_error", "message": "Invalid"}}, 401),
        "auth_refreshable",
        None,
    ),
    "revoked": (
        says_json({"error": {"message": "OAuth token has been revoked. Please log in again."}}, 403),
        "auth_permanent",
        None,
    ),
    "throttled": (
        says_json({"error": {"type": "rate_limit_error"}}, 429, retry_after="3037"),
        "rate_limited",
        3037,
    ),
    "throttled for zero seconds": (says(429, retry_after="0"), "rate_limited", None),
    "throttled until a date": (says(429, retry_after="Tue, 01 Sep 2026 13:41:00 GMT"), "rate_limited", 60),
    "throttled until a date gone by": (
        says(429, retry_after="Tue, 01 Sep 2026 09:00:00 GMT"),
        "rate_limited",
        None,
    ),
    "a page of the edge": (says(503, b"<html>", content_type="text/html", retry_after="30"), "transient", 30),
    "overloaded": (says_json({"error": {"type": "overloaded_error"}}, 529), "overloaded", None),
    "a refusal cut off": (says(429, b"{", length=99, retry_after="60"), "rate_limited", 60),
    "a refusal without end": (
        endless(b"HTTP/1.1 429 No\r\nretry-after: 60\r\n\r\n", b"x" * 65_536),
        "rate_limited",
        60,
    ),
    "a refusal in brotli": (says(500, b"\x0b", content_encoding="br"), "transient", None),
}


@pytest.mark.parametrize(("behaviour", "cls", "retry_after"), REFUSALS.values(), ids=REFUSALS)
async def test_a_refusal_is_read_for_its_meaning(ask, behaviour, cls, retry_after):
    async with serving(Provider([behaviour])) as provider:
        result = await ask(provider.url, limits=SMALL)
    assert result.failure.cls == cls
    assert result.retry_after == retry_after
    assert str(result.status) in result.error
    assert result.observation is None
    assert result.pollable


async def test_a_token_without_the_scope_for_usage_is_told_apart(ask):
    body = {
        "error": {
            "type": "permission_error",
            "message": "OAuth token does not meet scope requirement user:profile",
        }
    }
    async with serving(Provider([says_json(body, 403)])) as provider:
        result = await ask(provider.url)
    assert result.failure.scope_missing
    assert "scope" in result.error


async def test_nobody_listens(ask):
    async with serving(Provider([hangs])) as provider:
        pass
    result = await ask(provider.url)
    assert result.error == "connection refused"
    assert result.status is None


class HangsUp:
    port = 0

    async def __call__(self, stream):
        await stream.receive_some()


class NoSuchName(trio.abc.HostnameResolver):
    async def getaddrinfo(self, *_):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def getnameinfo(self, *_):
        raise NotImplementedError


async def test_a_name_that_does_not_exist(ask):
    trio.socket.set_custom_hostname_resolver(NoSuchName())
    result = await ask("http://provider.test")
    assert result.error == "the host name cannot be resolved"


async def test_tls_with_a_trusted_certificate(ask_tls, server_tls):
    async with serving(Provider([says_json(CLAUDE_BODY)]), server_tls) as provider:
        result = await ask_tls(f"https://localhost:{provider.port}")
    assert percents(result)["weekly"] == 54.0


async def test_a_self_signed_certificate_is_not_trusted(ask, server_tls):
    async with serving(Provider([says_json(CLAUDE_BODY)]), server_tls) as provider:
        result = await ask(f"https://localhost:{provider.port}")
        assert result.error == "the certificate is not trusted"
        assert provider.heads == []


async def test_a_tls_handshake_that_hangs_is_given_up(ask):
    async with serving(Provider([hangs])) as provider:
        result = await ask(provider.url.replace("http:", "https:"), limits=Limits(connect=5, whole=0.2))
    assert "0.2 s" in result.error


async def test_a_server_without_tls_where_tls_is_expected(ask):
    """The server takes the handshake for the head of a request that never ends, and answers nothing."""
    async with serving(Provider([says(200)])) as provider:
        result = await ask(provider.url.replace("http:", "https:"), limits=Limits(connect=0.2, whole=1))
    assert result.error == "no connection in time"


async def test_a_server_that_hangs_up_in_the_tls_handshake(ask):
    async with serving(HangsUp()) as server:
        result = await ask(f"https://127.0.0.1:{server.port}")
    assert result.error in ("the TLS handshake failed", "could not connect")


@pytest.mark.parametrize(
    "base", ["", "ftp://127.0.0.1", "127.0.0.1:80", "http://", "http://a:b@h", "http://h?q", "http://[::1"]
)
async def test_a_base_url_that_is_none_fails_the_poll(ask, base):
    result = await ask(base)
    assert "claude_base_url" in result.error


async def test_a_user_agent_that_no_header_can_hold_fails_the_poll(ask):
    async with serving(Provider([says_json(CLAUDE_BODY)])) as provider:
        for agent in ("two\r\nlines", "é"):
            assert (await ask(provider.url, user_agent=agent)).error


async def test_an_account_with_a_base_url_is_never_asked(connect):
    credential = Credential("claude", "token", base_url="https://gateway.example")
    result = await poll(credential, options=poll_options(Settings()), proxy=None, connect=connect)
    assert not result.pollable
    assert "base_url" in result.error
