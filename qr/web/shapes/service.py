"""The service itself: health, settings, actions, problems. Times are epoch seconds."""

from typing import Any, Literal

import msgspec

__all__ = [
    "AccountActors",
    "Action",
    "Actor",
    "Change",
    "Checked",
    "FeedHealth",
    "Health",
    "Host",
    "Lasts",
    "Level",
    "Limit",
    "Loop",
    "MailboxHealth",
    "Note",
    "Owner",
    "Persistence",
    "Picks",
    "Problem",
    "Setting",
    "SettingProblem",
    "Settings",
    "SettingsHealth",
    "Status",
    "Undo",
]

Level = Literal["ok", "info", "warning", "error"]
Owner = Literal["service", "host"]
Lasts = Literal["kept", "until_restart", "until_host_reload"]


class Note(msgspec.Struct, frozen=True):
    """One thing that an operator should know, and what to do about it."""

    name: str
    level: Level
    text: str
    advice: str


class Status(msgspec.Struct, frozen=True):
    """Whether all is well, at a glance."""

    level: Level
    text: str
    notes: list[Note]


class Actor(msgspec.Struct, frozen=True):
    """An actor of the house."""

    name: str
    alive: bool
    restarts: int
    last_death: str | None
    died_seconds_ago: float | None


class AccountActors(msgspec.Struct, frozen=True):
    """The account actors together; `dying` are fingerprints of those that died lately."""

    count: int
    restarts: int
    dying: list[str]


class MailboxHealth(msgspec.Struct, frozen=True):
    """How full a mailbox is, and how many messages it refused."""

    name: str
    waiting: int
    capacity: int
    refused: int


class Picks(msgspec.Struct, frozen=True):
    """Decisions since the service started; reasons since the supervisor's last restart."""

    decided: int
    unanswered: int
    reasons: dict[str, int]


class FeedHealth(msgspec.Struct, frozen=True):
    """The live feed."""

    number: int
    listeners: int


class Persistence(msgspec.Struct, frozen=True):
    """Whether the state is kept across restarts."""

    persistent: bool
    path: str
    problem: str | None
    notices: list[str]
    writes: int
    last_write_at: float | None


class Host(msgspec.Struct, frozen=True):
    """The link to the host."""

    attached: bool
    library: dict[str, str]
    schema: int | None
    schema_enough: bool
    feedback: int
    unreadable: int
    connections: int
    turned_away: int
    census_problem: str | None
    alone: bool


class SettingsHealth(msgspec.Struct, frozen=True):
    """Which settings are in force, and what was wrong with those that were refused."""

    generation: int
    problems: list[str]


class Loop(msgspec.Struct, frozen=True):
    """How late the event loop wakes a task."""

    lag_seconds: float
    worst_seconds: float
    window_seconds: float


class Limit(msgspec.Struct, frozen=True):
    """Something that stays out of reach (specification, section 11)."""

    name: str
    text: str


class Health(msgspec.Struct, frozen=True):
    """The answer of `/health`."""

    now: float
    status: Status
    mode: str
    started_at: float
    uptime_seconds: float
    epoch: str
    versions: dict[str, str | None]
    actors: list[Actor]
    account_actors: AccountActors
    mailboxes: list[MailboxHealth]
    picks: Picks
    feed: FeedHealth
    persistence: Persistence
    host: Host
    settings: SettingsHealth
    loop: Loop
    limits: list[Limit]


class Setting(msgspec.Struct, frozen=True):
    """One setting: what it is, and its value in force."""

    key: str
    type: str
    range: str
    choices: list[str]
    unit: str
    default: Any
    value: Any
    changed: bool
    text: str
    restart: bool
    secret: bool
    environment: str


class Settings(msgspec.Struct, frozen=True):
    """The answer of `/settings`."""

    now: float
    generation: int
    problems: list[str]
    owner: Owner
    writable: bool
    lasts: Lasts
    settings: list[Setting]


class Change(msgspec.Struct, frozen=True):
    """A setting that changes; values as they are shown."""

    key: str
    old: Any
    new: Any
    restart: bool


class SettingProblem(msgspec.Struct, frozen=True):
    """What is wrong with one setting, or one member of a request."""

    key: str
    message: str


class Checked(msgspec.Struct, frozen=True):
    """The answer of `/settings/check`; `patch` is what the host's own endpoint takes."""

    valid: bool
    errors: list[SettingProblem]
    changes: list[Change]
    patch: dict[str, Any]


class Undo(msgspec.Struct, frozen=True):
    """The request that takes an action back; its path is relative to the API's base."""

    label: str
    method: str
    path: str
    body: dict[str, Any]


class Action(msgspec.Struct, frozen=True):
    """What an action did."""

    done: str
    changed: bool
    lasts: Lasts = "kept"
    undo: Undo | None = None
    changes: list[Change] = []
    possible_at: float | None = None


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[SettingProblem] = []
    possible_at: float | None = None
