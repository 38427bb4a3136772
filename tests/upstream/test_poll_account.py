"""Credential and poll together: the whole way of one account."""

import pytest
import trio
from attrs import Factory, define

from qr.upstream.credentials import AuthEntry, Credential
from qr.upstream.errors import HostNotReadyError, UpstreamError
from qr.upstream.questions import Endpoints
from qr.upstream.usage import PollOptions, poll_account

from .servers import CLAUDE_BODY, ConnectProxy, Provider, hangs, says, says_json, serving

ANN = AuthEntry("ann.json", "claude", "aa11")


@define
class Source:
    """Hands out the credentials of its script, the last one for ever; an error among them is raised."""

    script: list[Credential | UpstreamError]
    skipped: tuple[()] = ()
    fetched: list[str] = Factory(list)

    async def list(self):
        return [ANN]

    async def fetch(self, entry):
        self.fetched.append(entry.id)
        found = self.script[0] if len(self.script) == 1 else self.script.pop(0)
        if isinstance(found, UpstreamError):
            raise found
        return found


OLD, NEW = Credential("claude", "old"), Credential("claude", "new")
EXPIRED = says_json({"error": {"type": "authentication_error", "message": "OAuth token has expired."}}, 401)


@pytest.fixture
def ask_account(connect):
    async def ask_account(source, url="http://127.0.0.1:1", entry=ANN, proxy_url="", environ=None):
        options = PollOptions(Endpoints(url, f"{url}/backend-api"), proxy_url=proxy_url)
        with trio.fail_after(5):
            return await poll_account(source, entry, options=options, connect=connect, environ=environ or {})

    return ask_account


async def test_the_credential_is_fetched_for_the_poll(ask_account):
    async with serving(Provider([says_json(CLAUDE_BODY)])) as provider:
        result = await ask_account(source := Source([OLD]), provider.url)
        assert provider.headers["authorization"] == "Bearer old"
    assert result.observation.full
    assert source.fetched == ["ann.json"]


async def test_an_expired_token_is_fetched_again_and_the_new_one_tried_once(ask_account):
    async with serving(Provider([EXPIRED, says_json(CLAUDE_BODY)])) as provider:
        result = await ask_account(Source([OLD, NEW]), provider.url)
        assert provider.headers["authorization"] == "Bearer new"
    assert result.observation.full
    assert result.error is None


async def test_the_same_token_is_not_tried_again(ask_account):
    async with serving(Provider([EXPIRED])) as provider:
        result = await ask_account(source := Source([OLD]), provider.url)
        assert len(provider.heads) == 1
    assert result.failure.cls == "auth_refreshable"
    assert len(source.fetched) == 2


async def test_a_second_refusal_is_the_last_word(ask_account):
    async with serving(Provider([EXPIRED])) as provider:
        result = await ask_account(Source([OLD, NEW, Credential("claude", "newest")]), provider.url)
        assert len(provider.heads) == 2
    assert result.failure.cls == "auth_refreshable"


async def test_when_the_credential_cannot_be_fetched_again_the_refusal_stands(ask_account):
    async with serving(Provider([EXPIRED])) as provider:
        result = await ask_account(Source([OLD, HostNotReadyError("later")]), provider.url)
    assert result.failure.cls == "auth_refreshable"


@pytest.mark.parametrize("status", [403, 429, 500])
async def test_other_refusals_are_no_reason_to_fetch_again(ask_account, status):
    async with serving(Provider([says(status)])) as provider:
        await ask_account(source := Source([OLD, NEW]), provider.url)
    assert len(source.fetched) == 1


async def test_a_credential_that_cannot_be_had_is_an_error_in_the_result(ask_account):
    result = await ask_account(Source([HostNotReadyError("the host is not ready")]))
    assert result.error == "the host is not ready"
    assert result.pollable


@pytest.mark.parametrize(
    "entry",
    [
        AuthEntry("k", "claude", account_type="api_key"),
        AuthEntry("g", "gemini"),
        AuthEntry("b", "claude", has_base_url=True),
    ],
)
async def test_who_is_not_polled_has_no_credential_fetched(ask_account, entry):
    result = await ask_account(source := Source([OLD]), entry=entry)
    assert not result.pollable
    assert result.error
    assert source.fetched == []


async def test_a_base_url_in_the_file_alone_is_seen_too(ask_account):
    result = await ask_account(Source([Credential("claude", "at", base_url="https://gateway.example")]))
    assert not result.pollable


async def test_a_file_of_another_provider_is_not_sent_anywhere(ask_account):
    result = await ask_account(Source([Credential("gemini", "at")]))
    assert "no usage endpoint" in result.error


@pytest.fixture
async def proxies():
    """Two HTTP proxies that forward to whatever they are asked for."""
    async with serving(ConnectProxy()) as one, serving(ConnectProxy()) as other:
        yield one, other


@pytest.fixture
async def provider():
    async with serving(Provider([says_json(CLAUDE_BODY)])) as provider:
        yield provider


async def test_the_proxy_of_the_account_comes_before_all_others(ask_account, proxies, provider):
    mine, other = proxies
    credential = Credential("claude", "at", proxy_url=f"http://127.0.0.1:{mine.port}")
    environ = {"ALL_PROXY": f"http://127.0.0.1:{other.port}"}
    result = await ask_account(Source([credential]), provider.url, environ=environ)
    assert result.error is None
    assert (len(mine.targets), len(other.targets)) == (1, 0)


async def test_the_setting_and_then_the_environment_are_inherited(ask_account, proxies, provider):
    setting, environment = proxies
    environ = {"http_proxy": f"127.0.0.1:{environment.port}"}
    for proxy_url, uses in ((f"http://127.0.0.1:{setting.port}", (1, 0)), ("", (1, 1)), ("direct", (1, 1))):
        result = await ask_account(Source([OLD]), provider.url, proxy_url=proxy_url, environ=environ)
        assert result.error is None
        assert (len(setting.targets), len(environment.targets)) == uses


async def test_a_malformed_proxy_fails_the_poll_and_never_goes_direct(ask_account):
    async with serving(Provider([hangs])) as provider:
        result = await ask_account(Source([Credential("claude", "at", proxy_url="sock5://a")]), provider.url)
        assert provider.heads == []
    assert result.error.startswith("the account's proxy_url is malformed")
