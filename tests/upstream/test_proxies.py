"""Which proxy a poll goes through, and that it really does."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.upstream.errors import ProxyMalformedError
from qr.upstream.proxies import Proxy, resolve_proxy
from qr.upstream.usage import Limits

from .servers import CLAUDE_BODY, ConnectProxy, Provider, SocksProxy, hangs, says_json, serving

URL = "https://api.anthropic.com/api/oauth/usage"
ALL = {"HTTPS_PROXY": "http://env:1", "ALL_PROXY": "socks5://all:2"}


def where(account="", setting="", environ=None, url=URL):
    proxy = resolve_proxy(account, setting, environ or {}, url)
    return proxy and (f"{proxy.scheme}://{proxy.host}:{proxy.port}", proxy.origin)


@pytest.mark.parametrize(
    ("account", "setting", "environ", "expected"),
    [
        ("http://a:8080", "http://s:1", ALL, ("http://a:8080", "account")),
        ("", "http://s:1", ALL, ("http://s:1", "settings")),
        ("  ", " http://s:1 ", ALL, ("http://s:1", "settings")),
        ("", "", ALL, ("http://env:1", "environment")),
        ("", "", {"ALL_PROXY": "socks5://all:2"}, ("socks5://all:2", "environment")),
        (
            "",
            "",
            {"https_proxy": "http://low:3", "HTTPS_PROXY": "http://up:4"},
            ("http://low:3", "environment"),
        ),
        ("", "", {"HTTPS_PROXY": "bare:5"}, ("http://bare:5", "environment")),
        ("", "", {"HTTP_PROXY": "http://plain:6"}, None),
        ("", "", {}, None),
        ("direct", "http://s:1", ALL, None),
        ("NONE", "http://s:1", ALL, None),
        ("", "Direct", ALL, None),
        ("http://a:8080", "direct", ALL, ("http://a:8080", "account")),
        ("HTTP://A.Example", "", {}, ("http://a.example:80", "account")),
        ("https://a", "", {}, ("https://a:443", "account")),
        ("socks5://a", "", {}, ("socks5://a:1080", "account")),
        ("socks5h://a:9", "", {}, ("socks5h://a:9", "account")),
        ("http://[::1]:8080/", "", {}, ("http://::1:8080", "account")),
    ],
)
def test_the_account_comes_before_the_settings_and_they_before_the_environment(
    account, setting, environ, expected
):
    assert where(account, setting, environ) == expected


@pytest.mark.parametrize(
    ("no_proxy", "url", "excepted"),
    [
        ("*", URL, True),
        ("api.anthropic.com", URL, True),
        ("anthropic.com", URL, True),
        (".anthropic.com", URL, True),
        ("*.anthropic.com", URL, True),
        ("API.Anthropic.com ", URL, True),
        ("localhost, anthropic.com", URL, True),
        ("api.anthropic.com:443", URL, True),
        ("api.anthropic.com:8443", URL, False),
        ("thropic.com", URL, False),
        ("", URL, False),
        (",,", URL, False),
        ("10.0.0.0/8", "https://10.1.2.3/x", True),
        ("10.0.0.0/8", "https://11.1.2.3/x", False),
        ("10.1.2.3", "https://10.1.2.3:8443/x", True),
        ("::1", "https://[::1]/x", True),
    ],
)
def test_no_proxy_excepts_hosts_domains_and_networks(no_proxy, url, excepted):
    assert (where(environ={**ALL, "NO_PROXY": no_proxy}, url=url) is None) == excepted


def test_no_proxy_says_nothing_of_a_proxy_that_was_set_for_us():
    assert where("http://a:1", "", {"NO_PROXY": "*"}) == ("http://a:1", "account")


MALFORMED = [
    "a",
    "a:1",
    "//a:1",
    "http://",
    "http:/a",
    "http://:1",
    "http://a:port",
    "http://a:0",
    "http://a:65536",
    "http://a/path",
    "http://a?q=1",
    "http://a#f",
    "http://a b",
    "http://a\n",
    "http://[::1",
    "http://user:12/word@a",
    "ftp://a",
    "socks4://a",
    "socks://a",
    "socks5://:password@a",
    f"socks5://user:{'x' * 256}@a",
    "auto",
    "(no text)",
]


@pytest.mark.parametrize("value", [value for value in MALFORMED if value.strip() == value])
@pytest.mark.parametrize("place", ["account", "setting"])
def test_anything_else_is_malformed_and_never_direct(value, place):
    with pytest.raises(ProxyMalformedError) as raised:
        where(**{place: value}, environ=ALL)
    assert "malformed" in str(raised.value)


@given(st.text(max_size=40).filter(lambda text: text.strip().lower() not in ("", "direct", "none")))
def test_no_text_is_taken_for_direct(text):
    for value in (text, f"http://{text}", f"socks5://u:{text}@h"):
        with suppress(ProxyMalformedError):
            assert resolve_proxy(value, "", {}, URL) is not None


def test_user_and_password_are_decoded_and_not_shown():
    proxy = resolve_proxy("http://us%40er:p%3Ass@a:1", "", {}, URL)
    assert proxy.auth == (b"us@er", b"p:ss")
    assert "us@er" not in repr(proxy)
    assert "p:ss" not in repr(proxy)
    assert resolve_proxy("http://user@a:1", "", {}, URL).auth == (b"user", b"")
    assert resolve_proxy("http://a:1", "", {}, URL).auth is None


def via(scheme, server, **login):
    return Proxy(scheme, "127.0.0.1", server.port, "account", **login)


LOGIN = {"user": b"ann", "password": b"p@ss:w"}


@pytest.fixture
async def provider(server_tls):
    """A provider under a name that only the proxies can resolve: what arrives there did not go direct."""
    async with serving(Provider([says_json(CLAUDE_BODY)]), server_tls) as provider:
        yield provider


@pytest.mark.parametrize("login", [{}, LOGIN], ids=["open", "with password"])
async def test_through_a_connect_proxy(ask_tls, provider, login):
    proxy = ConnectProxy({"provider.test": provider.port}, login="ann:p@ss:w" if login else "")
    async with serving(proxy):
        result = await ask_tls("https://provider.test", proxy=via("http", proxy, **login))
    assert result.error is None
    assert proxy.targets == ["provider.test:443"]
    assert "proxy-authorization" not in provider.headers


async def test_through_a_proxy_that_speaks_tls_itself(ask_tls, provider, server_tls):
    proxy = ConnectProxy({"provider.test": provider.port})
    async with serving(proxy, server_tls):
        result = await ask_tls("https://provider.test", proxy=via("https", proxy))
    assert result.error is None
    assert proxy.targets == ["provider.test:443"]


async def test_plain_http_is_forwarded_by_an_http_proxy(ask):
    async with serving(Provider([says_json(CLAUDE_BODY)])) as provider, serving(ConnectProxy()) as proxy:
        result = await ask(provider.url, proxy=via("http", proxy))
    assert result.error is None
    assert proxy.targets == [f"{provider.url}/api/oauth/usage"]


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("login", [{}, LOGIN], ids=["open", "with password"])
async def test_through_a_socks_proxy_which_resolves_the_name(ask_tls, provider, scheme, login):
    proxy = SocksProxy({"provider.test": provider.port}, login=(b"ann", b"p@ss:w") if login else None)
    async with serving(proxy):
        result = await ask_tls("https://provider.test", proxy=via(scheme, proxy, **login))
    assert result.error is None
    assert proxy.targets == [("provider.test", 443)]


REFUSING = {
    "CONNECT, wrong password": ("http", ConnectProxy(login="ann:other"), "another user or password"),
    "CONNECT, forbidden": ("http", ConnectProxy(refuses=b"HTTP/1.1 403 No\r\n\r\n"), "refused to connect"),
    "CONNECT, no HTTP": ("http", ConnectProxy(refuses=b"SSH-2.0\r\n\r\n"), "no HTTP"),
    "CONNECT, hangs up": ("http", ConnectProxy(refuses=b" "), "no HTTP"),
    "SOCKS, wrong password": ("socks5", SocksProxy(login=(b"ann", b"other")), "another user or password"),
    "SOCKS, cannot connect": ("socks5", SocksProxy(reply=5), "refused to connect"),
    "SOCKS, speaks HTTP": (
        "socks5",
        SocksProxy(speaks=b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        "does not speak SOCKS5",
    ),
    "SOCKS, hangs up": ("socks5", SocksProxy(speaks=b""), "does not speak SOCKS5"),
}


@pytest.mark.parametrize(("scheme", "proxy", "why"), REFUSING.values(), ids=REFUSING)
async def test_a_proxy_that_refuses_fails_the_poll(ask, provider, scheme, proxy, why):
    login = LOGIN if getattr(proxy, "login", None) else {}
    async with serving(proxy):
        result = await ask("https://provider.test", proxy=via(scheme, proxy, **login))
    assert why in result.error
    assert "the account's proxy_url" in result.error
    assert provider.heads == []


async def test_a_socks_proxy_that_wants_no_password_is_told_none(ask, provider):
    async with serving(SocksProxy()) as proxy:
        result = await ask("https://provider.test", proxy=via("socks5", proxy, **LOGIN))
    assert "the proxy" in result.error
    assert proxy.logins == []


async def test_nobody_listens_at_the_proxy(ask, provider):
    async with serving(SocksProxy()) as proxy:
        pass
    for scheme in ("http", "socks5"):
        result = await ask("https://provider.test", proxy=via(scheme, proxy))
        assert result.error == "connection refused (by way of the account's proxy_url)"


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
async def test_a_proxy_that_hangs_is_given_up_in_time_and_its_socket_closed(ask, scheme):
    async with serving(Provider([hangs])) as silent:
        result = await ask(
            "https://provider.test", proxy=via(scheme, silent), limits=Limits(connect=5, whole=0.2)
        )
    assert result.error == "no complete answer within 0.2 s"
