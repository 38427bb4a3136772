"""The messages of the live feed: one ask of a page, one answer of the service. Times are epoch seconds."""

from typing import Literal

import msgspec

from qr.web.shapes.decisions import Next
from qr.web.shapes.service import Health, Owner, Problem, Status

__all__ = [
    "Ask",
    "Changed",
    "Changes",
    "Closing",
    "DecisionNumbers",
    "Load",
    "Refused",
    "SettingsInForce",
    "Snapshot",
]


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"also": "with"}):
    """What a page has seen, and what it wants besides what is newer."""

    after: int | None = None
    epoch: str | None = None
    next: str | None = None
    also: tuple[Literal["health", "next"], ...] = ()


class SettingsInForce(msgspec.Struct, frozen=True):
    """The settings that every page shows."""

    generation: int
    mode: str
    policy: str
    owner: Owner
    problems: list[str]


class DecisionNumbers(msgspec.Struct, frozen=True):
    """Which decisions can be asked for."""

    newest: int
    oldest: int


class Load(msgspec.Struct, frozen=True):
    """Bound sessions and reserved percent by an account's fingerprint, of the accounts that carry most."""

    total: int
    sessions: dict[str, int]
    reserved_percent: dict[str, float]


class News(msgspec.Struct, frozen=True, kw_only=True):
    """What every answer to an ask tells; `health` and `next_pick` when they were asked for."""

    epoch: str
    number: int
    now: float
    settings: SettingsInForce
    decisions: DecisionNumbers
    load: Load
    status: Status
    health: Health | None = None
    next_pick: Next | None = None


class Snapshot(News, frozen=True, tag_field="kind", tag="snapshot", kw_only=True):
    """All accounts, or a part of them while `next` is not null."""

    first: bool
    next: str | None
    accounts: list[msgspec.Raw]
    """Each an `Account`, encoded already."""


class Changed(msgspec.Struct, frozen=True):
    """
    One thing that changed, and what it is now; null: it is gone.

    The value is an `Account`, a `DecisionShape`, a `Session` or `SettingsInForce`.
    """

    number: int
    kind: Literal["account", "decision", "binding", "settings", "health"]
    key: str
    value: msgspec.Struct | None


class Changes(News, frozen=True, tag_field="kind", tag="changes", kw_only=True):
    """What is newer than the ask's number."""

    more: bool
    skipped: int
    changes: list[msgspec.Raw]
    """Each a `Changed`, encoded already."""


class Closing(msgspec.Struct, frozen=True, tag_field="kind", tag="closing"):
    """The service stops."""


class Refused(msgspec.Struct, frozen=True, tag_field="kind", tag="refused"):
    """The ask was malformed; the connection ends."""

    problem: Problem
