"""A service that does what it is told to: answer, hang, talk garbage, die in the middle, come back.

In the test's own process it can be looked into and changed while it runs:

    with Service(path) as service:
        service.script = scripts.hang

As a program it plays one script for a host in C: `python -m tests.abi.service PATH SCRIPT`.
"""

import contextlib
import itertools
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from qr.abi import contract, frames
from qr.abi.frames import Call, HostReply
from tests.abi.host import PATIENCE

__all__ = [
    "SCRIPTS",
    "Script",
    "Service",
    "chosen_first",
    "closing",
    "raw",
    "replying",
    "running",
    "silent",
]

BACKLOG = 128

Script = Callable[[Call], "bytes | None"]
"""What is written in answer to a call, None for nothing. `HangUp` ends the connection."""


class HangUp(Exception):  # noqa: N818 - an order, no error
    """Write *last*, then close."""

    def __init__(self, last: bytes = b"") -> None:
        super().__init__()
        self.last = last


def chosen_first(call: Call) -> bytes:
    """A healthy service: a pick gets the first candidate, the rest what the contract wants."""
    if call.method == "scheduler.pick":
        candidates = json.loads(call.body or b"{}").get("Candidates") or []
        answer = contract.chosen(candidates[0]["ID"]) if candidates else contract.NOT_HANDLED
    elif call.method in {"plugin.register", "plugin.reconfigure"}:
        answer = contract.registration(contract.decode_register(call.body).schema_version)
    elif call.method == "management.register":
        answer = contract.management_registration([contract.Route("GET", "/x")], [contract.Resource("/ui")])
    else:
        answer = contract.management_answer(200, {"Content-Type": ["text/plain"]}, b"hello")
    return frames.encode_reply(answer)


def silent(_call: Call) -> None:
    """Take the call and never answer."""


def raw(written: bytes) -> Script:
    """Write just this, whatever it is."""
    return lambda _call: written


def replying(envelope: bytes) -> Script:
    """Reply with this, envelope or not."""
    return raw(frames.encode_reply(envelope))


def closing(last: bytes = b"") -> Script:
    """Write this and close."""

    def close(_call: Call) -> bytes:
        raise HangUp(last)

    return close


def _slow(call: Call) -> bytes:
    threading.Event().wait(0.02)
    return chosen_first(call)


def _every_way() -> Script:
    """All scripts in turn, healthy ones in between so that the library keeps coming back."""
    ways = [way for script in SCRIPTS.values() for way in (script, chosen_first, chosen_first)]
    turns = itertools.count()

    def play(call: Call) -> bytes | None:
        return ways[next(turns) % len(ways)](call)

    return play


_WHOLE = frames.encode_reply(contract.chosen("a"))

SCRIPTS: dict[str, Script] = {
    "healthy": chosen_first,
    "hang": silent,
    "garbage": raw(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
    "no envelope": replying(b"no envelope"),
    "error envelope": replying(contract.error("broken", "no")),
    "dies before": closing(),
    "dies in the header": closing(_WHOLE[:5]),
    "dies in the payload": closing(_WHOLE[:20]),
    "too large": raw((frames.MAX_PAYLOAD + 1).to_bytes(4, "little") + bytes((frames.REPLY, 1, 0, 0))),
    "large and never finished": raw(
        frames.MAX_PAYLOAD.to_bytes(4, "little") + bytes((frames.REPLY, 1, 0, 0))
    ),
    "wrong version": raw(_WHOLE[:5] + b"\x02" + _WHOLE[6:]),
    "wrong kind": raw(frames.encode_pong()),
    "says more": raw(_WHOLE + _WHOLE),
    "slow": _slow,
}


class Service:
    """Listens on *path* while its context is open; leaving it closes everything, as a crash would."""

    def __init__(self, path: Path, script: Script = chosen_first, *, curious: bool = False) -> None:
        self.path = path
        self.script = script
        self.curious = curious
        """With every call it also asks the host something."""
        self.awake = threading.Event()
        """Cleared: connections are accepted, and nothing is answered, not even a `PING`."""
        self.awake.set()
        self.calls: list[Call] = []
        self.notes: list[Call] = []
        self.attached: list[dict[str, str]] = []
        self.settings: list[bytes] = []
        """What each library that attached had been configured with."""
        self.most_connections = 0
        """The most that were open at a time."""
        self._connections: set[socket.socket] = set()
        self._callback: socket.socket | None = None
        self._replies: list[HostReply] = []
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        self.path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(BACKLOG)
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join(PATIENCE)
        self._listener.close()
        self.awake.set()
        self.hang_up()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def hang_up(self) -> None:
        """Close every connection, and go on listening."""
        with self._changed:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def host_call(self, method: str, body: bytes = b"{}") -> HostReply:
        """Have the host called, through the callback connection that attached last."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._callback, PATIENCE), "no library attached"
            before = len(self._replies)
            assert self._callback is not None
            self._callback.sendall(frames.encode_host_call(method, body))
            assert self._changed.wait_for(lambda: len(self._replies) > before, PATIENCE), "no answer"
            return self._replies[before]

    def write_back(self, written: bytes) -> None:
        """Write to the callback connection, whatever it is."""
        with self._changed:
            assert self._callback is not None
            self._callback.sendall(written)

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._connections)

    def methods(self) -> list[str]:
        """The methods called so far, in order."""
        return [call.method for call in self.calls]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                self._connections.add(connection)
                self.most_connections = max(self.most_connections, len(self._connections))
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, HangUp):
            for frame in self._frames(connection):
                self._take(connection, frame)
        with self._changed:
            self._connections.discard(connection)
            if self._callback is connection:
                self._callback = None

    def _frames(self, connection: socket.socket) -> Iterator[frames.Frame]:
        received = frames.Frames()
        while (chunk := connection.recv(65536)) and self.awake.wait():
            yield from received.feed(chunk)

    def _take(self, connection: socket.socket, frame: frames.Frame) -> None:
        with self._changed:
            if frame.kind == frames.HOST_REPLY:
                self._replies.append(frames.read_host_reply(frame.payload))
            elif frame.kind == frames.ATTACH:
                said, settings = frames.read_attach(frame.payload)
                self.settings.append(settings)
                self.attached.append(said)
                self._callback = connection
            elif frame.kind == frames.NOTE:
                self.notes.append(frames.read_call(frame.payload))
            self._changed.notify_all()
        if frame.kind == frames.PING:
            connection.sendall(frames.encode_pong())
        if frame.kind == frames.CALL:
            self._answer(connection, frames.read_call(frame.payload))

    def _ask_the_host(self) -> None:
        with self._changed, contextlib.suppress(OSError):
            if self._callback is not None:
                self._callback.sendall(frames.encode_host_call("host.auth.list", b"{}"))

    def _answer(self, connection: socket.socket, call: Call) -> None:
        self.calls.append(call)
        if self.curious:
            self._ask_the_host()
        try:
            written = self.script(call)
        except HangUp as end:
            connection.sendall(end.last)
            raise
        if written is not None:
            connection.sendall(written)


@contextlib.contextmanager
def running(path: Path, script: str) -> Iterator[None]:
    """The service as a program of its own, playing *script*, `mixed` or `restarts`."""
    command = [sys.executable, "-m", "tests.abi.service", str(path), script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def _until_told(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


def _play(path: Path, script: str) -> None:
    over = threading.Event()
    threading.Thread(target=_until_told, args=(over,), daemon=True).start()
    lifetime = 0.1 if script == "restarts" else None
    played = _every_way() if script == "mixed" else SCRIPTS.get(script, chosen_first)
    while not over.is_set():
        with Service(path, played, curious=True):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            over.wait(lifetime)


if __name__ == "__main__":
    _play(Path(sys.argv[1]), sys.argv[2])
