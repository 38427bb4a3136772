"""By which signs the classes of failures are told: codes, texts, statuses (evidence, sections 5.2 and 5.3).

A permanent class is given on a listed text or code alone: a single odd 401 or 403 must not latch an account
as dead (section 5.4). What has no sign is read by its status.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

__all__ = [
    "IMPLIED_STATUS",
    "SCOPE_MISSING",
    "SIGNS",
    "Answer",
    "Endpoint",
    "FailureClass",
    "Sign",
    "by_status",
]

FailureClass = Literal[
    "auth_permanent",
    "auth_refreshable",
    "rate_limited",
    "quota_exhausted",
    "overloaded",
    "transient",
    "request_fault",
]

Endpoint = Literal["inference", "usage", "refresh"]


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A refusal, unpacked; codes and message are in lower case."""

    endpoint: str
    status: int
    """The HTTP status, or the one that an event tells or implies; 0 when nothing does."""
    headers: Mapping[str, object]
    error: object
    codes: tuple[str, ...]
    message: str
    model: str | None
    observed_at: float


class Sign(msgspec.Struct, frozen=True, gc=False):
    """One of the codes or texts, where there are any, at one of the statuses, on the endpoint."""

    cls: FailureClass
    codes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()
    """None of them: at any status."""
    endpoint: Endpoint | None = None

    def fits(self, answer: Answer) -> bool:
        """Whether *answer* bears this sign."""
        at_status = not self.statuses or answer.status in self.statuses
        return at_status and self.endpoint in (None, answer.endpoint) and self._said(answer)

    def _said(self, answer: Answer) -> bool:
        if not (self.codes or self.texts):
            return True
        by_code = any(code in answer.codes for code in self.codes)
        return by_code or any(part in answer.message for part in self.texts)


SCOPE_MISSING = Sign(
    "request_fault", texts=("oauth token does not meet scope requirement user:profile",), statuses=(403,)
)

# The first that fits counts (section 5.2).
CLAUDE = (
    Sign("overloaded", codes=("overloaded_error",)),
    Sign("overloaded", statuses=(529,)),
    Sign(
        "auth_permanent",
        codes=("invalid_grant",),
        texts=("refresh token not found or invalid",),
        statuses=(400, 401),
        endpoint="refresh",
    ),
    Sign(
        "auth_permanent",
        texts=(
            "oauth token has been revoked",
            "oauth access token has been revoked",
            "oauth authentication is currently not allowed for this organization",
            "this organization has been disabled",
        ),
        statuses=(400, 401, 403),
    ),
    SCOPE_MISSING,
    Sign("rate_limited", statuses=(429,), endpoint="usage"),
    Sign("request_fault", texts=("extra usage is required for long context",), statuses=(429,)),
    Sign("quota_exhausted", codes=("credits_required",), statuses=(429,)),
)

# The first that fits counts (section 5.3).
CODEX = (
    Sign(
        "auth_permanent",
        codes=("account_deactivated", "account_suspended", "account_deleted", "deactivated_workspace"),
    ),
    Sign(
        "overloaded",
        codes=("server_is_overloaded", "server_overloaded", "service_unavailable_error", "overloaded_error"),
        texts=("selected model is at capacity",),
    ),
    Sign("quota_exhausted", codes=("usage_limit_reached",)),
    Sign(
        "auth_permanent",
        codes=("token_invalidated", "token_revoked"),
        texts=("invalidated. please try signing in again",),
        statuses=(401,),
    ),
    # At the token endpoint `token_expired` speaks of the refresh token itself.
    Sign(
        "auth_permanent",
        codes=(
            "token_expired",
            "token_invalidated",
            "token_revoked",
            "refresh_token_expired",
            "refresh_token_reused",
            "refresh_token_invalidated",
            "invalid_grant",
            "app_session_terminated",
            "account_session_expired",
            "invalid_workspace_selected",
        ),
        texts=("could not validate your token", "your session has ended"),
        statuses=(400, 401),
        endpoint="refresh",
    ),
)

SIGNS: Mapping[str, tuple[Sign, ...]] = {"claude": CLAUDE, "codex": CODEX}

# In an event, or where the host could not tell the status, the error's code or type stands for one.
IMPLIED_STATUS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "previous_response_not_found": 400,
    "authentication_error": 401,
    "token_expired": 401,
    "token_invalidated": 401,
    "token_revoked": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
}

# Refusals that say nothing against the request: payment and permission without a known code (many recover),
# the login of a proxy between, a timeout, a conflict, a request that came too early.
PASSING = (402, 403, 407, 408, 409, 425)


def by_status(status: int) -> FailureClass:
    """The class of an answer that has no sign; 0 and whatever is no refusal is the network's."""
    if status == 401:
        return "auth_refreshable"
    if status == 429:
        return "rate_limited"
    return "request_fault" if 400 <= status < 500 and status not in PASSING else "transient"
