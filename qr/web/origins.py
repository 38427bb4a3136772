"""Which names the service answers under, and which pages may send it something.

A browser lets any page send requests to a service on the same machine, and a name that an attacker owns may
resolve to it (DNS rebinding). What tells them apart are the headers `Host`, `Origin` and `Sec-Fetch-Site`,
which no script can set.
"""

import ipaddress
import re

__all__ = ["answers_under", "same_origin", "sent_by_another_site"]


def answers_under(host: str, *, beyond_loopback: bool) -> bool:
    """
    Whether the service answers requests for *host* (the header, with or without a port).

    On loopback only under loopback's own names. Beyond it the names of the machine are not known: any
    well-formed one will do, and the token of one's own keeps a rebound page out.
    """
    name = _name(host)
    return name is not None and (beyond_loopback or name == "localhost" or _is_loopback(name))


def _name(host: str) -> str | None:
    """The host without its port, lower case; None when it is malformed."""
    found = HOST.fullmatch(host)
    if found is None or (found["port"] and not 0 < int(found["port"]) <= 65535):
        return None
    name: str = found["name"] or found["v6"]
    return name.lower()


HOST = re.compile(
    r"(?:(?P<name>[A-Za-z0-9._-]{1,253})|\[(?P<v6>[0-9A-Fa-f:.]{2,45})\])(?::(?P<port>[0-9]{1,5}))?"
)


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def same_origin(origin: str, host: str) -> bool:
    """Whether a page of *origin* was loaded from the very place that *host* names, port included."""
    return bool(host) and origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def sent_by_another_site(fetch_site: str | None) -> bool:
    """Whether the browser says that another site, or another port of this one, sent the request."""
    return fetch_site not in (None, "same-origin", "none")
