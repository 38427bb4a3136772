"""Each invariant, and what breaks it: a check that finds nothing is worth nothing."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from qr.lab.events import Events, Violation
from qr.lab.invariants import POLLS_PER_HOUR, Invariants
from qr.lab.meters import Meter
from qr.lab.plans import PLANS
from qr.lab.subscription import Account
from qr.quota.windows import Window
from qr.routing.account import AccountView
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import decide
from qr.routing.fleet import Fleet
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.routing.rules import Rules

NOW = 1_788_739_200.0
HOUR = 3600.0
WEEK = PLANS["claude", "pro"].limits[1]


def window(name="weekly", used=10.0, **more):
    return Window(name, used, NOW + 50 * HOUR, NOW, "allowed", "headers", **more)


def view(name, *windows, **more):
    return AccountView(name, "claude", windows={one.name: one for one in windows or (window(),)}, **more)


SPENT = window(used=100.0, exhausted_until=NOW + 50 * HOUR)


class World:
    """Accounts, bindings, and invariants that look on."""

    def __init__(self, *views):
        self.fleet = Fleet(Rules())
        for one in views:
            self.fleet.put(one)
        self.bindings = Bindings(limit=100, ttl=1e9)
        self.house = SimpleNamespace(
            supervisor=SimpleNamespace(
                fleet=self.fleet, reasons={"error": 0}, sessions=SimpleNamespace(bound=self.bindings)
            ),
            current=SimpleNamespace(settings=SimpleNamespace(max_bindings=100)),
            door=SimpleNamespace(mailbox=[]),
            lives={},
        )
        self.invariants = Invariants(self.house, Events(1))

    def decision(self, session="s", offered=("a", "b")):
        question = Question(
            ("claude",),
            "claude-sonnet-5",
            session,
            offer=Offer(tuple(Candidate(name, "claude") for name in offered)),
        )
        decision = decide(question, self.bindings, self.fleet, NOW)
        if decision.binding is not None:
            self.bindings.put("claude", session, decision.binding)
        return decision

    def check(self, decision):
        self.invariants.picking()
        self.invariants.decided(decision)


def test_what_the_router_decides_holds():
    world = World(view("a"), view("b"))
    world.check(world.decision())
    world.fleet.put(view("a", SPENT))
    world.check(world.decision())
    world.fleet.put(view("a"))
    home = world.decision()
    assert home.account == "a"
    world.check(home)


def test_an_exhausted_account_must_not_be_chosen_while_a_usable_one_is_offered():
    world = World(view("a", SPENT), view("b"))
    with pytest.raises(Violation, match="an exhausted account was chosen"):
        world.check(replace(world.decision(), account="a"))


def test_somebody_who_can_be_ranked_must_be_chosen():
    world = World(view("a"))
    with pytest.raises(Violation, match="nobody was chosen"):
        world.check(replace(world.decision(offered=("a",)), account=None, reason="no_trusted_quota"))


def test_warned_accounts_are_still_chosen():
    """Marks put accounts behind others, and never leave nobody."""
    marked = window(warned_until=NOW + HOUR)
    world = World(view("a", marked), view("b", marked))
    decision = world.decision()
    assert decision.account == "a"
    world.check(decision)


def test_a_session_must_not_move_without_a_cause():
    world = World(view("a"), view("b"))
    first = world.decision()
    world.check(first)
    with pytest.raises(Violation, match="a session moved, and the reason was policy:reset_first"):
        world.check(replace(first, account="b"))


def test_a_session_must_come_home():
    world = World(view("a"), view("b"))
    world.check(world.decision())
    world.fleet.put(view("a", SPENT))
    away = world.decision()
    world.check(away)
    world.fleet.put(view("a"))
    with pytest.raises(Violation, match="a session did not come home"):
        world.check(away)


def test_polls_must_keep_to_their_budget():
    world = World()
    for second in range(POLLS_PER_HOUR):
        world.invariants.polled("a", NOW + second)
    world.invariants.polled("b", NOW)
    with pytest.raises(Violation, match="41 polls of one account"):
        world.invariants.polled("a", NOW + HOUR - 1)


def told(world, used, resets_at=NOW + 50 * HOUR, at=NOW):
    known = SimpleNamespace(account=Account("a", PLANS["claude", "pro"]))
    world.invariants.told(known, [Meter(WEEK, 100.0, 1.0, resets_at, used)], at)


def test_what_is_shown_was_told():
    world = World(view("a"))
    told(world, used=10.4)
    world.invariants.settled(NOW)


@pytest.mark.parametrize(
    ("used", "resets_at"),
    [(40.0, NOW + 50 * HOUR), (10.0, NOW + 60 * HOUR)],
    ids=["another percent", "another reset"],
)
def test_what_nobody_told_must_not_be_shown(used, resets_at):
    """No window is assumed to be reset, no percent is made up."""
    world = World(view("a"))
    told(world, used, resets_at)
    with pytest.raises(Violation, match="which no answer told"):
        world.invariants.settled(NOW)


def test_a_view_must_not_be_newer_than_its_evidence():
    world = World(view("a"))
    told(world, used=10.0, at=NOW - HOUR)
    with pytest.raises(Violation, match="which no answer told"):
        world.invariants.settled(NOW)
    with pytest.raises(Violation, match="in the future"):
        World(view("a")).invariants.settled(NOW - 1)


def test_no_actor_may_fail():
    world = World()
    world.house.supervisor.reasons["error"] = 1
    with pytest.raises(Violation, match="an actor failed"):
        world.invariants.settled(NOW)


def test_bindings_must_keep_to_their_bound():
    world = World()
    for number in range(101):
        world.bindings.put("claude", f"s{number}", Binding("a"))
    with pytest.raises(Violation, match="bindings"):
        world.invariants.settled(NOW)


def test_mailboxes_must_keep_to_their_bounds():
    world = World()
    world.house.door.mailbox = [None] * 513
    with pytest.raises(Violation, match="mailbox"):
        world.invariants.settled(NOW)
