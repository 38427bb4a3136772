"""What the routes have at hand: the house, this life's epoch, and what is worked out once for many pages."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Generic, TypeVar

import trio
from attrs import define, field

from qr.actors.directory import Directory
from qr.actors.rooms import Room
from qr.actors.schedule import refresh_at
from qr.routing.account import PROVIDERS, AccountView
from qr.routing.bindings import Bindings
from qr.routing.fleet import Fleet
from qr.routing.rules import Rules
from qr.routing.sessions import fingerprint
from qr.settings import Settings
from qr.web.canary import WINDOW, Canary
from qr.web.house import House
from qr.web.render import health
from qr.web.render.accounts import Around, account_shape
from qr.web.render.decisions import Names
from qr.web.render.status import Facts, Readiness, status_shape
from qr.web.shapes.accounts import Account
from qr.web.shapes.feed import DecisionNumbers, Load, SettingsInForce
from qr.web.shapes.service import FeedHealth, Health, Loop, MailboxHealth, Owner, SettingsHealth, Status

__all__ = ["Desk"]

T = TypeVar("T")

# To look at 300 accounts takes a millisecond: that is done once a second for all pages together, not for each
# message to each of them.
FRESH = 1.0

# Accounts whose load is told in each message of the feed: more would not fit its frames, and nobody looks.
LOADED = 500

short = lru_cache(maxsize=4096)(fingerprint)
"""An account's fingerprint; each message of the feed names up to `LOADED` accounts."""

# Of the problems with refused settings so many are told, and so many characters of each.
SAID, SAID_OF_EACH = 20, 300


class Kept(Generic[T]):
    """A value that is worked out again when it is asked for and older than `FRESH`."""

    def __init__(self, work_out: Callable[[], T]) -> None:
        self._work_out = work_out
        self._value: T | None = None
        self._until = float("-inf")

    def get(self) -> T:
        now = trio.current_time()
        if self._value is None or now >= self._until:
            self._value, self._until = self._work_out(), now + FRESH
        return self._value

    def forget(self) -> None:
        """Something has changed that must be seen at once."""
        self._value = None


@define(eq=False)
class Desk:
    """Reads the house; everything is as of now."""

    house: House
    canary: Canary = field(factory=Canary)
    epoch: str = field(factory=lambda: secrets.token_hex(8))
    """Names this life of the service: numbers of changes and decisions start anew with it."""
    started_at: float = field(init=False)
    """Epoch seconds."""
    listeners: int = 0
    """Open WebSockets."""
    status: Kept[Status] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.started_at = self.house.clock.now()
        self.status = Kept(self._status)

    @property
    def now(self) -> float:
        return self.house.clock.now()

    @property
    def settings(self) -> Settings:
        return self.house.current.settings

    @property
    def rules(self) -> Rules:
        return self.settings.rules

    @property
    def fleet(self) -> Fleet:
        return self.house.supervisor.fleet

    @property
    def bindings(self) -> Bindings:
        """Those of the mode in force."""
        return self.house.supervisor.sessions.in_force

    @property
    def names(self) -> Names:
        return Names(self.fleet.get)

    @property
    def owner(self) -> Owner:
        """Whose the settings are: a host that registers brings its own."""
        return "service" if self.house.calls.schema is None else "host"

    @property
    def _directory(self) -> Directory | None:
        return self.house.supervisor.directory

    @property
    def rooms(self) -> list[Room]:
        directory = self._directory
        found = (directory.rooms.get(view.id) for view in self.fleet) if directory else ()
        return [room for room in found if room is not None]

    def room(self, account: str) -> Room | None:
        directory = self._directory
        return directory.rooms.get(account) if directory else None

    def account(self, view: AccountView) -> Account:
        """*view* as it is shown."""
        now, room = self.now, self.room(view.id)
        around = Around(
            standing=self.fleet.standing(view.id, view.provider, "", now),
            rules=self.rules,
            now=now,
            sessions=self.bindings.sessions[view.id],
            reserved_percent=self.fleet.reserved(view.id),
            restarts=room.life.restarts if room else 0,
            last_death=room.life.last_death if room else None,
            refresh_possible_at=self._refresh_at(view.provider, room, now),
            began_at={name: self.house.supervisor.historian.began_at(view.id, name) for name in view.windows},
        )
        return account_shape(view, around)

    def _refresh_at(self, provider: str, room: Room | None, now: float) -> float | None:
        brake = self.house.supervisor.brake(provider)
        return refresh_at(room.state.schedule, now=now, brake=brake) if room else None

    def load(self) -> Load:
        """What the accounts carry."""
        bound = self.bindings.sessions
        reserved: Counter[str] = Counter({view.id: self.fleet.reserved(view.id) for view in self.fleet})
        return Load(
            total=len(self.bindings),
            sessions={short(account): count for account, count in bound.most_common(LOADED)},
            reserved_percent={
                short(account): percent for account, percent in reserved.most_common(LOADED) if percent
            },
        )

    def settings_in_force(self) -> SettingsInForce:
        current = self.house.current
        rules = self.rules
        return SettingsInForce(
            generation=current.generation,
            mode=rules.mode,
            policy=rules.policy,
            owner=self.owner,
            problems=self._problems(),
        )

    def _problems(self) -> list[str]:
        return [problem[:SAID_OF_EACH] for problem in self.house.current.problems[:SAID]]

    def decision_numbers(self) -> DecisionNumbers:
        newest = self.house.decisions.count
        return DecisionNumbers(newest, self.house.decisions.oldest)

    @property
    def mailboxes(self) -> list[MailboxHealth]:
        return health.mailbox_shapes(self.house.door, self.rooms)

    def _facts(self) -> Facts:
        house, running = self.house, trio.current_time()
        rooms = self.rooms
        return Facts(
            deciding=house.door.open,
            mode=self.rules.mode,
            persistence=health.persistence_shape(house, running=running, now=self.now),
            host=health.host_shape(house),
            picks=health.picks_shape(house),
            settings=SettingsHealth(house.current.generation, self._problems()),
            actors=health.actor_shapes(house.lives, running),
            account_actors=health.account_actors_shape(rooms, running),
            loop=Loop(self.canary.lag, self.canary.worst, WINDOW),
            providers=list(self._readiness()),
        )

    def _readiness(self) -> Iterator[Readiness]:
        for provider in PROVIDERS:
            views = [view for view in self.fleet if view.provider == provider]
            ready = sum(self._ready(view) for view in views)
            dead = sum(view.login == "dead" and not view.disabled for view in views)
            yield Readiness(provider, len(views), ready, dead)

    def _ready(self, view: AccountView) -> bool:
        standing = self.fleet.standing(view.id, view.provider, "", self.now)
        return standing.usable and standing.trusted

    def _status(self) -> Status:
        return status_shape(self._facts())

    def health(self) -> Health:
        """The whole of it."""
        facts, house = self._facts(), self.house
        return Health(
            now=self.now,
            status=status_shape(facts),
            mode=facts.mode,
            started_at=self.started_at,
            uptime_seconds=self.now - self.started_at,
            epoch=self.epoch,
            versions={**health.versions(), "library": house.link.about.get("version")},
            actors=list(facts.actors),
            account_actors=facts.account_actors,
            mailboxes=self.mailboxes,
            picks=facts.picks,
            feed=FeedHealth(house.feed.number, self.listeners),
            persistence=facts.persistence,
            host=facts.host,
            settings=facts.settings,
            loop=facts.loop,
            limits=health.LIMITS,
        )
