"""One captured signal as a program reads it: the quota half of `qr read-signal` (evidence, section 0.3)."""

from collections.abc import Callable, Mapping
from typing import Final, get_args

from qr.quota import claude, codex
from qr.quota.failures import Endpoint, Transport, read_failure
from qr.quota.fields import number, parsed, succeeded
from qr.quota.readings import Observation

__all__ = ["KINDS", "SignalError", "read_signal"]

Given = Mapping[str, object]


class SignalError(ValueError):
    """A signal that is not shaped like a case file; the message says what, where and what to do."""


def read_signal(kind: object, given: object) -> dict[str, object]:
    """
    What one captured signal says; both arguments may come straight from a file.

    Args:
        kind: one of `KINDS`.
        given: the `input` of a case file.

    Returns:
        The windows by name (`used_percent`, `resets_at`, `status`), or a failure's `class`, `window` and
        `until`. Times are epoch seconds, whole.

    Raises:
        SignalError: an unknown kind, or an input of the wrong shape.

    """
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise SignalError(f"kind: {kind!r} is not known here; use one of {', '.join(KINDS)}")
    if not isinstance(given, Mapping):
        raise SignalError("input: this is not an object; give one with the fields that the kind needs")
    return reader(given)


def _claude_headers(given: Given) -> dict[str, object]:
    return _windows(
        claude.read_headers(_headers(given), status=_status(given) or 0, observed_at=_observed_at(given))
    )


def _codex_headers(given: Given) -> dict[str, object]:
    return _windows(
        codex.read_headers(_headers(given), status=_status(given) or 0, observed_at=_observed_at(given))
    )


def _claude_usage(given: Given) -> dict[str, object]:
    return _windows(claude.read_usage(_poll_body(given), observed_at=_observed_at(given)))


def _codex_usage(given: Given) -> dict[str, object]:
    return _windows(codex.read_usage(_poll_body(given), observed_at=_observed_at(given)))


def _failure(given: Given) -> dict[str, object]:
    model = given.get("model")
    failure = read_failure(
        provider=_one_of(given, "provider", ("claude", "codex")),
        endpoint=_one_of(given, "endpoint", get_args(Endpoint)),
        status=_status(given),
        headers=_headers({"headers": given.get("headers") or {}}),
        body=_body(given),
        model=model if isinstance(model, str) else None,
        observed_at=_observed_at(given),
        transport=_one_of(given, "transport", get_args(Transport)) if given.get("transport") else None,
    )
    return {"class": failure.cls, "window": failure.window, "until": _whole(failure.until)}


READERS: Final[Mapping[str, Callable[[Given], dict[str, object]]]] = {
    "claude_headers": _claude_headers,
    "claude_usage": _claude_usage,
    "codex_headers": _codex_headers,
    "codex_usage": _codex_usage,
    "failure": _failure,
}

KINDS: Final = tuple(READERS)


def _windows(seen: Observation) -> dict[str, object]:
    return {
        reading.window: {
            "used_percent": reading.used_percent,
            "resets_at": _whole(reading.resets_at),
            "status": reading.status,
        }
        for reading in seen.readings
    }


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds)


def _observed_at(given: Given) -> float:
    seconds = number(given.get("observed_at"))
    if seconds is None:
        raise SignalError(
            "input.observed_at: this is no number; give the epoch second of the answer's arrival"
        )
    return seconds


def _status(given: Given) -> int | None:
    status = number(given.get("status"))
    if status is None and given.get("status") is not None:
        raise SignalError(
            "input.status: this is no number; give the HTTP status, or null when there was none"
        )
    return None if status is None else int(status)


def _headers(given: Given) -> Mapping[str, object]:
    headers = given.get("headers")
    if not isinstance(headers, Mapping):
        raise SignalError("input.headers: this is not an object; give the headers by name")
    return headers


def _body(given: Given) -> object:
    return given.get("body_text") if given.get("body") is None else given["body"]


def _poll_body(given: Given) -> object:
    """The parsed body of a poll; what came with another status than a success is no usage."""
    status = _status(given)
    return parsed(_body(given)) if status is None or succeeded(status) else None


def _one_of(given: Given, key: str, known: tuple[str, ...]) -> str:
    value = given.get(key)
    found = next((name for name in known if name == value), None)
    if found is None:
        raise SignalError(f"input.{key}: {value!r} is not known; use one of {', '.join(known)}")
    return found
