"""Accounts, their windows, the evidence behind a window, and history. Times are epoch seconds."""

from typing import Literal

import msgspec

from qr.quota.windows import Status
from qr.routing.account import Circuit, Login

__all__ = [
    "Account",
    "AccountState",
    "Accounts",
    "ActorLife",
    "CircuitState",
    "ErrorName",
    "Evidence",
    "History",
    "Listed",
    "PlanTold",
    "Polling",
    "ReadPoint",
    "Refusal",
    "Reset",
    "Said",
    "Series",
    "WindowEvidence",
    "WindowShape",
    "WindowState",
]

WindowState = Literal["exhausted", "paid", "reset_pending", "unknown", "stale", "warned", "ok"]
AccountState = Literal[
    "disabled",
    "login_dead",
    "exhausted",
    "paid",
    "circuit_open",
    "paused",
    "unknown",
    "reset_pending",
    "stale",
    "low",
    "half_open",
    "warned",
    "ok",
]


class WindowShape(msgspec.Struct, frozen=True):
    """One quota window; flags hold at the answer's `now`."""

    name: str
    title: str
    family: str | None
    limits: bool
    length_seconds: float | None
    used_percent: float | None
    remaining_percent: float | None
    resets_at: float | None
    starts_at: float | None
    even_used_percent: float | None
    runs_dry_at: float | None
    observed_at: float | None
    age_seconds: float | None
    stale: bool
    stale_at: float | None
    reset_pending: bool
    status: Status | None
    warned: bool
    warned_until: float | None
    exhausted: bool
    exhausted_until: float | None
    paid: bool
    state: WindowState
    source: str


class CircuitState(msgspec.Struct, frozen=True):
    """The circuit breaker."""

    state: Circuit
    until: float | None
    trial_until: float | None


class ErrorName(msgspec.Struct, frozen=True):
    """The class of the last failure, and what it means."""

    name: str
    text: str


class Polling(msgspec.Struct, frozen=True):
    """Whether the account's usage is asked for, and when next."""

    polled: bool
    why_not: str | None
    last_at: float | None
    last_error: str | None
    next_at: float | None
    refresh_possible_at: float | None


class ActorLife(msgspec.Struct, frozen=True):
    """How often the account's actor died."""

    restarts: int
    last_death: str | None


class Account(msgspec.Struct, frozen=True):
    """One account, as the supervisor knows it."""

    id: str
    fingerprint: str
    provider: str
    label: str
    plan: str | None
    state: AccountState
    state_text: str
    usable: bool
    trusted: bool
    disabled: bool
    paused: bool
    login: Login
    circuit: CircuitState
    windows: list[WindowShape]
    manual_priority: int
    sessions: int
    reserved_percent: float
    observed_at: float | None
    last_error: ErrorName | None
    polling: Polling
    actor: ActorLife


class Accounts(msgspec.Struct, frozen=True):
    """The answer of `/accounts`."""

    now: float
    accounts: list[Account]


class ReadPoint(msgspec.Struct, frozen=True):
    """A percent as it was read; `believed` is the one that is shown."""

    at: float
    used_percent: float
    resets_at: float | None
    unstarted: bool
    paid: bool
    source: str
    believed: bool


class Said(msgspec.Struct, frozen=True):
    """What was said of a window besides a percent."""

    what: Literal["status", "refusal", "mark", "unmarked"]
    at: float
    status: Status | None
    until: float | None
    text: str


class WindowEvidence(msgspec.Struct, frozen=True):
    """All that is kept of one window."""

    name: str
    title: str
    readings: list[ReadPoint]
    said: list[Said]


class Listed(msgspec.Struct, frozen=True):
    """The last answer that listed all windows."""

    at: float
    names: list[str]


class PlanTold(msgspec.Struct, frozen=True):
    """The plan, and when it was told."""

    at: float
    name: str


class Evidence(msgspec.Struct, frozen=True):
    """The answer of `/evidence`: where the numbers of an account come from."""

    now: float
    account: str
    fingerprint: str
    windows: list[WindowEvidence]
    listed: Listed | None
    all_clear_at: float | None
    plan: PlanTold | None


class Reset(msgspec.Struct, frozen=True):
    """A reset, and what went unused at it."""

    at: float
    used_percent: float
    unused_percent: float


class Refusal(msgspec.Struct, frozen=True):
    """From then on the window was confirmed exhausted."""

    at: float


class Series(msgspec.Struct, frozen=True):
    """One window's use over time, in columns of equal length."""

    account: str
    account_fingerprint: str
    account_label: str
    window: str
    title: str
    at: list[float]
    used_percent: list[float | None]
    resets: list[Reset]
    refusals: list[Refusal]


class History(msgspec.Struct, frozen=True):
    """The answer of `/history`; the columns are empty in a list of all series."""

    now: float
    available: bool
    why_not: str | None
    days: int
    series: list[Series]
