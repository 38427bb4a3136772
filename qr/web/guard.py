"""Who gets in: asked of every request before any route, in the same order for pages, API and live feed."""

import trio
from attrs import define, field
from quart import Request, Websocket

from qr.web.access import Access
from qr.web.attempts import Attempts, origin_of
from qr.web.desk import Desk
from qr.web.entrances import entrance_of
from qr.web.origins import answers_under, same_origin, sent_by_another_site
from qr.web.problems import ProblemError

__all__ = ["Guard"]

# What holds no data and needs no login: the page, its files, the way to log in, and what a probe asks.
PAGES = frozenset({"/", "/favicon.ico"})
FILES = "/static/"
LOGIN = frozenset({"/login", "/logout"})
PROBES = frozenset({"/healthz", "/readyz"})

READS = frozenset({"GET", "HEAD"})

Connection = Request | Websocket


@define(eq=False)
class Guard:
    """Refuses by raising a problem."""

    access: Access
    desk: Desk
    beyond_loopback: bool
    """The service listens where other machines reach it."""
    cookie: str
    """The name of the cookie: cookies know no ports, and two services on one machine must not share one."""
    attempts: Attempts = field(factory=Attempts)

    def admit(self, connection: Connection) -> None:
        """
        Let *connection* pass.

        Raises:
            ProblemError: it comes from elsewhere than it says, or without a login that is needed.
        """
        entrance = entrance_of(connection.scope)
        if entrance == "host":
            return
        if entrance == "host_page":
            _only_pages(connection)
            return
        if connection.scope["http_version"] not in ("1.0", "1.1"):
            raise ProblemError("unsupported_protocol", "Speak HTTP/1.1.")
        if connection.path in PROBES:
            return
        if entrance == "network":
            self._of_this_host(connection)
        self._of_this_origin(connection)
        if entrance == "network" and not _is_public(connection.path):
            self._logged_in(connection)

    def _of_this_host(self, connection: Connection) -> None:
        if not answers_under(connection.headers.get("Host", ""), beyond_loopback=self.beyond_loopback):
            raise ProblemError(
                "foreign_host", "Open it under 127.0.0.1, localhost or [::1], or set `listen` and a token."
            )

    def _of_this_origin(self, connection: Connection) -> None:
        """What a browser says of where a request comes from, when it says it."""
        headers = connection.headers
        origin = headers.get("Origin")
        if origin is not None and not same_origin(origin, headers.get("Host", "")):
            raise ProblemError("foreign_origin", "Only the dashboard's own pages may ask.")
        if not _is_public(connection.path) and sent_by_another_site(headers.get("Sec-Fetch-Site")):
            raise ProblemError("foreign_origin", "Another site's page sent this request.")

    def _logged_in(self, connection: Connection) -> None:
        scheme, _, given = connection.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.check(given.strip(), connection, "program")
        cookie = connection.cookies.get(self.cookie)
        if cookie is None or not self.access.opens_with_cookie(cookie, self.desk.now):
            raise ProblemError(
                "unauthenticated", "Log in with the token, or send it as `Authorization: Bearer …`."
            )
        return self._sent_by_our_page(connection)

    def _sent_by_our_page(self, connection: Connection) -> None:
        """A browser adds the cookie to whatever a page sends: what changes something must say its origin."""
        changes = isinstance(connection, Websocket) or connection.method not in READS
        if changes and connection.headers.get("Origin") is None:
            raise ProblemError(
                "foreign_origin", "With the cookie, `Origin` is needed; programs send the token instead."
            )

    def check(self, token: str, connection: Connection, kind: str) -> None:
        """
        Compare a token that was sent.

        Raises:
            ProblemError: it is wrong, or too many wrong ones came from there before.
        """
        now = trio.current_time()
        client = connection.scope.get("client")
        origin = origin_of(client[0] if client else "", kind)
        wait = self.attempts.wait(origin, now)
        if wait is not None:
            raise ProblemError(
                "too_many_attempts", f"Wait {wait:.0f} seconds, then try again.", retry_after=wait
            )
        if not self.access.opens(token):
            self.attempts.failed(origin, now)
            raise ProblemError("wrong_token", "The token is printed when the service starts.")
        self.attempts.succeeded(origin)


def _is_public(path: str) -> bool:
    return path in PAGES or path in LOGIN or path.startswith(FILES)


def _only_pages(connection: Connection) -> None:
    """The host lets anybody load its resources: they are files, and nothing else."""
    if connection.path not in PAGES and not connection.path.startswith(FILES):
        raise ProblemError("not_found", "There is no such file.")
