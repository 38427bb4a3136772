"""What an answer of a usage endpoint comes to: an observation, a refusal with a meaning, or an error."""

from collections.abc import Callable

import httpx
import msgspec

from qr.quota.failures import Failure, read_failure
from qr.quota.fields import lowered, retry_after
from qr.quota.readings import Observation
from qr.upstream.answers import read_body, read_observation, read_text
from qr.upstream.credentials import Credential
from qr.upstream.errors import AnswerUnusableError

__all__ = ["PollResult", "judge"]


class PollResult(msgspec.Struct, frozen=True, gc=False):
    """How a poll ended: with an *observation*, or with an *error* and perhaps the *failure* behind it."""

    observation: Observation | None = None
    failure: Failure | None = None
    """What a refusal of the provider means; None when there was no answer or none that made sense."""
    error: str | None = None
    """A short reason that may be shown and logged."""
    retry_after: float | None = None
    """Seconds that the provider asks to wait; a zero is no answer, and None."""
    status: int | None = None
    """The HTTP status, when one came."""
    duration: float = 0.0
    """Seconds."""
    pollable: bool = True
    """False: this account is not to be asked at all, and *error* says why."""

    @property
    def refreshable(self) -> bool:
        """Refused because of a token that the host refreshes."""
        return self.failure is not None and self.failure.cls == "auth_refreshable"


async def judge(
    response: httpx.Response, credential: Credential, *, body_limit: int, now: Callable[[], float]
) -> PollResult:
    """
    Read *response*, the answer to a request with *credential*, up to *body_limit* bytes of body.

    Only 200 is a success. An observation is as old as the end of its answer (*now*, epoch seconds).
    """
    status = response.status_code
    if 300 <= status < 400:
        return PollResult(error=f"the endpoint answered {status}: redirects are not followed", status=status)
    try:
        body = await read_body(response, body_limit)
        if status == 200:
            return PollResult(_observation(response, body, credential, now()), status=status)
    except AnswerUnusableError as error:
        if status == 200:
            return PollResult(error=str(error), status=status)
        # What a refusal says may be lost; that it is one, and for how long, stands in its head.
        body = b""
    return _refusal(response, body, credential.provider, now())


def _observation(
    response: httpx.Response, body: bytes, credential: Credential, observed_at: float
) -> Observation:
    html = "html" in response.headers.get("content-type", "").lower()
    observation = read_observation(credential.provider, body, observed_at=observed_at, html=html)
    if credential.provider == "codex" and not credential.account_id and not observation.readings:
        raise AnswerUnusableError("no limits were told, as happens when the auth file names no account_id")
    return observation


def _refusal(response: httpx.Response, body: bytes, provider: str, observed_at: float) -> PollResult:
    status, headers = response.status_code, lowered(response.headers)
    failure = read_failure(
        provider=provider,
        endpoint="usage",
        status=status,
        headers=headers,
        body=read_text(body),
        model=None,
        observed_at=observed_at,
    )
    until = retry_after(headers, observed_at)
    return PollResult(
        failure=failure,
        error=_meaning(status, failure),
        retry_after=None if until is None else until - observed_at,
        status=status,
    )


def _meaning(status: int, failure: Failure) -> str:
    if failure.scope_missing:
        return (
            f"the endpoint answered {status}: the token lacks the scope for usage, and still serves requests"
        )
    return f"the endpoint answered {status} ({failure.cls})"
