"""Who would serve a new session now: decided like a pick, on the same views, and nothing follows from it."""

from collections.abc import Iterator, Mapping

from qr.routing.account import PROVIDERS
from qr.routing.bindings import Binding
from qr.routing.decision import Decision, decide
from qr.routing.question import Question
from qr.routing.request import Attributes, Candidate, Offer
from qr.web.desk import Desk
from qr.web.render.decisions import explained, families_of, family_of, next_shape
from qr.web.shapes.decisions import Next, NextAnswer
from qr.web.turns import give_way

__all__ = ["next_pick"]


class Unbound:
    """A table without bindings: the session that is asked for is a new one."""

    def get(self, provider: str, key: str) -> Binding | None:  # noqa: ARG002 - as in any table
        return None


ASSUMED = "the host offers every account of the provider, in the tiers that it offered last"


async def next_pick(desk: Desk, provider: str | None, model: str | None) -> Next:
    """
    Ask for *model* of *provider*, or for every model family of every provider that has accounts.

    Nothing is bound, reserved or recorded.
    """
    answers = []
    for name, asked, family in _questions(desk, provider, model):
        answers.append(_answer(desk, name, asked, family))
        await give_way()
    return Next(desk.now, desk.rules.mode, desk.rules.policy, ASSUMED, answers)


def _questions(desk: Desk, provider: str | None, model: str | None) -> Iterator[tuple[str, str, str | None]]:
    """Provider, model, family."""
    views = {view.id: view for view in desk.fleet}
    if provider is not None:
        named = [provider]
    else:
        named = [name for name in PROVIDERS if any(view.provider == name for view in views.values())]
    for name in named:
        known = families_of(views, name)
        if model is not None:
            yield name, model, family_of(model, known)
        else:
            yield from ((name, family or "", family) for family in (None, *known))


def _answer(desk: Desk, provider: str, model: str, family: str | None) -> NextAnswer:
    decision = _decide(desk, provider, model)
    names = desk.names
    return next_shape(decision, provider, family, names, list(explained(decision, names)))


def _decide(desk: Desk, provider: str, model: str) -> Decision:
    tiers = _tiers(desk, provider)
    candidates = tuple(
        Candidate(view.id, provider, tiers.get(view.id, 0), attributes=_attributes(desk, view.id))
        for view in desk.fleet
        if view.provider == provider
    )
    question = Question((provider,), model, offer=Offer(candidates))
    return decide(question, Unbound(), desk.fleet, desk.now)


def _attributes(desk: Desk, account: str) -> Attributes | None:
    room = desk.room(account)
    return Attributes("apikey") if room is not None and room.state.entry.api_key else None


def _tiers(desk: Desk, provider: str) -> Mapping[str, int]:
    """The host's priorities, as its newest question for *provider* told them; no listing has them."""
    asked = (numbered.decision.question for numbered in desk.house.decisions)
    question = next((question for question in asked if question.provider == provider), Question())
    return {candidate.id: candidate.priority for candidate in question.candidates}
