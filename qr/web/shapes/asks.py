"""What is asked: the query of a `GET`, the JSON body of everything else. Unknown members are refused."""

from typing import Annotated, Any, Literal

import msgspec

__all__ = [
    "AskAccount",
    "AskAccounts",
    "AskDecision",
    "AskDecisions",
    "AskHistory",
    "AskNext",
    "AskNothing",
    "AskSessions",
    "SessionKey",
    "SetBinding",
    "SetMode",
    "SetPolicy",
    "SetPriority",
    "SetValues",
]

MAX_PAGE = 500
"""As many decisions as are kept."""

Provider = Literal["claude", "codex"]
Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Limit = Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)]
Number = Annotated[int, msgspec.Meta(ge=0)]
Priority = Annotated[int, msgspec.Meta(ge=-1_000_000, le=1_000_000)]


class AskNothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters."""


class AskAccounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All accounts, or the one with `id`."""

    id: str | None = None


class AskAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One account."""

    account: str


class AskSessions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bound sessions; `before` is the cursor of the page before."""

    account: str | None = None
    provider: str | None = None
    limit: Limit = 100
    before: str | None = None


class AskDecisions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Decisions by number, account, session or reason."""

    after: Number = 0
    before: Number | None = None
    limit: Limit = 100
    account: str | None = None
    session: str | None = None
    reason: str | None = None


class AskDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One decision."""

    number: int


class AskNext(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who would be next, for one provider and model or for all."""

    provider: str | None = None
    model: str | None = None


class AskHistory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One series, or which there are."""

    account: str | None = None
    window: str | None = None


class SetPriority(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An account's manual priority; higher goes first, 0 is the default."""

    account: str
    priority: Priority
    temporary: bool = False


class SessionKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bound session."""

    provider: Provider
    key: Key


class SetBinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A binding as it was before it was taken away."""

    provider: Provider
    key: Key
    account: str
    stand_in: str | None = None
    bound_at: float = 0.0
    used_at: float = 0.0


class SetMode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The mode."""

    mode: str
    temporary: bool = False


class SetPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The policy."""

    policy: str
    temporary: bool = False


class SetValues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings by key."""

    values: dict[str, Any]
    temporary: bool = False
