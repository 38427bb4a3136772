"""What comes back from a usage endpoint, bounded and judged."""

import zlib
from collections.abc import Mapping, Sequence

import httpx
import msgspec
import trio

from qr.quota import claude, codex
from qr.quota.readings import Observation
from qr.upstream.errors import AnswerUnusableError
from qr.upstream.reasons import TROUBLE, reason

__all__ = ["read_body", "read_observation", "read_text"]

# How zlib is told to expect gzip, and nothing else.
GZIP = 16 + zlib.MAX_WBITS


async def read_body(response: httpx.Response, limit: int) -> bytes:
    """
    The body of *response*, at most *limit* bytes, counted on the wire and after decompression.

    Raises:
        AnswerUnusableError: it is larger, damaged, or in an encoding that was not asked for.
    """
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return await _plain(response, limit)
    if encoding in ("gzip", "x-gzip"):
        return _gunzip(await _plain(response, limit), limit)
    raise AnswerUnusableError("the answer is compressed in a way that was not asked for")


async def _plain(response: httpx.Response, limit: int) -> bytes:
    """The stream is read bare: httpx's own readers unpack a whole chunk at a time, without a bound."""
    body = bytearray()
    with trio.CancelScope() as scope:
        try:
            async for chunk in _stream(response):
                body += chunk
                if len(body) > limit:
                    # Left here, the loop would abandon the generators below it half read: they end with their
                    # next wait instead.
                    scope.cancel()
        except TROUBLE as error:
            raise AnswerUnusableError(reason(error, None)) from None
    if len(body) > limit:
        raise AnswerUnusableError(f"the answer is larger than {limit} bytes")
    return bytes(body)


def _stream(response: httpx.Response) -> httpx.AsyncByteStream:
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        raise TypeError("the transport is not made for async use")
    return stream


def _gunzip(packed: bytes, limit: int) -> bytes:
    unpacker = zlib.decompressobj(GZIP)
    try:
        body = unpacker.decompress(packed, limit + 1)
    except zlib.error:
        raise AnswerUnusableError("the answer's compression is damaged") from None
    if len(body) > limit:
        raise AnswerUnusableError(f"the answer is larger than {limit} bytes once it is unpacked")
    if not unpacker.eof:
        raise AnswerUnusableError("the answer was cut off")
    return body


def read_text(body: bytes) -> object:
    """What a refusal says: a JSON value (strict, as `NaN` is no number), else the text."""
    try:
        return _json(body)
    except ValueError:
        return body.decode(errors="replace")


def read_observation(provider: str, body: bytes, *, observed_at: float, html: bool) -> Observation:
    """
    What a 200 of the usage endpoint says.

    An account without plan windows, billed by use, says so and is no error: an observation without readings.

    Raises:
        AnswerUnusableError: it is no JSON object, tells no usage, or tells windows of which none can be read.
    """
    try:
        answer = _json(body)
    except ValueError:
        raise AnswerUnusableError(_not_json(body, html=html)) from None
    if not isinstance(answer, dict):
        raise AnswerUnusableError("the answer is JSON, but no object")
    read = claude.read_usage if provider == "claude" else codex.read_usage
    observation = read(answer, observed_at=observed_at)
    told = _told(provider, answer)
    if not told:
        raise AnswerUnusableError("the answer tells nothing of usage: has the provider changed its endpoint?")
    if not observation.readings and any(value not in (None, []) for value in told):
        raise AnswerUnusableError(
            "no window of the answer could be read: has the provider changed its format?"
        )
    return observation


def _json(body: bytes) -> object:
    """Raises ValueError for what is no JSON: `NaN`, text behind the value, nesting without end."""
    try:
        value: object = msgspec.json.decode(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _not_json(body: bytes, *, html: bool) -> str:
    if not body.strip():
        return "the answer is empty"
    return "the answer is a web page, not JSON" if html else "the answer is no JSON"


def _told(provider: str, answer: Mapping[str, object]) -> Sequence[object]:
    """What stands where the windows should be; null or an empty list is "none", and that is an answer too."""
    if provider == "claude":
        return [answer[key] for key in ("five_hour", "seven_day", "limits") if key in answer]
    limit = answer.get("rate_limit", ...)
    if isinstance(limit, Mapping):
        return [value for key, value in limit.items() if key.endswith("_window")]
    return [] if limit is ... else [limit]
