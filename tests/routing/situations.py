"""Short words for situations: accounts, what the host offers, and who is bound where."""

from msgspec.structs import replace

from qr.quota.windows import Window
from qr.routing.account import AccountView
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import decide
from qr.routing.fleet import Fleet
from qr.routing.question import Question
from qr.routing.request import Attributes, Candidate, Offer
from qr.routing.rules import Rules

NOW = 1_788_280_000.0
HOUR = 3600.0
DAY = 24 * HOUR


def window(name="weekly", used=40.0, resets_in=2 * DAY, *, age=100.0, **more):
    resets_at = None if resets_in is None else NOW + resets_in
    return Window(name, used, resets_at, NOW - age, **more)


def spent(name="weekly", resets_in=2 * DAY, **more):
    until = NOW + (5 * HOUR if resets_in is None else resets_in)
    return replace(window(name, 100.0, resets_in), exhausted_until=until, **more)


def account(name, *windows, provider="claude", **more):
    """An account with a free five-hour window besides *windows*."""
    given = windows or (window(),)
    known = {one.name: one for one in (window("five_hour", 20.0, 2 * HOUR), *given)}
    return AccountView(id=name, provider=provider, windows=known, **more)


def candidate(name, priority=0, kind="oauth", provider="claude"):
    return Candidate(name, provider, priority, Attributes(kind))


class Situation:
    """A fleet, a table, and picks that are written down as their owner would."""

    def __init__(self, *accounts, bound=(), stand_in=None, **rules):
        self.fleet = Fleet(Rules(**rules))
        for one in accounts:
            self.fleet.put(one)
        self.table = Bindings(limit=100, ttl=DAY)
        for session, home in dict(bound).items():
            self.table.put("claude", session, Binding(home, stand_in))

    def ask(self, *offered, session="s", model="claude-sonnet-4-5", now=NOW, providers=("claude",), **more):
        names = offered or [view.id for view in self.fleet]
        candidates = tuple(one if isinstance(one, Candidate) else candidate(one) for one in names)
        question = Question(providers, model, session, offer=Offer(candidates), **more)
        return decide(question, self.table, self.fleet, now)

    def pick(self, *offered, **more):
        """Ask, and write down what became of the binding."""
        decision = self.ask(*offered, **more)
        if decision.binding is not None and decision.chosen is not None:
            self.table.put("claude", decision.question.session, decision.binding)
        return decision
