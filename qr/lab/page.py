"""A plain page with the accounts of a house, where the dashboard is not at hand."""

import socket
from collections.abc import Iterator
from html import escape

import trio
from attrs import frozen

from qr.quota.windows import remaining_percent
from qr.system import House

__all__ = ["Page"]

HEAD = (
    "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=1><title>quota-router</title>"
    "<table><tr><th>account<th>window<th>left<th>resets in</tr>"
)

# A browser's request arrives in one piece; whoever sends less within so many seconds is let go.
REQUEST, PATIENCE = 16 * 1024, 5.0


@frozen
class Page:
    """One life of the page on a listening socket."""

    house: House
    listening: socket.socket

    async def run(self) -> None:
        """Serve until cancelled."""
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self.listening.dup()))
        async with listener:
            await trio.serve_listeners(self._serve, [listener])

    async def _serve(self, stream: trio.SocketStream) -> None:
        with trio.move_on_after(PATIENCE):
            async with stream:
                try:
                    await stream.receive_some(REQUEST)
                    await stream.send_all(self._answer())
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    return

    def _answer(self) -> bytes:
        body = (HEAD + "".join(self._rows()) + "</table>").encode()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close"
        )
        return head.encode() + b"\r\n\r\n" + body

    def _rows(self) -> Iterator[str]:
        now = self.house.clock.now()
        for view in sorted(self.house.supervisor.fleet, key=lambda view: view.id):
            for name, window in view.windows.items():
                left = (
                    "" if window.used_percent is None else f"{remaining_percent(window.used_percent):.0f} %"
                )
                ahead = "" if window.resets_at is None else f"{window.resets_at - now:.0f} s"
                yield f"<tr><td>{escape(view.label or view.id)}<td>{name}<td>{left}<td>{ahead}</tr>"
