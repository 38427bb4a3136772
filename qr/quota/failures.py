"""What a refusal means: its class, the window it names, and until when (evidence, section 5)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import msgspec

from qr.quota import claude, codex
from qr.quota.fields import ahead, family, item, lowered, number, parsed, retry_after, text
from qr.quota.readings import Reading
from qr.quota.signs import IMPLIED_STATUS, SCOPE_MISSING, SIGNS, Answer, Endpoint, FailureClass, by_status
from qr.quota.windows import ALWAYS, LENGTHS, SAME_RESET, applies, limits

__all__ = ["Endpoint", "Failure", "FailureClass", "Transport", "read_failure"]

Transport = Literal["websocket_event", "sse_event"]
"""What carried the refusal, on a connection whose own HTTP status says nothing of it."""

# The windows that Claude's claim may name; other claims name none (section 5.2).
CLAIMS: Mapping[str | None, str] = {
    "five_hour": "five_hour",
    "seven_day": "weekly",
    "seven_day_opus": "weekly:opus",
    "seven_day_sonnet": "weekly:sonnet",
    "seven_day_overage_included": "weekly:fable",
}

# The events of a stream that say why it failed: Claude's and a WebSocket's, and Codex's own.
FAILING_EVENTS = ("error", "response.failed")


class Failure(msgspec.Struct, frozen=True, gc=False):
    """What one refusal means."""

    cls: FailureClass
    window: str | None = None
    """The spent window, when the answer tells which."""
    until: float | None = None
    """Epoch second: the reset of what is spent, or the end of the wait that `Retry-After` asks for."""
    scope_missing: bool = False
    """The token may not ask for usage: stop polling the account, keep routing to it."""


def read_failure(
    *,
    provider: str,
    endpoint: str,
    status: int | None,
    headers: Mapping[str, object] | None,
    body: object,
    model: str | None,
    observed_at: float,
    transport: str | None = None,
) -> Failure:
    """
    The meaning of one refusal; never raises.

    Args:
        provider: `claude` or `codex`.
        endpoint: `inference`, `usage` or `refresh` (of a token).
        status: the HTTP status; 0 or None when there was no answer (network, cancelled).
        headers: of the same answer, names in any case; without a status they may be another answer's, and are
            not read.
        body: parsed, or its text: JSON, a page of the edge, anything.
        model: the model that was asked for.
        observed_at: epoch second at which the answer arrived.
        transport: `websocket_event` or `sse_event` when *body* is an event; None is plain HTTP.

    """
    own = lowered(headers) if status or transport else {}
    told = _contents(own, body)
    error = _error(told)
    codes = tuple(_codes(error))
    answer = Answer(
        endpoint,
        _status(status, told, codes, in_event=transport is not None),
        {**own, **lowered(item(told, "headers"))},
        error,
        codes,
        _message(told, error),
        model,
        observed_at,
    )
    return _judged(provider, answer)


def _judged(provider: str, answer: Answer) -> Failure:
    sign = next((sign for sign in SIGNS.get(provider, ()) if sign.fits(answer)), None)
    cls = sign.cls if sign else by_status(answer.status)
    if cls == "quota_exhausted":
        return SPENT[provider](answer)
    if cls == "rate_limited":
        return _claude_429(answer) if provider == "claude" and not sign else _throttled(answer)
    return Failure(cls, scope_missing=sign is SCOPE_MISSING)


def _contents(headers: Mapping[str, object], body: object) -> object:
    """The body, parsed; None when the edge in front of the provider answered, with a page or a challenge."""
    page = isinstance(body, str) and (
        "text/html" in (text(headers.get("content-type")) or "").lower() or body.lstrip().startswith("<")
    )
    if page or "cf-mitigated" in headers:
        return None
    return (_failing_event(body) if isinstance(body, str) else None) or parsed(body)


def _failing_event(stream: str) -> object:
    """The event that ends a stream, wherever in its text it stands (section 4.2); None when there is none."""
    told = (parsed(line) for line in stream.splitlines() if line.startswith("data:"))
    return next((event for event in told if item(event, "type") in FAILING_EVENTS), None)


def _error(body: object) -> object:
    """The error of a body, of an event, of a stream's response (section 4.2), or a detail; else the body."""
    response = item(body, "response")
    places = (
        item(body, "error"),
        item(response, "error"),
        item(item(response, "status_details"), "error"),
        item(body, "detail"),
    )
    return next((place for place in places if place and isinstance(place, Mapping | str)), body)


def _codes(error: object) -> Iterator[str]:
    """The error's codes, the most telling first."""
    told = (item(error, "code"), item(item(error, "details"), "error_code"), item(error, "type"), error)
    yield from (code.lower() for code in map(text, told) if code)


def _message(body: object, error: object) -> str:
    told = (error, item(error, "message"), item(body, "message"), item(body, "error_description"))
    return " ".join(part.lower() for part in map(text, told) if part)


def _status(status: int | None, body: object, codes: tuple[str, ...], *, in_event: bool) -> int:
    """The status of the refusal: an event's own before that of the connection below it."""
    own = (item(body, "status_code"), item(body, "status"))
    told = map(number, (*own, status) if in_event else (status, *own))
    implied = (IMPLIED_STATUS[code] for code in codes if code in IMPLIED_STATUS)
    return next((int(one) for one in told if one and one >= 400), None) or next(implied, 0)


def _throttled(answer: Answer) -> Failure:
    return Failure("rate_limited", until=retry_after(answer.headers, answer.observed_at))


def _spent(answer: Answer, window: str | None, resets_at: object) -> Failure:
    """Quota is spent until a reset ahead, or until `Retry-After` where none is told."""
    now = answer.observed_at
    return Failure("quota_exhausted", window, ahead(resets_at, now) or retry_after(answer.headers, now))


def _claude_429(answer: Answer) -> Failure:
    """
    A 429 of Claude by its own headers (section 5.2).

    It is quota when a window says `rejected`, or when the aggregate does and no window says anything. Without
    that it belongs to the request, by far the commonest case.
    """
    seen = claude.read_headers(answer.headers, status=answer.status, observed_at=answer.observed_at)
    rejected = [reading for reading in seen.readings if reading.status == "rejected"]
    if rejected:
        last = max(rejected, key=lambda reading: _returns(reading, answer.observed_at))
        return _spent(answer, last.window, last.resets_at)
    if seen.aggregate == "rejected" and not any(reading.status for reading in seen.readings):
        claim = text(answer.headers.get(claude.PREFIX + "representative-claim"))
        return _spent(answer, CLAIMS.get(claim), _aggregate_reset(answer))
    return _throttled(answer)


def _returns(reading: Reading, now: float) -> tuple[float, float, bool]:
    """By when a window returns: its reset, else its length; of equals, what limits all models comes last."""
    length = LENGTHS[reading.window.partition(":")[0]]
    return ahead(reading.resets_at, now) or 0.0, length, reading.window in ALWAYS


def _aggregate_reset(answer: Answer) -> object:
    return answer.headers.get(claude.PREFIX + "reset")


def _claude_credits(answer: Answer) -> Failure:
    """The model needs paid credits: its family's week is over, whatever the family (section 5.2)."""
    # A thinking suffix such as `(8192)` is no part of the model's name.
    named = family((answer.model or "").partition("(")[0])
    return _spent(answer, named and f"weekly:{named}", _aggregate_reset(answer))


def _codex_limit(answer: Answer) -> Failure:
    """A body names a reset and no window; the window is the full one that resets then (section 4.2)."""
    now, seconds = answer.observed_at, number(item(answer.error, "resets_in_seconds"))
    until = ahead(item(answer.error, "resets_at"), now) or (ahead(now + seconds, now) if seconds else None)
    return _spent(answer, _full_window(answer, until) if until else None, until)


def _full_window(answer: Answer, until: float) -> str | None:
    seen = codex.read_headers(answer.headers, status=answer.status, observed_at=answer.observed_at)
    apart = {
        reading.window: abs((reading.resets_at or 0.0) - until)
        for reading in seen.readings
        if reading.used_percent == 100 and _limits(reading.window, answer.model)
    }
    same = [window for window, seconds in apart.items() if seconds <= SAME_RESET]
    return min(same, key=lambda window: (apart[window], window not in ALWAYS), default=None)


def _limits(window: str, model: str | None) -> bool:
    """Whether *window* can be the reason for a refusal of *model*; of an unknown model any may be."""
    return applies(window, model) if model else limits(window)


SPENT: Mapping[str, Callable[[Answer], Failure]] = {"claude": _claude_credits, "codex": _codex_limit}
