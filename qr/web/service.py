"""The web as a part of the house: its sockets, its application, its actors."""

import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

from attrs import define
from quart_trio import QuartTrio

from qr.abi.bridge import open_socket
from qr.settings import Settings, beyond_loopback
from qr.web.access import Access, open_access
from qr.web.app import Web, create_app
from qr.web.desk import Desk
from qr.web.guard import Guard
from qr.web.host import HostPages
from qr.web.house import House
from qr.web.server import Doorway, Server
from qr.web.sockets import address_of, listen_on
from qr.web.watch import Watch

__all__ = ["OWNER_SOCKET", "Service", "serve"]

OWNER_SOCKET = "web.sock"
"""In the state directory; whoever can open it needs no token."""

Run = Callable[[], Awaitable[None]]
Extra = tuple[str, Callable[[], Run]]


@define(eq=False)
class Service:
    """The web, ready to live in the house: iterate over it for the actors."""

    web: Web
    server: Server
    access: Access
    watch: Watch
    url: str
    """Where the dashboard is."""

    @property
    def app(self) -> QuartTrio:
        return self.web.app

    @property
    def login_url(self) -> str:
        """Opens the dashboard, logged in. It holds the token: for the operator's terminal, not for a log."""
        return f"{self.url}login?token={self.access.token}"

    def __iter__(self) -> Iterator[Extra]:
        yield "web", lambda: self.server.run
        yield "watch", lambda: self.watch.run
        yield "canary", lambda: self.web.desk.canary.run

    def close(self) -> None:
        """Give the sockets back; for those who end without the process."""
        for doorway in self.server.doorways:
            with suppress(OSError):
                doorway.listening.close()


def serve(house: House, settings: Settings) -> Service:
    """
    Open the web of *house*: over the network, for its owner, and in the host's pages. Blocks on the disk.

    `house.run(listening, *serve(house, settings))` runs it.

    Raises:
        ExposedError: it would be reachable from elsewhere without a token of one's own.
        OSError: the address cannot be listened on.
    """
    listening = listen_on(settings)
    host, port = address_of(listening)
    access = open_access(settings)
    if access.problem:
        house.notices.append(access.problem)
    desk = Desk(house)
    guard = Guard(access, desk, beyond_loopback(settings.host), cookie=f"quota_router_{port}")
    web = create_app(desk, guard)
    house.pages = HostPages(web)
    doorways = [Doorway(listening, "network"), *_owner(house, settings)]
    server = Server(web, doorways)
    return Service(web, server, access, Watch(desk), f"http://{host}:{port}/")


def _owner(house: House, settings: Settings) -> Iterator[Doorway]:
    """The owner's own way in; without it only `qr status` and `qr watch` have to bring the token."""
    path = settings.state_dir / OWNER_SOCKET
    try:
        listening: socket.socket = open_socket(path)
    except OSError as error:
        house.notices.append(f"{path} cannot be listened on ({error.strerror or error}): no qr watch here.")
    else:
        yield Doorway(listening, "owner")
