"""What the stand-in answers to each question, in the shapes of the API."""

import time
from collections import Counter
from typing import Any

from attrs import evolve

from qr.routing.account import PROVIDERS
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import decide
from qr.routing.question import Question
from qr.routing.request import Candidate
from qr.routing.sessions import fingerprint
from qr.web.render.accounts import Around, account_shape, by_label, evidence_shape
from qr.web.render.decisions import Names, decision_shape, detail_shape, explained, families_of, next_shape
from qr.web.render.health import LIMITS, versions
from qr.web.render.sessions import Page, session_shape, sessions_page
from qr.web.render.settings import setting_shapes
from qr.web.render.status import Facts, Readiness, status_shape
from qr.web.shapes import accounts as shapes
from qr.web.shapes import decisions as chosen
from qr.web.shapes import feed, service

from .world import MODELS, World

__all__ = ["Answers"]

EPOCH = "5f0c2b1a9d8e7f60"


class Answers:
    """Reads a world; everything is as of now."""

    def __init__(self, world: World, epoch: str = EPOCH) -> None:
        self.world = world
        self.epoch = epoch
        self.names = Names(world.fleet.get)
        self.refreshed: dict[str, float] = {}

    @property
    def now(self) -> float:
        return time.time()

    def account(self, id: str) -> shapes.Account:
        view, world = self.world.fleet.get(id), self.world
        rules, now = world.settings.rules, self.now
        bound = Counter(binding.account for _, _, binding in world.bindings)
        refreshed = self.refreshed.get(id)
        return account_shape(
            view,
            Around(
                standing=world.fleet.standing(id, view.provider, "", now),
                rules=rules,
                now=now,
                sessions=bound[id],
                reserved_percent=world.fleet.reserved(id),
                refresh_possible_at=refreshed and refreshed + 30,
            ),
        )

    def accounts(self) -> list[shapes.Account]:
        return [self.account(view.id) for view in sorted(self.world.fleet, key=by_label)]

    def evidence(self, id: str) -> shapes.Evidence:
        return evidence_shape(id, self.world.snapshots[id], self.world.fleet.get(id).windows, self.now)

    def sessions(self, **page: Any) -> chosen.Sessions:
        rows = list(self.world.bindings)
        return sessions_page(
            rows,
            Page(**page),
            self.last(),
            accounts=Counter(binding.account for _, _, binding in rows),
            ttl=self.world.settings.binding_ttl,
            shadow=self.world.settings.rules.mode == "shadow",
            now=self.now,
        )

    def last(self) -> dict[str, int]:
        return {
            one.decision.question.session: one.number
            for one in reversed(list(self.world.decisions))
            if one.decision.question.session
        }

    def session(self, provider: str, key: str) -> chosen.Session | None:
        binding: Binding | None = self.world.bindings.get(provider, key)
        return binding and session_shape(
            provider, key, binding, self.world.settings.binding_ttl, self.last().get(key)
        )

    def decision_numbers(self) -> feed.DecisionNumbers:
        numbers = [one.number for one in self.world.decisions]
        return feed.DecisionNumbers(numbers[0] if numbers else 0, numbers[-1] if numbers else 0)

    def decisions(
        self,
        *,
        before: int | None = None,
        limit: int = 100,
        account: str = "",
        session: str = "",
        reason: str = "",
    ) -> chosen.Decisions:
        found = [
            decision_shape(one, self.names)
            for one in self.world.decisions
            if before is None or one.number < before
        ]
        found = [one for one in found if self._fits(one, account, session, reason)]
        numbers = self.decision_numbers()
        return chosen.Decisions(self.now, numbers.newest, numbers.oldest, found[:limit])

    @staticmethod
    def _fits(one: chosen.DecisionShape, account: str, session: str, reason: str) -> bool:
        return (
            (not account or account in (one.account, one.would and one.would.account))
            and (not session or (one.session is not None and one.session.key.startswith(session)))
            and (not reason or reason in (one.reason, one.reason.partition(":")[0]))
        )

    def decision(self, number: int) -> chosen.Detail | None:
        found = self.world.decisions.get(number)
        return found and detail_shape(found, self.names, self.now)

    def next(self) -> chosen.Next:
        rules, views = self.world.settings.rules, {view.id: view for view in self.world.fleet}
        answers = []
        for provider in PROVIDERS:
            offered = tuple(
                Candidate(view.id, provider) for view in views.values() if view.provider == provider
            )
            for family in (None, *families_of(views, provider)) if offered else ():
                question = Question((provider,), family or MODELS[provider], candidates=offered)
                made = decide(question, Bindings(limit=1, ttl=1), self.world.fleet, self.now)
                answers.append(
                    next_shape(made, provider, family, self.names, list(explained(made, self.names)))
                )
        return chosen.Next(
            self.now, rules.mode, rules.policy, "the host offers every account of the provider", answers
        )

    def history(self, account: str | None = None, window: str | None = None) -> shapes.History:
        kept = self.world.history
        one = [series for series in kept if (series.account, series.window) == (account, window)]
        listed = [
            shapes.Series(
                s.account, s.account_fingerprint, s.account_label, s.window, s.title, [], [], [], []
            )
            for s in kept
        ]
        why = None if kept else "the use of windows over time is not recorded by this version"
        return shapes.History(self.now, bool(kept), why, 14, one if account else listed)

    def settings(self) -> service.Settings:
        world = self.world
        lasts = "until_host_reload" if world.owner == "host" else "until_restart"
        return service.Settings(
            self.now,
            world.generation,
            world.problems,
            world.owner,
            world.owner == "service",
            lasts,
            setting_shapes(world.settings),
        )

    def settings_in_force(self) -> feed.SettingsInForce:
        world = self.world
        rules = world.settings.rules
        return feed.SettingsInForce(world.generation, rules.mode, rules.policy, world.owner, world.problems)

    def load(self) -> feed.Load:
        bound = Counter(binding.account for _, _, binding in self.world.bindings)
        return feed.Load(
            len(self.world.bindings), {fingerprint(id): count for id, count in bound.items()}, {}
        )

    def facts(self) -> Facts:
        world = self.world
        told = world.facts
        return Facts(
            deciding=told.get("deciding", True),
            mode=world.settings.rules.mode,
            persistence=service.Persistence(
                **{
                    "persistent": True,
                    "path": "/var/lib/quota-router/state.json",
                    "problem": None,
                    "notices": [],
                    "writes": 214,
                    "last_write_at": self.now - 3,
                    **told.get("persistence", {}),
                }
            ),
            host=service.Host(
                **{
                    "attached": True,
                    "library": {"plugin": "quota-router", "version": "0.1.0", "pid": "17"},
                    "schema": 6,
                    "schema_enough": True,
                    "feedback": 4000,
                    "unreadable": 0,
                    "connections": 4,
                    "turned_away": 0,
                    "census_problem": None,
                    "alone": False,
                    **told.get("host", {}),
                }
            ),
            picks=service.Picks(
                world.decisions.count, told.get("unanswered", 0), dict(world.reasons.most_common())
            ),
            settings=service.SettingsHealth(world.generation, world.problems),
            actors=[
                service.Actor(name, True, restarts, death, ago)
                for name, restarts, death, ago in told.get("actors", ACTORS)
            ],
            account_actors=service.AccountActors(len(world.fleet), 0, []),
            loop=service.Loop(0.0004, 0.021, 60),
            providers=[self._readiness(provider) for provider in PROVIDERS],
        )

    def _readiness(self, provider: str) -> Readiness:
        views = [view for view in self.world.fleet if view.provider == provider]
        standings = [self.world.fleet.standing(view.id, provider, "", self.now) for view in views]
        return Readiness(
            provider,
            len(views),
            sum(one.usable and one.trusted for one in standings),
            sum(view.login == "dead" for view in views),
        )

    def status(self) -> service.Status:
        return status_shape(self.facts())

    def health(self) -> service.Health:
        facts, world = self.facts(), self.world
        return service.Health(
            now=self.now,
            status=status_shape(facts),
            mode=facts.mode,
            started_at=world.now - 8140,
            uptime_seconds=self.now - world.now + 8140,
            epoch=self.epoch,
            versions={**versions(), "library": "0.1.0"},
            actors=list(facts.actors),
            account_actors=facts.account_actors,
            mailboxes=[
                service.MailboxHealth("supervisor", 0, 512, 0),
                service.MailboxHealth("accounts", 1, 64, 0),
            ],
            picks=facts.picks,
            feed=service.FeedHealth(9000, 1),
            persistence=facts.persistence,
            host=facts.host,
            settings=facts.settings,
            loop=facts.loop,
            limits=LIMITS,
        )

    def set_rules(self, **rules: Any) -> None:
        self.world.apply(evolve(self.world.settings, rules=evolve(self.world.settings.rules, **rules)))


ACTORS = [
    ("supervisor", 0, None, None),
    ("recorder", 1, "OSError", 4210.0),
    ("bridge", 0, None, None),
    ("census", 0, None, None),
    ("web", 0, None, None),
]
