"""The house's own state as it is shown."""

import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from qr import __version__
from qr.abi.contract import SCHEMA
from qr.actors.account import CAPACITY as ACCOUNT_CAPACITY
from qr.actors.door import CAPACITY as DOOR_CAPACITY
from qr.actors.door import Door
from qr.actors.lives import Life
from qr.actors.rooms import Room
from qr.routing.sessions import fingerprint
from qr.web.house import House
from qr.web.shapes.service import (
    AccountActors,
    Actor,
    Host,
    Limit,
    MailboxHealth,
    Persistence,
    Picks,
)

__all__ = [
    "LIMITS",
    "account_actors_shape",
    "actor_shapes",
    "host_shape",
    "mailbox_shapes",
    "persistence_shape",
    "picks_shape",
    "versions",
]

# A death is news for this many seconds; then it is a number on the health page.
LATELY = 300.0

# The dying that are named; with more of them than this it is not about single accounts.
NAMED = 20

# What stays out of reach (specification, section 11), for the places where a user would wonder.
LIMITS = [
    Limit(
        "home_dispatch",
        "What the host dispatches to its home bypasses plugins: it is neither decided nor seen here.",
    ),
    Limit(
        "websocket",
        "The host pins a WebSocket to one account: its requests stay there, whatever becomes of the quota.",
    ),
    Limit(
        "mixed_providers",
        "A route over several providers is decided by the host, and shown here as mixed_providers.",
    ),
    Limit(
        "body_sessions",
        "A session that only the request's body names has no affinity: at pick time only headers are known.",
    ),
]


def actor_shapes(lives: Mapping[str, Life], running: float) -> list[Actor]:
    """
    The actors that are no accounts.

    Args:
        lives: by name.
        running: Trio's time now.

    """
    return [
        Actor(
            name=name,
            alive=life.alive,
            restarts=life.restarts,
            last_death=life.last_death,
            died_seconds_ago=None if life.died_at is None else running - life.died_at,
        )
        for name, life in lives.items()
    ]


def account_actors_shape(rooms: Iterable[Room], running: float) -> AccountActors:
    """The account actors together."""
    every = list(rooms)
    died = [room for room in every if room.life.died_at is not None]
    lately = [room for room in died if running - (room.life.died_at or 0.0) < LATELY]
    return AccountActors(
        count=len(every),
        restarts=sum(room.life.restarts for room in died),
        dying=[fingerprint(room.state.id) for room in lately[:NAMED]],
    )


def mailbox_shapes(door: Door, rooms: Iterable[Room]) -> list[MailboxHealth]:
    """The supervisor's mailbox, and of the accounts' the fullest and all that they refused."""
    boxes = [room.mailbox for room in rooms]
    fullest, refused = max(map(len, boxes), default=0), sum(box.refused for box in boxes)
    return [
        MailboxHealth("supervisor", len(door.mailbox), DOOR_CAPACITY, door.mailbox.refused),
        MailboxHealth("accounts", fullest, ACCOUNT_CAPACITY, refused),
    ]


def picks_shape(house: House) -> Picks:
    """What was decided, and what nobody decided."""
    reasons = house.supervisor.reasons
    return Picks(house.decisions.count, house.door.unanswered, dict(reasons.most_common()))


def persistence_shape(house: House, *, running: float, now: float) -> Persistence:
    """Whether the state is kept; *running* is Trio's time, *now* epoch seconds."""
    written = house.recorder.written_at
    return Persistence(
        persistent=house.store.persistent,
        path=str(house.store.path),
        problem=house.recorder.problem or house.store.problem,
        notices=list(house.notices),
        writes=house.recorder.writes,
        last_write_at=None if written is None else now - (running - written),
    )


def host_shape(house: House) -> Host:
    """The link to the host, and what came over it."""
    calls, bridge = house.calls, house.bridge
    return Host(
        attached=house.link.up,
        library=dict(house.link.about),
        schema=calls.schema,
        schema_enough=calls.schema is None or calls.schema >= SCHEMA,
        feedback=calls.feedback,
        unreadable=calls.unreadable,
        connections=bridge.connections if bridge else 0,
        turned_away=bridge.turned_away if bridge else 0,
        census_problem=house.census.problem,
        alone=house.current.settings.auth_dir is not None,
    )


@cache
def versions() -> Mapping[str, str | None]:
    """Of the service and what it stands on; None: not told."""
    libraries = {name: _version(name) for name in ("trio", "quart", "hypercorn")}
    return {"quota_router": __version__, "python": platform.python_version(), **libraries}


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
