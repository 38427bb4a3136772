"""The host's callbacks, answered by a small host."""

import json

import pytest
import trio
from attrs import Factory, define

from qr.upstream.credentials import AuthEntry
from qr.upstream.errors import (
    CredentialUnusableError,
    HostNotReadyError,
    HostRefusedError,
    HostUnreachableError,
)
from qr.upstream.host import HostCredentials

ANN = {"id": "ann.json", "auth_index": "aa11", "type": "claude", "account_type": "oauth"}
BOB = {"id": "bob.json", "auth_index": "bb22", "type": "codex", "priority": "7", "disabled": True}
KEY = {
    "id": "key.json",
    "auth_index": "cc33",
    "type": "claude",
    "account_type": "api_key",
    "account": "key-itself",
}


@define
class Host:
    """Answers each method with a fixed envelope, and remembers the requests."""

    envelopes: dict[str, bytes]
    requests: list[tuple[str, object]] = Factory(list)

    async def __call__(self, method, request):
        self.requests.append((method, json.loads(request)))
        await trio.lowlevel.checkpoint()
        return self.envelopes[method]


def ok(result) -> bytes:
    return json.dumps({"ok": True, "result": result}).encode()


def refused(message, code="host_call_failed") -> bytes:
    return json.dumps({"ok": False, "error": {"code": code, "message": message}}).encode()


def listing(envelope) -> HostCredentials:
    return HostCredentials(Host({"host.auth.list": envelope}))


def keeping(envelope) -> HostCredentials:
    return HostCredentials(Host({"host.auth.get": envelope}))


async def test_the_list_has_every_account_and_no_api_key():
    source = listing(ok({"files": [ANN, BOB, KEY]}))
    ann, bob, key = await source.list()
    assert (ann.id, ann.auth_index, ann.provider) == ("ann.json", "aa11", "claude")
    assert (bob.priority, bob.disabled) == (7, True)
    assert key.api_key
    assert "key-itself" not in str((key, key.label, key.account_type))
    assert source.skipped == []


async def test_entries_that_cannot_be_asked_for_are_skipped_and_told():
    entries = [ANN, {**BOB, "auth_index": ""}, {"type": "claude", "name": "x"}, 7, None, []]
    source = listing(ok({"files": entries}))
    assert [entry.id for entry in await source.list()] == ["ann.json"]
    assert len(source.skipped) == 5


@pytest.mark.parametrize(
    "envelope", [ok({"files": []}), ok({"files": None}), ok({}), ok(None), b'{"ok":true}']
)
async def test_a_host_without_accounts(envelope):
    assert await listing(envelope).list() == []


@pytest.mark.parametrize(
    "envelope",
    [
        ok({"files": [{"name": "ann.json", "type": "claude"}]}),
        refused("auth directory is unavailable"),
        refused("core auth manager unavailable"),
    ],
)
async def test_early_in_its_life_the_host_is_not_ready(envelope):
    with pytest.raises(HostNotReadyError, match="ask again"):
        await listing(envelope).list()


@pytest.mark.parametrize(
    "envelope",
    [b"", b"null", b"[]", b"{", b"\xff", b'{"ok":true,"result":[]}', ok({"files": {}}), b'{"a":' * 9999],
)
async def test_an_answer_that_is_no_envelope(envelope):
    with pytest.raises(HostUnreachableError, match="contract"):
        await listing(envelope).list()


@pytest.mark.parametrize(
    "envelope",
    [refused("auth file missing: /data/ann@example.com.json"), b'{"ok":false}', b'{"error":7}', b"{}"],
)
async def test_the_hosts_words_are_not_passed_on(envelope):
    with pytest.raises(HostRefusedError) as raised:
        await keeping(envelope).fetch(AuthEntry("ann.json", "claude", "aa11"))
    assert str(raised.value) == "the host refused host.auth.get: see its log"


async def test_a_credential_is_asked_for_by_its_index():
    source = HostCredentials(
        host := Host(
            {"host.auth.get": ok({"auth_index": "aa11", "json": {"type": "claude", "access_token": "at"}})}
        )
    )
    credential = await source.fetch(AuthEntry("ann.json", "claude", "aa11"))
    assert (credential.provider, credential.access_token) == ("claude", "at")
    assert host.requests == [("host.auth.get", {"auth_index": "aa11"})]


async def test_a_file_that_names_no_type_has_the_type_that_was_listed():
    source = keeping(ok({"json": {"access_token": "at"}}))
    assert (await source.fetch(AuthEntry("ann.json", "codex", "aa11"))).provider == "codex"


@pytest.mark.parametrize(
    "entry", [AuthEntry("k", "claude", "cc33", account_type="api_key"), AuthEntry("k", "claude")]
)
async def test_an_api_key_is_never_asked_for(entry):
    source = HostCredentials(host := Host({}))
    with pytest.raises(CredentialUnusableError):
        await source.fetch(entry)
    assert host.requests == []


@pytest.mark.parametrize("result", [{}, None, {"json": None}, {"json": "text"}, {"json": {"type": "claude"}}])
async def test_a_file_without_a_token(result):
    with pytest.raises(CredentialUnusableError):
        await keeping(ok(result)).fetch(AuthEntry("ann.json", "claude", "aa11"))


@pytest.mark.parametrize(
    "error",
    [HostUnreachableError("down"), OSError("down"), trio.BrokenResourceError(), trio.ClosedResourceError()],
)
async def test_without_a_link_there_is_no_host(error):
    async def call(_method, _request):
        raise error

    with pytest.raises(HostUnreachableError):
        await HostCredentials(call).list()


async def test_a_host_that_never_answers_is_given_up(autojump_clock):
    async def call(_method, _request):
        await trio.sleep_forever()

    with pytest.raises(HostUnreachableError, match="within 10 s"):
        await HostCredentials(call).list()
    assert trio.current_time() == pytest.approx(10)
