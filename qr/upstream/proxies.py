"""Which proxy one poll goes through (specification, section 6).

In this order: the account's `proxy_url`, the setting `proxy_url`, the proxies of the environment, none. The
first that says anything decides, and what it says must make sense: a poll that went direct because of a
typing error would show the provider an address that the operator meant to hide.
"""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from attrs import field, frozen

from qr.settings import texts
from qr.upstream.errors import ProxyMalformedError

__all__ = ["Origin", "Proxy", "resolve_proxy"]

Origin = Literal["account", "settings", "environment"]

# What a URL without a port means.
DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}

# SOCKS5 counts the bytes of a user name and of a password in one byte each (RFC 1929).
SOCKS_TEXT_MAX = 255

_NAMES = {
    "account": "the account's proxy_url",
    "settings": "the setting proxy_url",
    "environment": "the proxy in the environment",
}


@frozen
class Proxy:
    """A proxy, its password decoded and never shown."""

    scheme: str
    host: str
    port: int
    origin: Origin
    user: bytes | None = field(default=None, repr=False)
    password: bytes = field(default=b"", repr=False)

    @property
    def name(self) -> str:
        """Where it was set, for messages."""
        return _NAMES[self.origin]

    @property
    def auth(self) -> tuple[bytes, bytes] | None:
        return None if self.user is None else (self.user, self.password)


def resolve_proxy(account: str, setting: str, environ: Mapping[str, str], url: str) -> Proxy | None:
    """
    The proxy for a request to *url*; None is direct.

    Args:
        account: the account's `proxy_url`; empty inherits, `direct` and `none` (any case) bypass every proxy.
        setting: the same of the settings.
        environ: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` count, the lower-case spelling first.

    Raises:
        ProxyMalformedError: what decides is no proxy URL. The message says which, and not what it says.
    """
    if account.strip():
        return _configured(account.strip(), "account")
    if setting.strip():
        return _configured(setting.strip(), "settings")
    inherited = _from_environment(environ, urlsplit(url))
    return _read(inherited, "environment") if inherited else None


def _configured(value: str, origin: Origin) -> Proxy | None:
    return None if value.lower() in ("direct", "none") else _read(value, origin)


def _read(value: str, origin: Origin) -> Proxy:
    try:
        return _parse(value, origin)
    except ValueError:
        raise ProxyMalformedError(
            f"{_NAMES[origin]} is malformed, so nothing was sent: it must be `direct`,"
            " or http://, https://, socks5:// or socks5h:// with a host"
        ) from None


def _parse(value: str, origin: Origin) -> Proxy:
    """Raises ValueError for all that the setting of that name would not take."""
    parts = urlsplit(texts.proxy(value))
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return Proxy(parts.scheme, parts.hostname or "", port, origin, *_login(parts))


def _login(parts: SplitResult) -> tuple[bytes | None, bytes]:
    if parts.username is None:
        return None, b""
    user, password = unquote(parts.username).encode(), unquote(parts.password or "").encode()
    if parts.scheme.startswith("socks") and not (
        0 < len(user) <= SOCKS_TEXT_MAX and len(password) <= SOCKS_TEXT_MAX
    ):
        raise ValueError
    return user, password


def _from_environment(environ: Mapping[str, str], url: SplitResult) -> str:
    """The environment's proxy for *url*, or nothing; a bare `host:port` means http, as everywhere."""
    if _excepted(_variable(environ, "no_proxy"), url):
        return ""
    value = _variable(environ, f"{url.scheme}_proxy") or _variable(environ, "all_proxy")
    return value if "://" in value or not value else f"http://{value}"


def _variable(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _excepted(no_proxy: str, url: SplitResult) -> bool:
    host = url.hostname or ""
    named = [entry.strip().lower() for entry in no_proxy.split(",")]
    return any(
        _matches(entry, host, f"{host}:{url.port or DEFAULT_PORTS.get(url.scheme)}")
        for entry in named
        if entry
    )


def _matches(entry: str, host: str, host_and_port: str) -> bool:
    """`*`, a host, a domain with all below it, an address, a network; with a port or without."""
    if entry in ("*", host, host_and_port):
        return True
    domain = "." + entry.removeprefix("*").removeprefix(".")
    return host.endswith(domain) or host_and_port.endswith(domain) or _in_network(entry, host)


def _in_network(entry: str, host: str) -> bool:
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return False
