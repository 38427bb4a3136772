"""Names and origins: what a browser says of itself, and what an attacker's page makes it say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.web.origins import answers_under, same_origin, sent_by_another_site


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8318",
        "LOCALHOST:8318",
        "127.0.0.1",
        "127.0.0.1:9",
        "127.9.9.9:1",
        "[::1]",
        "[::1]:8318",
    ],
)
def test_loopbacks_own_names_are_answered(host):
    assert answers_under(host, beyond_loopback=False)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8318",
        "localhost.evil.example",
        "evil.example#localhost",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.io:8318",
        "0.0.0.0",
        "192.168.1.5:8318",
        "[::]",
        "[::ffff:10.0.0.1]",
        "2130706433",
        "0x7f.1",
        "localhost.",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost/",
        "localhost?x",
        "localhost:x",
        "localhost:0",
        "localhost:99999",
        "[::1",
        "::1",
        "local host",
        "localhost\t",
        ":8318",
    ],
)
def test_rebound_and_malformed_names_are_not(host):
    assert not answers_under(host, beyond_loopback=False)


@pytest.mark.parametrize("host", ["router.lan:8318", "192.168.1.5", "[fd00::1]:1", "localhost"])
def test_beyond_loopback_any_well_formed_name_is_answered(host):
    assert answers_under(host, beyond_loopback=True)


@pytest.mark.parametrize("host", ["", "a@b", "a/b", "a b", ":1", "a:99999", "[x"])
def test_beyond_loopback_malformed_names_are_not(host):
    assert not answers_under(host, beyond_loopback=True)


@given(st.text(), st.booleans())
def test_no_header_breaks_the_check(host, beyond):
    assert answers_under(host, beyond_loopback=beyond) in (True, False)


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:8318", "https://127.0.0.1:8318", "HTTP://127.0.0.1:8318"]
)
def test_the_pages_own_origin(origin):
    assert same_origin(origin, "127.0.0.1:8318")


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:8319",
        "http://localhost:8318",
        "http://127.0.0.1:8318.evil.example",
        "http://127.0.0.1:8318/",
        "http://x@127.0.0.1:8318",
        "file://",
        "ftp://127.0.0.1:8318",
        "chrome-extension://127.0.0.1:8318",
    ],
)
def test_other_origins(origin):
    assert not same_origin(origin, "127.0.0.1:8318")


def test_without_a_host_nothing_is_the_same_origin():
    assert not same_origin("http://", "")


@pytest.mark.parametrize(
    ("site", "foreign"),
    [
        (None, False),
        ("same-origin", False),
        ("none", False),
        ("same-site", True),
        ("cross-site", True),
        ("odd", True),
    ],
)
def test_what_the_browser_says_of_the_sender(site, foreign):
    """A page on another port of the same machine is `same-site`, and gets the cookie sent along."""
    assert sent_by_another_site(site) == foreign
