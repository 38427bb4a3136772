"""A world to look at: what the actors hold, set up by hand and handed to a real service in its state file."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, field
from msgspec.structs import replace

from qr.actors.account_state import AccountState, Entry, view_of
from qr.actors.image import Image, pieces
from qr.actors.journal import Journal
from qr.actors.schedule import Schedule
from qr.quota.belief import believed_windows
from qr.quota.evidence import Snapshot, merge
from qr.quota.history import Series
from qr.quota.readings import Observation, Reading
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import Decision, decide
from qr.routing.fleet import Fleet
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.routing.rules import Rules
from qr.store import SCHEMA

__all__ = ["World", "session"]

MODELS = {"claude": "claude-sonnet-4-5", "codex": "gpt-5-codex"}
DAY = 86400.0
POLLED_AGO = 45.0
"""Seconds since the last poll of each account: a refresh by hand is possible again."""


@define(eq=False)
class World:
    """What a service finds when it starts, and the host that it finds."""

    now: float
    """Epoch seconds."""
    rules: Rules = field(factory=Rules)
    states: dict[str, AccountState] = field(factory=dict)
    history: dict[tuple[str, str], Series] = field(factory=dict)
    decisions: list[Decision] = field(factory=list)
    bindings: Bindings = field(factory=lambda: Bindings(limit=20_000, ttl=7 * DAY))
    attached: bool = True
    """A host is there."""
    config: str | None = None
    """The host's configuration for the plugin; None: it tells none, and the service owns the settings."""
    schema: int = 6
    """Of the host that tells its configuration."""
    feedback: int = 4000
    """Usage records that came so far."""
    held: bool = False
    """Another process has the state directory."""

    def account(
        self,
        name: str,
        windows: Mapping[str, tuple[float | None, float | None]],
        *,
        label: str = "",
        age: float = 40.0,
        plan: str | None = "max",
        readings: Iterable[Reading] = (),
        **state: Any,
    ) -> None:
        """
        Add an account.

        Args:
            name: the host's id; its beginning tells the provider.
            windows: name → percent used, seconds to the reset (None: not started).
            label: what people call it.
            age: seconds since the reading.
            plan: as the provider names it.
            readings: what was said besides, at the same time.
            state: members of its state.

        """
        seen = [
            Reading(window, used, None if ahead is None else self.now + ahead, unstarted=ahead is None)
            for window, (used, ahead) in windows.items()
        ]
        snapshot = Snapshot()
        if seen:
            polled = Observation(
                self.now - age - 300, "usage", tuple(map(_earlier, seen)), full=True, plan=plan
            )
            read = Observation(self.now - age, "headers", tuple(seen))
            told = Observation(self.now - age, "headers", tuple(readings))
            snapshot = merge(merge(merge(snapshot, polled), read), told)
        entry = Entry(name, name.partition("-")[0], label, auth_index=name)
        schedule = Schedule(since=self.now - DAY, polled_at=self.now - POLLED_AGO)
        self.states[name] = AccountState(entry, snapshot, schedule=schedule, **state)

    @property
    def fleet(self) -> Fleet:
        """The accounts as the supervisor will know them."""
        fleet = Fleet(self.rules)
        for state in self.states.values():
            windows = believed_windows(state.snapshot, reset_jitter=self.rules.reset_jitter)
            fleet.put(view_of(state, windows, self.now))
        return fleet

    def pick(
        self, fleet: Fleet, key: str | None, *, at: float, provider: str = "claude", model: str = ""
    ) -> None:
        """Decide as the supervisor would, and keep what came of it as of *at*."""
        offered = tuple(Candidate(name, provider) for name in self.states if name.startswith(provider))
        question = Question((provider,), model or MODELS[provider], key, offer=Offer(offered))
        decision = replace(decide(question, self.bindings, fleet, self.now), at=at)
        self.decisions.append(decision)
        if key and decision.binding and decision.chosen:
            bound_at = min(at, decision.binding.bound_at)
            self.bindings.put(provider, key, replace(decision.binding, used_at=at, bound_at=bound_at))

    def bind(self, key: str, account: str, at: float) -> None:
        """A session from before."""
        self.bindings.put(account.partition("-")[0], key, Binding(account, bound_at=at, used_at=at))

    def state_file(self) -> bytes:
        """What the service reads when it starts."""
        named = {name: self.bindings.get(*name) for name in self.bindings.names()}
        image = Image(named, list(self.states.values()), self.history)
        return b"".join(pieces(SCHEMA, Journal(image).take()))

    def listing(self) -> dict[str, Any]:
        """What the host answers to `host.auth.list`."""
        return {"files": [_file(state) for state in self.states.values()]}


def _file(state: AccountState) -> dict[str, Any]:
    entry = state.entry
    known = {"id": entry.id, "name": entry.id, "auth_index": entry.auth_index, "provider": entry.provider}
    return {
        **known,
        "type": entry.provider,
        "label": entry.label,
        "email": entry.label,
        "disabled": entry.disabled,
    }


def _earlier(reading: Reading) -> Reading:
    """The reading of five minutes before: a little less was used."""
    used = reading.used_percent
    return replace(reading, used_percent=used and max(0.0, used - 1.5))


def session(number: int) -> str:
    """A session's key."""
    return hashlib.sha256(f"session {number}".encode()).hexdigest()
