"""What is read out of auth files and lists, however odd they are."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.upstream.credentials import AuthEntry, read_credential, read_entry, why_not_polled
from qr.upstream.errors import CredentialUnusableError

CLAUDE_FILE = {
    "type": "claude",
    "email": "ann@example.com",
    "access_token": "at-1",
    "refresh_token": "rt-1",
    "id_token": "",
    "expired": "2026-10-12T16:00:00Z",
    "priority": 10,
    "proxy_url": "socks5://127.0.0.1:1080",
    "disabled": False,
}
CODEX_FILE = {
    "type": "codex",
    "account_id": "acct-1",
    "access_token": "at-2",
    "priority": "5",
    "websockets": True,
}


def credential(**file):
    return read_credential(json.dumps(file).encode())


def entry(**file):
    return read_entry(json.dumps(file).encode())


def test_a_claude_file():
    read = credential(**CLAUDE_FILE)
    assert (read.provider, read.access_token, read.account_id) == ("claude", "at-1", "")
    assert (read.proxy_url, read.base_url) == ("socks5://127.0.0.1:1080", "")


def test_a_codex_file():
    read = credential(**CODEX_FILE)
    assert (read.provider, read.access_token, read.account_id) == ("codex", "at-2", "acct-1")


def test_keys_may_be_spelt_with_hyphens_and_the_plain_spelling_wins():
    read = credential(**{"type": "codex", "access-token": "at", "account-id": "a", "proxy-url": "direct"})
    assert (read.access_token, read.account_id, read.proxy_url) == ("at", "a", "direct")
    assert credential(**{"access-token": "old", "access_token": "new"}).access_token == "new"
    assert credential(**{"access-token": "old", "access_token": None}).access_token == "old"


def test_values_are_trimmed():
    assert credential(type=" Claude ", access_token=" at\n").access_token == "at"
    assert credential(type=" Claude ", access_token="at").provider == "claude"


@pytest.mark.parametrize(
    "token", [None, "", " ", 7, True, ["at"], {"a": 1}, "two words", "line\nbreak", "tökén"]
)
def test_a_token_that_no_header_can_hold_is_no_token(token):
    with pytest.raises(CredentialUnusableError, match="access_token"):
        credential(type="claude", access_token=token)
    with pytest.raises(CredentialUnusableError, match="access_token"):
        credential(type="claude")


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"7", b"{", b"\xff", b'{"a":' * 5000])
def test_what_is_no_json_object_is_no_credential(content):
    with pytest.raises(CredentialUnusableError, match="JSON object"):
        read_credential(content)


@pytest.mark.parametrize("odd", [7, True, [], {}, False])
def test_a_proxy_of_the_wrong_type_is_not_read_as_no_proxy(odd):
    assert credential(access_token="at", proxy_url=odd).proxy_url == "(no text)"
    assert credential(access_token="at", base_url=odd).base_url == "(no text)"


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_an_empty_proxy_inherits(nothing):
    assert credential(access_token="at", proxy_url=nothing).proxy_url == ""


def test_a_number_beyond_all_numbers_is_not_read_as_nothing():
    assert read_credential(b'{"access_token": "at", "proxy_url": 1e999}').proxy_url == "(no text)"


def test_an_account_id_that_no_header_can_hold_is_none():
    assert credential(access_token="at", account_id="a\r\nb").account_id == ""


def test_an_entry_of_the_list():
    read = entry(
        id="team/ann@example.com.json",
        auth_index="3f9a0c5512de77b1",
        type="claude",
        provider="claude",
        label="ann@example.com",
        status="active",
        next_retry_after="2026-10-12T08:00:00.5Z",
        modtime="2026-10-12T07:59:00Z",
        updated_at="2026-10-12T08:00:00Z",
        account_type="oauth",
        account="ann@example.com",
        priority=10,
    )
    assert read == AuthEntry(
        id="team/ann@example.com.json",
        auth_index="3f9a0c5512de77b1",
        provider="claude",
        label="ann@example.com",
        status="active",
        next_retry_after=1791792000.0,
        account_type="oauth",
        priority=10,
        changed_at=1791791940.0,
    )
    assert why_not_polled(read) is None


def test_year_one_is_how_go_writes_no_time():
    assert entry(id="a", next_retry_after="0001-01-01T00:00:00Z").next_retry_after is None


@pytest.mark.parametrize(
    ("written", "read"), [("5", 5), (5.0, 5), (-3, -3), ("x", 0), (True, 0), (None, 0), ([], 0)]
)
def test_a_priority_may_be_a_number_or_a_numeric_text(written, read):
    assert entry(id="a", priority=written).priority == read


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"type": "gemini"}, "no usage endpoint"),
        ({}, "no usage endpoint"),
        ({"type": "claude", "account_type": "api_key"}, "API key"),
        ({"type": "codex", "account_type": "apikey"}, "API key"),
        ({"type": "claude", "base_url": "https://gateway.example"}, "base_url"),
        ({"type": "claude", "base_url": 7}, "base_url"),
        ({"type": "claude", "runtime_only": True}, "memory"),
    ],
)
def test_who_is_never_polled(fields, why):
    assert why in why_not_polled(entry(id="a", **fields))


def test_a_disabled_account_is_for_others_to_judge():
    assert entry(id="a", type="claude", disabled=True).disabled
    assert why_not_polled(entry(id="a", type="claude", disabled=True)) is None


values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.just([1])
    | st.just({"a": 1})
)
files = st.dictionaries(
    st.sampled_from(
        ["type", "access_token", "account-id", "proxy_url", "base_url", "id", "priority", "disabled"]
    )
    | st.text(max_size=5),
    values,
)


@given(files)
def test_any_object_is_read_or_refused_with_an_error_of_ours(file):
    body = json.dumps(file).encode()
    try:
        read_entry(body)
    except ValueError:
        assert b"NaN" in body or b"Infinity" in body
    with suppress(CredentialUnusableError):
        assert read_credential(body).access_token
