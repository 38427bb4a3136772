"""Wrong tokens are counted by where they come from; whoever sends too many is not listened to for a while."""

import ipaddress
from collections import OrderedDict, deque

__all__ = ["LIMIT", "TABLE", "WINDOW", "Attempts", "origin_of"]

# So many wrong tokens within so many seconds: enough for somebody who mistypes, and a guess a quarter of a
# minute at most for everybody else.
LIMIT, WINDOW = 5, 60.0

# Origins that are remembered; the oldest go first. Whoever has more addresses than this meets the limit of
# all together.
TABLE = 1024
LIMIT_OF_ALL = 100


class Attempts:
    """A table that is bounded whatever is thrown at it. Times are Trio's, seconds."""

    def __init__(self) -> None:
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._failures)

    def wait(self, origin: str, now: float) -> float | None:
        """Seconds until *origin* may try again; None: it may."""
        waits = [self._wait(name, limit, now) for name, limit in _counted(origin)]
        return max((wait for wait in waits if wait is not None), default=None)

    def _wait(self, origin: str, limit: int, now: float) -> float | None:
        failures = self._failures.get(origin, ())
        if len(failures) < limit or failures[-limit] + WINDOW <= now:
            return None
        return failures[-limit] + WINDOW - now

    def failed(self, origin: str, now: float) -> None:
        """*origin* sent a wrong token."""
        for name, limit in _counted(origin):
            self._failures.setdefault(name, deque(maxlen=limit)).append(now)
            self._failures.move_to_end(name)
        while len(self._failures) > TABLE:
            self._failures.popitem(last=False)

    def succeeded(self, origin: str) -> None:
        self._failures.pop(origin, None)


def _counted(origin: str) -> tuple[tuple[str, int], tuple[str, int]]:
    """What a failure of *origin* counts against, and the limit of each."""
    return (origin, LIMIT), (f"{origin.partition(' ')[0]} *", LIMIT_OF_ALL)


def origin_of(address: str, kind: str) -> str:
    """
    Who is counted together: an IPv4 address, or an IPv6 network of 64 bits, which is one customer's.

    Pages and programs (*kind*) are counted apart: a scraper with an old token must not lock its operator out.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return f"{kind} {address[:64]}"
    if parsed.version == 6:
        return f"{kind} {ipaddress.ip_network((parsed, 64), strict=False)}"
    return f"{kind} {parsed}"
