"""Decisions in words, and what was said of each candidate."""

import math
from collections.abc import Callable, Iterator, Mapping

from attrs import asdict, frozen

from qr.actors.decisions import Numbered
from qr.quota.windows import families, in_family
from qr.routing.account import AccountView
from qr.routing.decision import Choice as Chosen
from qr.routing.decision import Decision
from qr.routing.explanation import verdicts
from qr.routing.policies import POLICIES
from qr.routing.ranking import losses
from qr.routing.rules import Rules
from qr.routing.sessions import fingerprint
from qr.routing.standing import FOREVER, Contender, Standing
from qr.web.render.words import policy_text, reason_text, verdict_text
from qr.web.shapes.decisions import (
    BindingShape,
    Choice,
    DecisionShape,
    Detail,
    Explained,
    NextAnswer,
    Parts,
    SessionName,
)

__all__ = [
    "Names",
    "decision_shape",
    "detail_shape",
    "explained",
    "families_of",
    "family_of",
    "next_shape",
    "session_name",
]

# How much of a session's key is shown: eight digits, as in the log.
SHOWN_DIGITS = 8


@frozen
class Names:
    """What accounts are called now; one that is gone keeps its id."""

    views: Callable[[str], AccountView | None]

    def label(self, account: str) -> str:
        view = self.views(account)
        return (view and view.label) or account


def session_name(key: str | None) -> SessionName | None:
    """None: the request named no session."""
    return SessionName(key, key[:SHOWN_DIGITS]) if key else None


def decision_shape(numbered: Numbered, names: Names) -> DecisionShape:
    """A decision on one line."""
    decision = numbered.decision
    question, account = decision.question, decision.account
    return DecisionShape(
        number=numbered.number,
        at=decision.at,
        provider=", ".join(question.providers),
        model=question.model,
        session=session_name(question.session),
        parent=session_name(question.parent),
        pinned=question.pinned or None,
        handled=decision.handled,
        account=account,
        account_fingerprint=fingerprint(account) if account else None,
        account_label=names.label(account) if account else None,
        reason=decision.reason,
        reason_text=reason_text(decision.reason),
        would=_choice(decision.would, names) if decision.would else None,
        change=decision.change,
        mode=decision.rules.mode,
        policy=decision.rules.policy,
        candidates=len(question.candidates),
    )


def _choice(chosen: Chosen, names: Names) -> Choice:
    account, reason = chosen.account, chosen.reason
    return Choice(account, fingerprint(account), names.label(account), reason, reason_text(reason))


def detail_shape(numbered: Numbered, names: Names, now: float) -> Detail:
    """A decision with all that was said of its candidates."""
    decision = numbered.decision
    binding = decision.binding
    return Detail(
        now=now,
        decision=decision_shape(numbered, names),
        binding=BindingShape(binding.account, binding.stand_in, binding.bound_at) if binding else None,
        explained=list(explained(decision, names)),
        rules=asdict(decision.rules),
        layers=_layers(decision.rules),
    )


def _layers(rules: Rules) -> list[str]:
    """The order of the ranking (specification, section 4)."""
    order = ["low_headroom", "host_priority", "manual_priority", "policy", "remaining", "id"]
    place = {"above_priority": 1, "within_priority": 2}.get(rules.warning_preference)
    return order if place is None else [*order[:place], "warned", *order[place:]]


def explained(decision: Decision, names: Names) -> Iterator[Explained]:
    """Each candidate: the chosen one, those that were ranked as they dropped out last, then the others."""
    said = verdicts(decision)
    ranked = {one.id for one in decision.ranked}
    for contender in _in_order(decision):
        yield _explained(decision, contender, said[contender.id], ranked=contender.id in ranked, names=names)
    if decision.home is not None:
        yield _not_offered(decision, decision.home, said[decision.home.account], names)


def _in_order(decision: Decision) -> list[Contender]:
    chosen = decision.chosen.account if decision.chosen else None
    lost = [one.id for one, _ in losses(decision.ranked, decision.rules, decision.at)]
    place = {account: -position for position, account in enumerate(lost)}
    return sorted(decision.pool, key=lambda one: (one.id != chosen, place.get(one.id, 1), one.id))


def _explained(
    decision: Decision, contender: Contender, verdict: str, *, ranked: bool, names: Names
) -> Explained:
    account, chosen = contender.id, decision.chosen
    bound = decision.binding.account if decision.binding else None
    return Explained(
        account=account,
        fingerprint=fingerprint(account),
        label=names.label(account),
        provider=contender.candidate.provider or contender.standing.provider,
        offered=True,
        chosen=chosen is not None and chosen.account == account,
        ranked=ranked,
        home=account == bound,
        verdict=verdict,
        verdict_text=verdict_text(verdict),
        parts=_parts(contender.standing, contender.candidate.priority, decision),
    )


def _not_offered(decision: Decision, standing: Standing, verdict: str, names: Names) -> Explained:
    return Explained(
        account=standing.account,
        fingerprint=fingerprint(standing.account),
        label=names.label(standing.account),
        provider=standing.provider,
        offered=False,
        chosen=False,
        ranked=False,
        home=True,
        verdict=verdict,
        verdict_text=verdict_text(verdict),
        parts=_parts(standing, 0, decision),
    )


def _parts(standing: Standing, host_priority: int, decision: Decision) -> Parts:
    rules = decision.rules
    group, value = POLICIES[rules.policy].place(standing, rules, decision.at)
    return Parts(
        host_priority=host_priority,
        manual_priority=rules.manual_priority.get(standing.account, 0),
        headroom_percent=None if standing.headroom == FOREVER else standing.headroom,
        warned=standing.warned,
        five_hour_used_percent=standing.five_hour_used,
        long_window=standing.long_window or None,
        long_resets_at=standing.long_resets_at,
        long_remaining_percent=standing.long_remaining,
        reserved_percent=standing.reserved_percent,
        policy_group=group,
        policy_value=value if math.isfinite(value) else None,
        policy_text=policy_text(rules.policy, group, value),
    )


def families_of(views: Mapping[str, AccountView], provider: str) -> list[str]:
    """The model families that have a window of their own on some account of *provider*."""
    names = (name for view in views.values() if view.provider == provider for name in view.windows)
    return sorted(families(names))


def family_of(model: str, known: list[str]) -> str | None:
    """The family among *known* that *model* belongs to."""
    return next((family for family in known if in_family(model, family)), None)


def next_shape(
    decision: Decision, provider: str, family: str | None, names: Names, said: list[Explained]
) -> NextAnswer:
    """Who would serve a new session; in shadow the choice that would be kept back."""
    chosen = decision.chosen
    reason = chosen.reason if chosen else decision.reason
    return NextAnswer(
        provider=provider,
        model=decision.question.model,
        family=family,
        account=chosen.account if chosen else None,
        account_fingerprint=fingerprint(chosen.account) if chosen else None,
        account_label=names.label(chosen.account) if chosen else None,
        reason=reason,
        reason_text=reason_text(reason),
        shadow=decision.would is not None,
        explained=said,
    )
