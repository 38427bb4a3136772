"""What goes wrong in a storm under a virtual clock: each kind is one method."""

from collections import Counter
from random import Random

import trio
from attrs import define, evolve, field

from qr.actors.lives import Life
from qr.actors.messages import Apply, Pause
from qr.clock import VirtualClock
from qr.store import StoreError
from qr.system import House
from tests.actors.house import Memory
from tests.chaos.accounts import MORTAL, SHAKY, Accounts
from tests.chaos.disk import Disk
from tests.chaos.faults import POLICIES
from tests.chaos.ledger import Ledger

__all__ = ["MISHAPS", "Mishaps", "account_lives"]

# How often each kind happens, relative to the others.
MISHAPS = {
    "account_dies": 5,
    "actor_dies": 3,
    "all_die": 0.5,
    "clock_is_set": 0.7,
    "account_is_spent": 1,
    "account_fails": 1,
    "account_is_paused": 0.7,
    "login_dies": 0.5,
    "login_is_renewed": 0.5,
    "settings_change": 0.5,
    "disk_breaks": 0.3,
    "disk_heals": 0.5,
}

# By how many seconds a clock is set, at most.
FARTHEST = 6 * 3600.0


@define(eq=False)
class Mishaps:
    """Strikes the house, and knows what that excuses."""

    chance: Random
    clock: VirtualClock
    accounts: Accounts
    ledger: Ledger
    disk: Disk
    house: House = field(init=False)
    """The one that lives now."""
    store: Memory = field(init=False)
    """Its disk."""
    counts: Counter[str] = field(factory=Counter)
    set_at: float = float("-inf")
    """When the clock was set last, in Trio's time."""

    def strike(self, kind: str) -> None:
        """Have a mishap of *kind* happen now."""
        self.counts[kind.replace("_", " ")] += 1
        getattr(self, f"_{kind}")()

    def _account_dies(self) -> None:
        lives = account_lives(self.house)
        if lives:
            self.chance.choice(lives).kill()

    def _actor_dies(self) -> None:
        self.chance.choice(list(self.house.lives.values())).kill()

    def _all_die(self) -> None:
        for life in (*self.house.lives.values(), *account_lives(self.house)):
            life.kill()

    def _clock_is_set(self) -> None:
        self.clock.step(self.chance.uniform(-FARTHEST, FARTHEST))
        self.set_at = trio.current_time()

    def _account_is_spent(self) -> None:
        self.accounts.refuse(self._in_trouble(), 429, self.house.door)

    def _account_fails(self) -> None:
        name = self._in_trouble()
        for _ in range(5):
            self.accounts.refuse(name, 529, self.house.door)

    def _account_is_paused(self) -> None:
        self.house.door.tell(Pause(self._in_trouble(), on=self.chance.random() < 0.5))

    def _login_dies(self) -> None:
        name = self.chance.choice(MORTAL)
        self.ledger.mortal.add(name)
        self.accounts.revoke(name, self.house.door)

    def _login_is_renewed(self) -> None:
        self.accounts.renew(self.chance.choice(MORTAL), self.house.door)

    def _in_trouble(self) -> str:
        name = self.chance.choice(SHAKY)
        self.ledger.wavering.add(name)
        return name

    def _settings_change(self) -> None:
        """Its notice may be lost."""
        current = self.house.current
        rules = evolve(current.settings.rules, policy=self.chance.choice(POLICIES))
        current.take(evolve(current.settings, rules=rules))
        if self.chance.random() < 0.5:
            self.house.door.tell(Apply(current.settings))

    def _disk_breaks(self) -> None:
        self.disk.breaks("full")
        self.store.failure = StoreError("the disk is full")

    def _disk_heals(self) -> None:
        self.disk.heals("full")
        self.store.failure = None

    def end(self) -> None:
        """All troubles that do not end by themselves."""
        self._disk_heals()
        for name in SHAKY:
            self.house.door.tell(Pause(name, on=False))
        for name in MORTAL:
            self.accounts.renew(name, self.house.door)


def account_lives(house: House) -> list[Life]:
    """Of the account actors, in a fixed order."""
    directory = house.supervisor.directory
    if directory is None:
        return []
    rooms = map(directory.rooms.get, sorted(view.id for view in house.supervisor.fleet))
    return [room.life for room in rooms if room is not None]
