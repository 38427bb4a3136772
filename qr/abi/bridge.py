"""The service's Unix socket: who may listen there, and who may come.

One task for each connection. One that breaks, or sends what is no frame, ends alone.
"""

import os
import socket
import stat
from pathlib import Path

import structlog
import trio

from qr.abi.calls import Calls
from qr.abi.connection import Connection
from qr.abi.frames import FrameError
from qr.abi.hostlink import HostLink
from qr.actors.current import Current

__all__ = ["Bridge", "SocketBusy", "open_socket"]

# One library keeps at most 64 connections and the callback connection; this is room for three of them, as
# around a reload. Beyond that who is idle makes room; if nobody is, whoever comes is turned away at once, and
# fails open.
MAX_CONNECTIONS = 200

# Connections that wait to be accepted while the loop is busy.
BACKLOG = 256

log = structlog.get_logger(__name__)


class SocketBusy(OSError):  # noqa: N818 - a state of the socket
    """Another service answers on the socket's path."""


def open_socket(path: Path) -> socket.socket:
    """
    Listen on *path*, for this user alone. A socket that nobody answers any more is replaced.

    The mode is 0600. A host under another user needs a group that both share, with access to the socket and
    to its directory; giving it is up to the operator.

    Raises:
        SocketBusy: another service is alive there.
        OSError: the path cannot be used; says why.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _clear(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listening.bind(str(path))
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(mask)
    return listening


def _clear(path: Path) -> None:
    """Remove a dead socket; leave anything else alone."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(f"{path} exists and is no socket; move it away")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
    raise SocketBusy(f"another service answers on {path}; stop it, or set another `socket`")


class Bridge:
    """Serves one listening socket; a new bridge may take over the same socket after a death."""

    def __init__(self, listening: socket.socket, calls: Calls, link: HostLink, current: Current) -> None:
        self._listening = listening
        self._calls = calls
        self._link = link
        self._current = current
        self._open: list[Connection] = []
        self.turned_away = 0

    @property
    def connections(self) -> int:
        return len(self._open)

    async def run(self) -> None:
        """Serve until cancelled."""
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._listening.dup()))
        async with listener:
            await trio.serve_listeners(self._serve, [listener])

    async def _serve(self, stream: trio.SocketStream) -> None:
        if self.connections >= MAX_CONNECTIONS and not self._make_room():
            self.turned_away += 1
            await trio.aclose_forcefully(stream)
            return
        connection = Connection(stream, self._calls, self._link, self._current)
        self._open.append(connection)
        try:
            async with stream:
                await connection.run()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        except FrameError as error:
            log.warning("connection of the library ended", cause=str(error))
        except Exception as error:  # noqa: BLE001 - a bug costs one connection, not all of them
            log.error("connection failed", cause=type(error).__name__)
        finally:
            self._open.remove(connection)

    def _make_room(self) -> bool:
        """
        Hang up on the connection that was used longest ago; False: all are in use.

        A library that was replaced keeps its connections for as long as the host lives. One that is in use
        opens a new one when it finds one closed.
        """
        idle = [connection for connection in self._open if connection.idle]
        if idle:
            min(idle, key=lambda connection: connection.used_at).hang_up()
        return bool(idle)
