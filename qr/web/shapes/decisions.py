"""Decisions, their explanation, sessions, and who would be next. Times are epoch seconds."""

from typing import Any, Literal

import msgspec

__all__ = [
    "BindingShape",
    "Choice",
    "DecisionShape",
    "Decisions",
    "Detail",
    "Explained",
    "Next",
    "NextAnswer",
    "Parts",
    "Session",
    "SessionName",
    "Sessions",
]


class SessionName(msgspec.Struct, frozen=True):
    """A session's key (a hash), and the eight digits of it that are shown."""

    key: str
    fingerprint: str


class Choice(msgspec.Struct, frozen=True):
    """The choice that shadow kept back."""

    account: str
    account_fingerprint: str
    account_label: str
    reason: str
    reason_text: str


class DecisionShape(msgspec.Struct, frozen=True):
    """One decision."""

    number: int
    at: float
    provider: str
    model: str
    session: SessionName | None
    parent: SessionName | None
    pinned: str | None
    handled: bool
    account: str | None
    account_fingerprint: str | None
    account_label: str | None
    reason: str
    reason_text: str
    would: Choice | None
    change: Literal["bound", "stand_in", "home"] | None
    mode: str
    policy: str
    candidates: int


class Decisions(msgspec.Struct, frozen=True):
    """The answer of `/decisions`, newest first."""

    now: float
    newest: int
    oldest: int
    decisions: list[DecisionShape]


class Parts(msgspec.Struct, frozen=True):
    """What ranked an account; percents have reservations taken off, null is unknown."""

    host_priority: int
    manual_priority: int
    headroom_percent: float | None
    warned: bool
    five_hour_used_percent: float
    long_window: str | None
    long_resets_at: float | None
    long_remaining_percent: float | None
    reserved_percent: float
    policy_group: int
    policy_value: float | None
    policy_text: str


class Explained(msgspec.Struct, frozen=True):
    """What was said of one candidate."""

    account: str
    fingerprint: str
    label: str
    provider: str
    offered: bool
    chosen: bool
    ranked: bool
    home: bool
    verdict: str
    verdict_text: str
    parts: Parts


class BindingShape(msgspec.Struct, frozen=True):
    """The session's binding after the decision."""

    account: str
    stand_in: str | None
    bound_at: float


class Detail(msgspec.Struct, frozen=True):
    """The answer of `/decision`: one decision, and why."""

    now: float
    decision: DecisionShape
    binding: BindingShape | None
    explained: list[Explained]
    rules: dict[str, Any]
    layers: list[str]


class Session(msgspec.Struct, frozen=True):
    """One binding."""

    provider: str
    key: str
    fingerprint: str
    account: str
    stand_in: str | None
    bound_at: float
    used_at: float
    expires_at: float
    last_decision: int | None


class Sessions(msgspec.Struct, frozen=True):
    """The answer of `/sessions`, most recently used first."""

    now: float
    total: int
    matching: int
    shadow: bool
    next: str | None
    accounts: dict[str, int]
    sessions: list[Session]


class NextAnswer(msgspec.Struct, frozen=True):
    """Who would serve a new session of one provider and model family."""

    provider: str
    model: str
    family: str | None
    account: str | None
    account_fingerprint: str | None
    account_label: str | None
    reason: str
    reason_text: str
    shadow: bool
    explained: list[Explained]


class Next(msgspec.Struct, frozen=True):
    """The answer of `/next`."""

    now: float
    mode: str
    policy: str
    assumed: str
    answers: list[NextAnswer]
