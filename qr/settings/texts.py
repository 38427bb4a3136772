"""The settings that are texts: addresses, paths, and what may travel in a header.

None of the messages repeats the text: it may hold a password.
"""

import ipaddress
import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from qr.settings.kinds import UnfitError

__all__ = [
    "beyond_loopback",
    "endpoint",
    "listen_address",
    "masked_proxy",
    "path",
    "proxy",
    "split_listen",
    "token",
    "user_agent",
]

# What httpx can speak, and the host takes (contract, section 9.4).
PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")


def path(text: str) -> Path:
    """An absolute path; `~` is the home directory, a relative one starts where the service was started."""
    if "\0" in text:
        raise UnfitError("a path cannot hold a null character")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        raise UnfitError("~ names no home directory here: write the path out") from error


def proxy(text: str) -> str:
    """The URL of a proxy, or `direct` (also `none`) for no proxy at all (specification, section 6)."""
    if text.strip().lower() in ("direct", "none"):
        return "direct"
    url = _split(text)
    if url.scheme not in PROXY_SCHEMES or url.path not in ("", "/") or url.query or url.fragment:
        raise UnfitError(f"expected {'://, '.join(PROXY_SCHEMES)}:// with host and port, or direct")
    return text.strip()


def masked_proxy(text: str) -> str:
    """The same proxy, its user and password hidden."""
    return re.sub(r"//.*@", "//***@", text)


def endpoint(text: str) -> str:
    """The base of a provider's usage endpoint, without a slash at its end."""
    url = _split(text)
    if url.scheme not in ("https", "http") or url.username is not None or url.query or url.fragment:
        raise UnfitError("expected an https:// URL without user, query and fragment")
    if url.scheme == "http" and not _near(url.hostname or ""):
        raise UnfitError("http:// would send the credentials in clear text: use https://")
    return text.strip().rstrip("/")


def _split(text: str) -> SplitResult:
    if not PRINTABLE.fullmatch(text.strip()):
        raise UnfitError("a URL is written in printable ASCII, without blanks")
    try:
        url = urlsplit(text.strip())
        valid = bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise UnfitError("expected a URL with a host")
    return url


PRINTABLE = re.compile(r"[!-~]+")


def listen_address(text: str) -> str:
    """`host:port`, an IPv6 address in brackets; port 0 takes a free one."""
    split_listen(text)
    return text


def split_listen(text: str) -> tuple[str, int]:
    """
    Host (without brackets) and port of a listen address.

    Raises:
        UnfitError: it is none.
    """
    found = LISTEN.fullmatch(text)
    if not found or int(found["port"]) > 65535 or not _is_v6(found["v6"] or "::"):
        raise UnfitError("expected host:port, such as 127.0.0.1:8318 or [::1]:8318")
    return found["v6"] or found["host"], int(found["port"])


LISTEN = re.compile(r"(\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[0-9A-Za-z._-]+)):(?P<port>[0-9]{1,5})")


def _is_v6(text: str) -> bool:
    try:
        return bool(ipaddress.IPv6Address(text))
    except ValueError:
        return False


def beyond_loopback(host: str) -> bool:
    """Whether other machines may reach (or be) *host*; a name other than `localhost` counts as such."""
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() != "localhost"


def _near(host: str) -> bool:
    """A private address, or the bare name of a container or a machine next door."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host


def token(text: str) -> str:
    """A token of the user's own: it travels in URLs and headers, and must not be guessable."""
    if not TOKEN.fullmatch(text):
        raise UnfitError("expected 16 to 256 letters, digits, or any of - . _ ~")
    return text


TOKEN = re.compile(r"[A-Za-z0-9._~-]{16,256}")


def user_agent(text: str) -> str:
    """What may stand in a `User-Agent` header."""
    if not AGENT.fullmatch(text.strip()):
        raise UnfitError("expected printable ASCII, at most 256 characters")
    return text.strip()


AGENT = re.compile(r"[ -~]{1,256}")
