"""The usage endpoints of the simulated providers over HTTP, for polls through real sockets."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket

from qr.lab.answers import Answer

__all__ = ["UsageServer"]

# A poll sends one short request; a client that sends nothing does not keep its thread for longer.
PATIENCE = 10.0

PATHS = ("/api/oauth/usage", "/api/codex/usage", "/wham/usage")

Usage = Callable[[str], Answer | None]
"""The answer to a poll with this access token; None: the token is nobody's."""


class UsageServer(ThreadingHTTPServer):
    """Serves a socket that is listening already; each poll in a thread of its own."""

    daemon_threads = True

    def __init__(self, listening: socket, usage: Usage) -> None:
        self.usage = usage
        super().__init__(listening.getsockname(), _Poll, bind_and_activate=False)
        self.socket.close()
        self.socket = listening


class _Poll(BaseHTTPRequestHandler):
    timeout = PATIENCE
    server: UsageServer

    def do_GET(self) -> None:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        answer = self.server.usage(token) if self.path in PATHS else None
        self._send(answer or Answer(401 if self.path in PATHS else 404, {}, "{}"))

    def _send(self, answer: Answer) -> None:
        self.close_connection = True
        if not answer.status:
            return
        body = answer.body.encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Nobody reads them."""
