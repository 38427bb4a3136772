"""What a simulated provider answers, and the parts that both providers' answers are made of."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

__all__ = ["Answer", "Cause", "json_body"]


Cause = Literal["", "quota", "throttled", "overloaded", "broken", "login"]
"""Why a request was refused: the truth, which no client is told. Empty: it was served."""


class Answer(msgspec.Struct, frozen=True, gc=False):
    """One response, as a client of the provider sees it."""

    status: int
    """HTTP status; 0: the connection broke before there was one."""
    headers: Mapping[str, str] = {}
    body: str = ""
    tokens: int = 0
    """That were counted against the account."""
    latency: float = 0.0
    """Seconds until the last byte."""
    first_byte: float = 0.0
    """Seconds until the headers."""
    cause: Cause = ""

    @property
    def served(self) -> bool:
        return 200 <= self.status < 300


def json_body(value: Mapping[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
