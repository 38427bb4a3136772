"""What the host reports of one attempt at a provider, read as far as it can be believed."""

from collections.abc import Mapping, Sequence

import msgspec

from qr.quota import claude, codex
from qr.quota.failures import Failure, read_failure
from qr.quota.readings import Observation

__all__ = ["Attempt", "Report", "read_attempt"]


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One usage record of the host, in our words. Times are epoch seconds."""

    account: str
    provider: str
    model: str
    session: str | None
    """The session as the host names it, hashed; None on hosts that do not say."""
    started_at: float
    observed_at: float
    """When the response's headers arrived."""
    failed: bool
    status: int
    """HTTP status; 0: none was received."""
    tokens: int = 0


class Report(msgspec.Struct, frozen=True, gc=False):
    """What an attempt tells about its account."""

    attempt: Attempt
    observation: Observation | None
    """What the response's headers said of the windows; None when they cannot be believed."""
    failure: Failure | None
    """None: the attempt succeeded."""


Headers = Mapping[str, Sequence[str]]


def read_attempt(attempt: Attempt, headers: Headers, body: str) -> Report:
    """
    Read an attempt's headers and error text; both are forgotten afterwards.

    The headers of a failed attempt without a status can be those of the attempt before it, on another
    account: they are believed only with a success or a status (specification, section 5).
    """
    believed = headers if attempt.status or not attempt.failed else {}
    return Report(attempt, _observation(attempt, believed), _failure(attempt, believed, body))


def _observation(attempt: Attempt, headers: Headers) -> Observation | None:
    reader = {"claude": claude.read_headers, "codex": codex.read_headers}.get(attempt.provider)
    if reader is None or not headers:
        return None
    seen = reader(headers, status=attempt.status or 200, observed_at=attempt.observed_at)
    return seen if seen.readings or seen.aggregate else None


def _failure(attempt: Attempt, headers: Headers, body: str) -> Failure | None:
    if not attempt.failed:
        return None
    return read_failure(
        provider=attempt.provider,
        endpoint="inference",
        status=attempt.status,
        headers=headers,
        body=body,
        model=attempt.model,
        observed_at=attempt.observed_at,
    )
