"""Errors as the API tells them: problem details (RFC 9457), one type for each thing that can be wrong."""

from collections.abc import Mapping, Sequence

from attrs import frozen

from qr.web.shapes.service import Problem, SettingProblem

__all__ = ["KINDS", "Kind", "ProblemError"]

PREFIX = "urn:quota-router:problem:"


@frozen
class Kind:
    """A type of problem: its status and title never change."""

    status: int
    title: str


KINDS: Mapping[str, Kind] = {
    "invalid_request": Kind(400, "The request cannot be understood"),
    "unauthenticated": Kind(401, "A login is needed"),
    "wrong_token": Kind(401, "The token is wrong"),
    "foreign_origin": Kind(403, "The request comes from another origin"),
    "not_found": Kind(404, "There is nothing at this address"),
    "unknown_account": Kind(404, "No such account"),
    "unknown_session": Kind(404, "No such session is bound"),
    "unknown_decision": Kind(404, "No such decision is kept"),
    "method_not_allowed": Kind(405, "This method is not for this address"),
    "request_timeout": Kind(408, "The request took too long to arrive"),
    "settings_belong_to_host": Kind(409, "The host's configuration is the source of the settings"),
    "session_bound_anew": Kind(409, "The session has another binding by now"),
    "too_large": Kind(413, "The request is too large"),
    "unsupported_media_type": Kind(415, "Only application/json is taken"),
    "foreign_host": Kind(421, "The service does not answer under this name"),
    "invalid_settings": Kind(422, "Settings not taken"),
    "too_many_attempts": Kind(429, "Too many wrong tokens"),
    "too_soon": Kind(429, "Not yet possible again"),
    "internal": Kind(500, "Something went wrong inside"),
    "not_offered": Kind(501, "Not offered by this service"),
    "busy": Kind(503, "The service is too busy just now"),
    "unsupported_protocol": Kind(505, "Only HTTP/1 is spoken"),
}


class ProblemError(Exception):
    """Ends a request with a problem; *kind* is one of `KINDS`."""

    def __init__(
        self,
        kind: str,
        detail: str,
        errors: Sequence[SettingProblem] = (),
        *,
        retry_after: float | None = None,
        possible_at: float | None = None,
    ) -> None:
        """*retry_after* is seconds, *possible_at* epoch seconds."""
        super().__init__(detail)
        self.kind = kind
        self.retry_after = retry_after
        known = KINDS[kind]
        self.problem = Problem(PREFIX + kind, known.title, known.status, detail, list(errors), possible_at)
