"""What the accounts of a storm under a virtual clock say of themselves, and when they said it."""

from collections.abc import Sequence
from math import inf
from random import Random

import trio
from attrs import define, field
from msgspec.structs import replace

from qr.actors.account_state import Entry
from qr.actors.door import Door
from qr.actors.messages import Listing
from qr.actors.reports import Attempt, read_attempt
from qr.clock import VirtualClock
from qr.quota.failures import Failure
from qr.quota.readings import Observation, Reading
from qr.routing.account import AccountView
from qr.upstream.credentials import AuthEntry
from qr.upstream.results import PollResult
from tests.stories import signals

__all__ = ["ACCOUNTS", "MODELS", "MORTAL", "SHAKY", "STEADY", "Accounts", "of_provider", "provider_of"]

# Accounts whose sessions must never move, accounts that get into trouble, and accounts whose logins die. The
# last ones are reset first, so that newcomers go to them.
STEADY = (*(f"steady-{number}" for number in range(6)), "codex-steady-0", "codex-steady-1", "codex-steady-2")
SHAKY = (*(f"shaky-{number}" for number in range(4)), "codex-shaky-0", "codex-shaky-1")
MORTAL = ("mortal-0", "mortal-1", "codex-mortal-0")
ACCOUNTS = (*MORTAL, *STEADY, *SHAKY)

MODELS = {"claude": "claude-sonnet-4-5", "codex": "gpt-5.1-codex"}

HOUR, DAY = 3600.0, 86400.0

# How often a poll brings nothing, and how often it meets a bug of ours.
FRUITLESS, BUGGY = 0.3, 0.02

REVOKED = '{"error":{"type":"authentication_error","message":"OAuth token has been revoked."}}'


@define(eq=False)
class Accounts:
    """The providers' side."""

    clock: VirtualClock
    chance: Random
    revoked: set[str] = field(factory=set)
    """Whose login is dead."""
    _told: dict[str, float] = field(factory=dict)
    """When each account said something last, in Trio's time."""
    _entries: dict[str, Entry] = field(factory=lambda: {name: _entry(name) for name in ACCOUNTS})

    def listing(self) -> Listing:
        """As the host lists them."""
        return Listing(list(self._entries.values()))

    def serve(self, name: str, door: Door) -> None:
        """*name* is well, and says so."""
        told = {"five": 30, "five_resets": 4 * HOUR, "week": 30, "week_resets": _week(name)}
        door.tell(read_attempt(self._attempt(name, 200), self._headers(name, **told), ""))

    def refuse(self, name: str, status: int, door: Door) -> None:
        """*name* refuses: 429 for five hours that are spent, or whatever *status* says."""
        told: dict[str, float | str] = {}
        if status == 429:
            told = {"five": 100, "five_status": "rejected", "five_resets": HOUR, "week": 30}
        headers, body = self._headers(name, **told), "{}"
        if status == 429 and provider_of(name) == "codex":
            resets = int(self.clock.now() + HOUR)
            body = f'{{"error":{{"type":"usage_limit_reached","resets_at":{resets}}}}}'
        door.tell(read_attempt(self._attempt(name, status), headers, body))

    def revoke(self, name: str, door: Door) -> None:
        """The login of *name* is dead, until it is renewed."""
        self.revoked.add(name)
        door.tell(read_attempt(self._attempt(name, 401), {}, REVOKED))

    def renew(self, name: str, door: Door) -> None:
        """Somebody has logged in again; the date of the file is the clock's, right or wrong."""
        self.revoked.discard(name)
        self._entries[name] = replace(self._entries[name], changed_at=self.clock.now())
        door.tell(self.listing())

    def _attempt(self, name: str, status: int) -> Attempt:
        now, took = self.clock.now(), self.chance.random()
        provider = provider_of(name)
        return Attempt(name, provider, MODELS[provider], None, now - took, now, status != 200, status)

    def _headers(self, name: str, **told: float | str) -> signals.Headers:
        if told:
            self._told[name] = trio.current_time()
        tell = signals.codex if provider_of(name) == "codex" else signals.claude
        return tell(self.clock.now(), **told)

    async def poll(self, entry: AuthEntry) -> PollResult:
        """As the service polls; shaky accounts tell nothing, so that their troubles last."""
        drawn = self.chance.random()
        if drawn < BUGGY:
            raise RuntimeError("a bug")
        if entry.id in self.revoked:
            return PollResult(failure=Failure("auth_permanent"), error="the login is dead", status=401)
        if drawn < BUGGY + FRUITLESS or entry.id in SHAKY:
            return PollResult(error="nothing came")
        now = self.clock.now()
        self._told[entry.id] = trio.current_time()
        windows = (Reading("five_hour", 30.0, now + 4 * HOUR), Reading("weekly", 30.0, now + _week(entry.id)))
        return PollResult(Observation(now, "usage", windows, full=True), status=200)

    def too_fresh(self, view: AccountView, slack: float) -> str | None:
        """What is wrong with *view*, when it seems younger than what the account said last."""
        age = self.clock.now() - view.observed_at
        least = trio.current_time() - self._told.get(view.id, inf) - slack
        return f"{view.id} seems {age:.0f} s old, and is at least {least:.0f}" if age < least else None

    def forget_ages(self) -> None:
        """A state from before a step of the clock is read back: nobody can know the age of what it says."""
        self._told.clear()


def of_provider(provider: str) -> Sequence[str]:
    """The accounts that *provider* has."""
    return [name for name in ACCOUNTS if provider_of(name) == provider]


def provider_of(name: str) -> str:
    """Whose account *name* is."""
    return "codex" if name.startswith("codex-") else "claude"


def _entry(name: str) -> Entry:
    return Entry(name, provider_of(name), changed_at=1.0)


def _week(name: str) -> float:
    """Seconds until the week of *name* resets."""
    return (1 + ACCOUNTS.index(name) / 3) * DAY
