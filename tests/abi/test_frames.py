"""The wire: the pieces in which bytes arrive do not matter, and what is no frame is refused."""

import contextlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.abi import frames
from qr.abi.frames import Call, Frame, FrameError, Frames, HostReply

KINDS = st.integers(frames.CALL, frames.ATTACH)
FRAMES = st.builds(Frame, KINDS, st.binary(max_size=200), st.integers(0, 0xFFFF))


def encoded(frame: Frame) -> bytes:
    header = len(frame.payload).to_bytes(4, "little") + bytes((frame.kind, frames.PROTOCOL))
    return header + frame.deadline_ms.to_bytes(2, "little") + frame.payload


def cut(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(stream), *(place % (len(stream) + 1) for place in cuts)})
    return [stream[start:end] for start, end in pairwise(places)]


@given(st.lists(FRAMES, max_size=5), st.lists(st.integers(0, 2000), max_size=8))
def test_the_pieces_in_which_frames_arrive_do_not_matter(sent: list[Frame], cuts: list[int]) -> None:
    reader = Frames()
    stream = b"".join(map(encoded, sent))
    received = [frame for piece in cut(stream, cuts) for frame in reader.feed(piece)]
    assert received == sent
    assert not reader.partial


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_give_frames_or_a_frame_error(pieces: list[bytes]) -> None:
    reader = Frames()
    with contextlib.suppress(FrameError):
        for piece in pieces:
            assert all(isinstance(frame, Frame) for frame in reader.feed(piece))


@pytest.mark.parametrize("kind_of_bytes", [bytes, bytearray, memoryview])
def test_a_reader_takes_what_a_socket_gives(kind_of_bytes: type) -> None:
    stream = frames.encode_reply(b"{}", 250) + frames.encode_ping()[:3]
    reader = Frames()
    assert reader.feed(kind_of_bytes(stream)) == [Frame(frames.REPLY, b"{}", 250)]
    assert reader.partial


@pytest.mark.parametrize(
    ("header", "said"),
    [
        pytest.param(b"\0\0\0\0\x01\x02\0\0", "protocol version 2", id="another version"),
        pytest.param(b"HTTP/1.1 400 Bad", "protocol version", id="another protocol"),
        pytest.param(b"\0\0\0\0\x00\x01\0\0", "unknown kind of frame: 0", id="kind 0"),
        pytest.param(b"\0\0\0\0\x09\x01\0\0", "unknown kind of frame: 9", id="kind 9"),
        pytest.param(b"\x01\0\0\x01\x01\x01\0\0", "at most 16777216", id="a byte too long"),
        pytest.param(b"\xff\xff\xff\xff\x01\x01\0\0", "4294967295 bytes", id="much too long"),
    ],
)
def test_what_is_no_frame_is_refused_at_its_header(header: bytes, said: str) -> None:
    with pytest.raises(FrameError, match=said):
        Frames().feed(header)


def test_a_frame_of_the_largest_size_is_taken() -> None:
    largest = frames.encode_reply(bytes(frames.MAX_PAYLOAD))
    assert [len(frame.payload) for frame in Frames().feed(largest)] == [frames.MAX_PAYLOAD]


@pytest.mark.parametrize(
    "encode",
    [
        lambda: frames.encode_reply(bytes(frames.MAX_PAYLOAD + 1)),
        lambda: frames.encode_call("m", bytes(frames.MAX_PAYLOAD)),
        lambda: frames.encode_call("m" * 256),
    ],
)
def test_what_fits_no_frame_is_not_sent(encode) -> None:
    with pytest.raises(FrameError, match="at most"):
        encode()


@given(st.text(max_size=60), st.binary(max_size=100))
def test_calls_come_out_as_they_went_in(method: str, body: bytes) -> None:
    for kind, encode in (
        (frames.CALL, frames.encode_call),
        (frames.NOTE, frames.encode_note),
        (frames.HOST_CALL, frames.encode_host_call),
    ):
        [frame] = Frames().feed(encode(method, body))
        assert frame.kind == kind
        assert frames.read_call(frame.payload) == Call(method, body)


@given(st.integers(0, 255), st.binary(max_size=100))
def test_the_answers_of_the_host_come_out_as_they_went_in(code: int, body: bytes) -> None:
    [frame] = Frames().feed(frames.encode_host_reply(code, body))
    assert frames.read_host_reply(frame.payload) == HostReply(code, body)


def test_an_attachment_comes_out_as_it_went_in() -> None:
    fields = {"plugin": "quota-router", "version": "1.0", "pid": "7"}
    [frame] = Frames().feed(frames.encode_attach(fields, b"any\n\nbytes \xff"))
    assert frames.read_attach(frame.payload) == (fields, b"any\n\nbytes \xff")
    assert frames.read_attach(b"no mark\nkey=a=b\n") == ({"key": "a=b"}, b"")


@pytest.mark.parametrize("payload", [b"", b"\x01", b"\x05abcd", b"\x02\xff\xfe"])
def test_a_call_without_a_whole_method_is_refused(payload: bytes) -> None:
    with pytest.raises(FrameError):
        frames.read_call(payload)


def test_an_empty_host_reply_and_an_attachment_of_junk_are_refused() -> None:
    with pytest.raises(FrameError):
        frames.read_host_reply(b"")
    with pytest.raises(FrameError):
        frames.read_attach(b"\xff=\xfe")


def test_the_deadline_travels_in_the_header() -> None:
    for frame in (
        frames.encode_reply(b"", 300),
        frames.encode_pong(300),
        frames.encode_host_call("m", b"", 300),
    ):
        assert Frames().feed(frame)[0].deadline_ms == 300
    assert Frames().feed(frames.encode_pong(10**9))[0].deadline_ms == 0xFFFF


def test_payloads_are_not_shown() -> None:
    for shown in (Frame(frames.CALL, b"sk-1"), Call("m", b"sk-1"), HostReply(0, b"sk-1")):
        assert "sk-1" not in repr(shown)
