"""The wire between the plugin library and the service: frames on a Unix stream socket, no I/O in here.

A frame is a header of 8 bytes, little-endian, and a payload:

    u32  payload length, at most `MAX_PAYLOAD`
    u8   kind
    u8   protocol version, `PROTOCOL`
    u16  the pick deadline in milliseconds, set by the service on whatever it sends; 0 leaves it as it is

| kind         | sent by | payload                        | meaning                                          |
| ------------ | ------- | ------------------------------ | ------------------------------------------------ |
| `CALL`       | library | u8 method length, method, body | a call of the host, answered by one `REPLY`      |
| `REPLY`      | service | the envelope for the host      | the answer to the connection's one open `CALL`   |
| `NOTE`       | library | as `CALL`                      | a call that nobody waits for, never answered     |
| `HOST_CALL`  | service | as `CALL`                      | call the host for me; answered in order          |
| `HOST_REPLY` | library | u8 return code, host's answer  | the answer to the oldest open `HOST_CALL`        |
| `PING`       | library | empty                          | is anybody there?                                |
| `PONG`       | service | empty                          | yes                                              |
| `ATTACH`     | library | lines, and the host's settings | makes this connection a callback connection      |

The library opens two sorts of connections. Ordinary ones carry `CALL`, `NOTE` and `PING`, one open call at a
time, and are kept for the next call; the library closes one to abandon its call. The callback connection
opens with `ATTACH` and then carries only `HOST_CALL` and `HOST_REPLY`.

The payload of `ATTACH` is lines `key=value`, an empty line, and the body of the last `plugin.register` or
`plugin.reconfigure`, if there was one: a service that was down then, or has been restarted, learns the host's
settings without waiting for their next change. The keys are `plugin`, `version`, `pid`, `dropped` (the notes
that could not be sent so far) and `configured` (when that last call came, in milliseconds of the machine's
monotonic clock: of two libraries the one that was configured later has the settings in force).
"""

from collections.abc import Mapping
from struct import Struct as Layout

import msgspec

__all__ = [
    "ATTACH",
    "CALL",
    "HOST_CALL",
    "HOST_REPLY",
    "MAX_PAYLOAD",
    "NOTE",
    "PING",
    "PONG",
    "PROTOCOL",
    "REPLY",
    "Call",
    "Frame",
    "FrameError",
    "Frames",
    "HostReply",
    "encode_attach",
    "encode_call",
    "encode_host_call",
    "encode_host_reply",
    "encode_note",
    "encode_ping",
    "encode_pong",
    "encode_reply",
    "method_prefix",
    "read_attach",
    "read_call",
    "read_host_reply",
]

PROTOCOL = 1
"""Raised when the wire changes; a library and a service of different versions do not talk."""

# The largest honest payload is a dashboard asset or a history answer in base64, a few hundred KB; a pick with
# 200 candidates has 63 KB. 16 MiB leaves room and still bounds what a broken peer can make us hold.
MAX_PAYLOAD = 16 * 1024 * 1024

CALL, REPLY, NOTE, HOST_CALL, HOST_REPLY, PING, PONG, ATTACH = range(1, 9)

MAX_DEADLINE_MS = 0xFFFF  # what the header's u16 holds; the library has tighter bounds of its own
MAX_METHOD = 0xFF  # what the payload's u8 holds; the longest method of the host has 24 bytes

_HEADER = Layout("<IBBH")
_HEADER_SIZE = _HEADER.size


class FrameError(ValueError):
    """The peer does not speak this protocol; the connection is of no further use."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One frame as it arrived; payloads may hold secrets and are not shown."""

    kind: int
    payload: bytes = b""
    deadline_ms: int = 0

    def __repr__(self) -> str:
        return f"Frame(kind={self.kind}, {len(self.payload)} bytes)"


class Call(msgspec.Struct, frozen=True, gc=False):
    """A method of the host's contract and its JSON body."""

    method: str
    body: bytes = b""

    def __repr__(self) -> str:
        return f"Call({self.method!r}, {len(self.body)} bytes)"


class HostReply(msgspec.Struct, frozen=True, gc=False):
    """What the host's `call` returned: its return code (0 unless the host is gone) and its envelope."""

    code: int
    body: bytes = b""

    def __repr__(self) -> str:
        return f"HostReply({self.code}, {len(self.body)} bytes)"


class Frames:
    """
    Cuts a stream of bytes into frames.

    Feed it what a socket gave; it holds at most one incomplete frame. After a `FrameError` it is spent.
    """

    __slots__ = ("_pending",)

    def __init__(self) -> None:
        self._pending = bytearray()

    @property
    def partial(self) -> bool:
        """Part of a frame has arrived: an end of the stream now is a broken peer, not a goodbye."""
        return bool(self._pending)

    def feed(self, received: bytes | bytearray | memoryview) -> list[Frame]:
        """
        The frames that *received* completes, in order; often one, maybe none.

        Raises:
            FrameError: another protocol version, an unknown kind, or a payload beyond `MAX_PAYLOAD`.
        """
        if not self._pending:
            frames, used = _cut(received)
            if used < len(received):
                self._pending += memoryview(received)[used:]
            return frames
        self._pending += received
        frames, used = _cut(self._pending)
        if used:
            del self._pending[:used]
        return frames


def _cut(stream: bytes | bytearray | memoryview) -> tuple[list[Frame], int]:
    frames: list[Frame] = []
    start, size = 0, len(stream)
    while size - start >= _HEADER_SIZE:
        length, kind, version, deadline_ms = _HEADER.unpack_from(stream, start)
        if version != PROTOCOL or not CALL <= kind <= ATTACH or length > MAX_PAYLOAD:
            raise _refusal(length, kind, version)
        end = start + _HEADER_SIZE + length
        if end > size:
            break
        frames.append(Frame(kind, bytes(stream[start + _HEADER_SIZE : end]), deadline_ms))
        start = end
    return frames, start


def _refusal(length: int, kind: int, version: int) -> FrameError:
    if version != PROTOCOL:
        return FrameError(f"protocol version {version}, not {PROTOCOL}; install the library again")
    if length > MAX_PAYLOAD:
        return FrameError(f"a frame of {length} bytes; at most {MAX_PAYLOAD} are taken")
    return FrameError(f"unknown kind of frame: {kind}")


def _frame(kind: int, payload: bytes, deadline_ms: int = 0) -> bytes:
    if len(payload) > MAX_PAYLOAD:
        raise FrameError(f"a payload of {len(payload)} bytes; at most {MAX_PAYLOAD} fit a frame")
    return _HEADER.pack(len(payload), kind, PROTOCOL, min(deadline_ms, MAX_DEADLINE_MS)) + payload


def method_prefix(method: str) -> bytes:
    """What the payload of a call of *method* begins with; its body follows."""
    name = method.encode()
    if len(name) > MAX_METHOD:
        raise FrameError(f"a method name of {len(name)} bytes; at most {MAX_METHOD} fit a frame")
    return bytes((len(name),)) + name


def encode_call(method: str, body: bytes = b"") -> bytes:
    """A `CALL` frame. Raises `FrameError` when it would be too large, as all encoders do."""
    return _frame(CALL, method_prefix(method) + body)


def encode_note(method: str, body: bytes = b"") -> bytes:
    """A `NOTE` frame."""
    return _frame(NOTE, method_prefix(method) + body)


def encode_reply(envelope: bytes, deadline_ms: int = 0) -> bytes:
    """A `REPLY` frame with the envelope for the host; *deadline_ms* is the pick deadline from now on."""
    return _frame(REPLY, envelope, deadline_ms)


def encode_host_call(method: str, body: bytes = b"", deadline_ms: int = 0) -> bytes:
    """A `HOST_CALL` frame: have the host's callback *method* called with *body*."""
    return _frame(HOST_CALL, method_prefix(method) + body, deadline_ms)


def encode_host_reply(code: int, body: bytes = b"") -> bytes:
    """A `HOST_REPLY` frame with the return code and the answer of the host."""
    return _frame(HOST_REPLY, bytes((code & 0xFF,)) + body)


def encode_ping() -> bytes:
    """A `PING` frame."""
    return _frame(PING, b"")


def encode_pong(deadline_ms: int = 0) -> bytes:
    """A `PONG` frame; *deadline_ms* as in `encode_reply`."""
    return _frame(PONG, b"", deadline_ms)


def encode_attach(fields: Mapping[str, str], settings: bytes = b"") -> bytes:
    """An `ATTACH` frame of `key=value` lines and the host's last settings."""
    lines = "".join(f"{key}={value}\n" for key, value in fields.items())
    return _frame(ATTACH, lines.encode() + b"\n" + settings)


def read_call(payload: bytes) -> Call:
    """
    The method and body in the payload of a `CALL`, `NOTE` or `HOST_CALL`.

    Raises:
        FrameError: the payload is shorter than it says, or the method is no UTF-8.
    """
    if not payload or len(payload) <= payload[0]:
        raise FrameError("a call without its method")
    end = 1 + payload[0]
    try:
        return Call(payload[1:end].decode(), payload[end:])
    except UnicodeDecodeError:
        raise FrameError("a method name that is no UTF-8") from None


def read_host_reply(payload: bytes) -> HostReply:
    """The payload of a `HOST_REPLY`. Raises `FrameError` when it is empty."""
    if not payload:
        raise FrameError("an answer of the host without its return code")
    return HostReply(payload[0], payload[1:])


def read_attach(payload: bytes) -> tuple[dict[str, str], bytes]:
    """
    The fields of an `ATTACH`, and the host's last settings; lines without `=` are skipped.

    Raises:
        FrameError: the lines are no UTF-8.
    """
    head, _, settings = payload.partition(b"\n\n")
    try:
        lines = head.decode().splitlines()
    except UnicodeDecodeError:
        raise FrameError("an ATTACH that is no UTF-8") from None
    return {key: value for key, mark, value in (line.partition("=") for line in lines) if mark}, settings
