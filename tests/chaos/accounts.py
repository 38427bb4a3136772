"""What the accounts of a storm under a virtual clock say of themselves, and when they said it."""

from random import Random

import trio
from attrs import define, field

from qr.actors.door import Door
from qr.actors.reports import Attempt, read_attempt
from qr.clock import VirtualClock
from qr.quota.readings import Observation, Reading
from qr.routing.account import AccountView
from qr.upstream.credentials import AuthEntry
from qr.upstream.results import PollResult
from tests.actors.house import claude_headers

__all__ = ["ACCOUNTS", "MODEL", "SHAKY", "STEADY", "Accounts"]

# Accounts whose sessions must never move, and accounts that get into trouble.
STEADY = tuple(f"steady-{number}" for number in range(6))
SHAKY = tuple(f"shaky-{number}" for number in range(4))
ACCOUNTS = (*STEADY, *SHAKY)

MODEL = "claude-sonnet-4-5"

HOUR, DAY = 3600.0, 86400.0

# How often a poll brings nothing, and how often it meets a bug of ours.
FRUITLESS, BUGGY = 0.3, 0.02


@define(eq=False)
class Accounts:
    """The providers' side."""

    clock: VirtualClock
    chance: Random
    _told: dict[str, float] = field(factory=dict)
    """When each account said something last, in Trio's time."""

    def serve(self, name: str, door: Door) -> None:
        """*name* is well, and says so."""
        now = self._tells(name)
        headers = claude_headers(now, 30.0, 30.0, 4 * HOUR, _week(name))
        door.tell(read_attempt(Attempt(name, "claude", MODEL, None, now - 1, now, False, 200), headers, ""))

    def refuse(self, name: str, status: int, door: Door) -> None:
        """*name* refuses: 429 for five hours that are spent, or whatever *status* says."""
        now = self._tells(name)
        spent = claude_headers(now, 100.0, 30.0, HOUR, _week(name), five_status="rejected")
        attempt = Attempt(name, "claude", MODEL, None, now - self.chance.random(), now, True, status)
        door.tell(read_attempt(attempt, spent if status == 429 else {}, ""))

    async def poll(self, entry: AuthEntry) -> PollResult:
        """As the service polls; shaky accounts tell nothing, so that their troubles last."""
        drawn = self.chance.random()
        if drawn < BUGGY:
            raise RuntimeError("a bug")
        if drawn < BUGGY + FRUITLESS or entry.id in SHAKY:
            return PollResult(error="nothing came")
        now = self._tells(entry.id)
        windows = (Reading("five_hour", 30.0, now + 4 * HOUR), Reading("weekly", 30.0, now + _week(entry.id)))
        return PollResult(Observation(now, "usage", windows, full=True), status=200)

    def _tells(self, name: str) -> float:
        self._told[name] = trio.current_time()
        return self.clock.now()

    def too_fresh(self, view: AccountView, slack: float) -> str | None:
        """What is wrong with *view*, when it seems younger than what the account said last."""
        age = self.clock.now() - view.observed_at
        least = trio.current_time() - self._told.get(view.id, 0.0) - slack
        return f"{view.id} seems {age:.0f} s old, and is at least {least:.0f}" if age < least else None


def _week(name: str) -> float:
    """Seconds until the week of *name* resets."""
    return (1 + ACCOUNTS.index(name)) * DAY
