"""A world to look at: accounts, bindings and decisions as the actors would hold them, set up by hand.

Everything shown is worked out by the router's own code; only the facts are invented.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, evolve, field

from qr.actors.account_state import AccountState, Entry, view_of
from qr.actors.breaker import Breaker
from qr.actors.decisions import Decisions, Numbered
from qr.quota.evidence import Snapshot, merge
from qr.quota.readings import Observation, Reading
from qr.routing.account import AccountView
from qr.routing.bindings import Bindings
from qr.routing.decision import Decision, decide
from qr.routing.fleet import Fleet
from qr.routing.question import Question
from qr.routing.request import Candidate
from qr.settings import Settings
from qr.web.shapes.accounts import Series

MODELS = {"claude": "claude-sonnet-4-5", "codex": "gpt-5-codex"}


@define(eq=False)
class World:
    """What a stand-in of the service shows."""

    now: float
    settings: Settings = field(factory=Settings)
    snapshots: dict[str, Snapshot] = field(factory=dict)
    states: dict[str, AccountState] = field(factory=dict)
    fleet: Fleet = field(init=False)
    bindings: Bindings = field(init=False)
    decisions: Decisions = field(factory=Decisions)
    reasons: Counter[str] = field(factory=Counter)
    history: list[Series] = field(factory=list)
    facts: dict[str, Any] = field(factory=dict)
    """What differs from a service that is well: members of the health answer, by their names."""
    polled: bool = True
    owner: str = "service"
    problems: list[str] = field(factory=list)
    generation: int = 3
    locked: bool = False
    """A token is wanted."""

    def __attrs_post_init__(self) -> None:
        self.fleet = Fleet(self.settings.rules)
        self.bindings = Bindings(limit=20_000, ttl=self.settings.binding_ttl)

    def account(
        self,
        id: str,
        windows: Mapping[str, tuple[float | None, float | None]],
        *,
        label: str = "",
        age: float = 40.0,
        plan: str | None = "max",
        readings: Iterable[Reading] = (),
        paused: bool = False,
        dead: bool = False,
        disabled: bool = False,
        error: str | None = None,
        next_poll: float | None = 150.0,
        **view: Any,
    ) -> AccountView:
        """
        Add an account.

        Args:
            id: the host's; its beginning tells the provider.
            windows: name → percent used, seconds to the reset.
            label: what people call it.
            age: seconds since the reading.
            plan: as the provider names it.
            readings: what was said besides, at the same time.
            paused: by the operator.
            dead: its login is dead.
            disabled: in the host.
            error: the class of its last failure.
            next_poll: seconds from now; None: none is planned.
            view: members of the view that cannot come about here, such as an open circuit.

        """
        provider = id.partition("-")[0]
        seen = [
            Reading(
                name, used, None if ahead is None else self.now + ahead, unstarted=used == 0 and ahead is None
            )
            for name, (used, ahead) in windows.items()
        ]
        snapshot = Snapshot()
        if seen:
            snapshot = merge(
                snapshot,
                Observation(self.now - age - 300, "usage", tuple(map(_earlier, seen)), full=True, plan=plan),
            )
            snapshot = merge(
                snapshot, Observation(self.now - age, "headers", (*seen, *readings), aggregate=None)
            )
        state = AccountState(
            Entry(id, provider, label, disabled=disabled),
            snapshot,
            Breaker(),
            paused=paused,
            dead_since=self.now - 7200 if dead else None,
            last_error=error,
        )
        self.snapshots[id], self.states[id] = snapshot, state
        known = view_of(state, self.now, reset_jitter=self.settings.rules.reset_jitter)
        at = None if next_poll is None else self.now + next_poll
        known = evolve(known, plan=plan, **{"next_poll_at": at, **view})
        self.fleet.put(known)
        return known

    def pick(
        self, session: str | None, *, at: float, provider: str = "claude", model: str = "", **asked: Any
    ) -> Numbered:
        """Decide for *session* as the supervisor would, and keep what came of it as of *at*."""
        offered = tuple(Candidate(view.id, provider) for view in self.fleet if view.provider == provider)
        question = Question((provider,), model or MODELS[provider], session, candidates=offered)
        decision = decide(evolve(question, **asked), self.bindings, self.fleet, self.now)
        return self.keep(evolve(decision, at=at))

    def keep(self, decision: Decision) -> Numbered:
        """Number a decision, and settle its binding."""
        session, chosen = decision.question.session, decision.chosen
        if session and decision.binding and chosen and chosen.reason != "pinned":
            self.bindings.put(
                decision.question.provider,
                session,
                evolve(
                    decision.binding,
                    used_at=decision.at,
                    bound_at=min(decision.at, decision.binding.bound_at),
                ),
            )
        self.reasons[decision.reason] += 1
        return self.decisions.add(decision)

    def apply(self, settings: Settings) -> None:
        """Put settings into force."""
        self.settings = settings
        self.fleet.rules = settings.rules
        self.generation += 1


def _earlier(reading: Reading) -> Reading:
    """The reading of five minutes before: a little less was used."""
    used = reading.used_percent
    return evolve(reading, used_percent=used and max(0.0, used - 1.5))
