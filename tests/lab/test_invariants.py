"""Each invariant, and what breaks it: a check that finds nothing is worth nothing."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from qr.actors.account_state import AccountState, Entry
from qr.actors.decisions import Decisions
from qr.actors.door import Door
from qr.actors.feed import KEPT, Feed
from qr.actors.historian import Historian
from qr.actors.journal import Journal
from qr.actors.lives import Life
from qr.actors.mailbox import Mailbox
from qr.actors.release import CAPACITY
from qr.actors.rooms import Room
from qr.lab.events import Events, Violation
from qr.lab.invariants import POLLS_PER_HOUR, SWEEP_EVERY, Invariants
from qr.lab.machine import MachineClock
from qr.lab.meters import Meter
from qr.lab.plans import PLANS
from qr.lab.subscription import Account
from qr.quota.evidence import Anchor, Evidence, Point, Snapshot
from qr.quota.history import MAX_EVENTS, MAX_SAMPLES, Reset, Sample, Series
from qr.quota.windows import Window
from qr.routing.account import AccountView
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import decide
from qr.routing.fleet import Fleet, Table
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.routing.reservations import Reservations
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
        self.feed, self.journal, self.room = Feed(), Journal(), Room(AccountState(Entry("a", "claude")))
        for one in views:
            self.feed.publish("account", one.id)
        self.supervisor = SimpleNamespace(
            fleet=self.fleet,
            reasons={"error": 0},
            sessions=SimpleNamespace(in_force=self.bindings, reservations=Reservations()),
            directory=SimpleNamespace(rooms={"a": self.room}),
            historian=Historian(self.journal),
        )
        self.house = SimpleNamespace(
            supervisor=self.supervisor,
            current=SimpleNamespace(settings=SimpleNamespace(max_bindings=100)),
            door=Door(),
            freed=Mailbox(CAPACITY),
            feed=self.feed,
            journal=self.journal,
            decisions=Decisions(),
            lives={"census": Life("census")},
        )
        self.world = SimpleNamespace(now=lambda: self.time)
        self.time = NOW
        self.machine = MachineClock(self.world)
        self.invariants = Invariants(self.house, Events(1), self.machine)

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
    world.invariants.settled()


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
        world.invariants.settled()


def test_a_view_must_not_be_newer_than_its_evidence():
    world = World(view("a"))
    told(world, used=10.0, at=NOW - HOUR)
    with pytest.raises(Violation, match="which no answer told"):
        world.invariants.settled()
    early = World(view("a"))
    early.time = NOW - 1
    with pytest.raises(Violation, match="in the future"):
        early.invariants.settled()


def test_an_account_is_looked_at_again_when_it_has_changed():
    world = World(view("a"))
    told(world, used=10.0)
    world.invariants.settled()
    world.fleet.put(view("a", window(used=70.0)))
    world.invariants.settled()
    world.feed.publish("account", "a")
    with pytest.raises(Violation, match="which no answer told"):
        world.invariants.settled()


def test_changes_that_the_feed_has_forgotten_are_looked_for():
    world = World(view("a"))
    for number in range(2 * KEPT):
        world.feed.publish("decision", str(number))
    with pytest.raises(Violation, match="which no answer told"):
        world.invariants.settled()


@pytest.mark.parametrize(
    ("ahead", "set_at", "holds"),
    [
        (0.0, None, False),
        (0.0, NOW - 59, True),
        (0.0, NOW - 61, False),
        (HOUR, NOW - 30, True),
        (HOUR, NOW - 61, False),
        (-HOUR, NOW - 30, False),
    ],
    ids=[
        "a minute too young",
        "of a request that a step met under way",
        "of a request from after the step",
        "an hour older than it is",
        "older, and no step has made it so",
        "an hour younger",
    ],
)
def test_a_step_of_the_clock_makes_nothing_fresher_than_it_is(ahead, set_at, holds):
    """What was told a minute ago is said to have been seen at what was `NOW`."""
    world = World(view("a"))
    told(world, used=10.0, at=NOW - 60)
    world.time = NOW + HOUR
    world.machine.ahead, world.machine.set_at = ahead, set_at
    if holds:
        world.invariants.settled()
    else:
        with pytest.raises(Violation, match="which no answer told"):
            world.invariants.settled()


def test_until_a_step_is_noticed_nothing_is_asked_of_ages():
    world = World(view("a"))
    world.machine.ahead, world.machine.set_at = -HOUR, NOW
    world.invariants.settled()
    world.invariants.decided(replace(world.decision(offered=("a",)), account=None, reason="no_trusted_quota"))


def test_no_message_may_fail():
    world = World()
    world.supervisor.reasons["error"] = 1
    with pytest.raises(Violation, match="a message failed"):
        world.invariants.settled()


@pytest.mark.parametrize("which", ["census", "account"])
def test_no_actor_may_fail(which):
    world = World(view("a"))
    world.invariants.sweep()
    life = world.room.life if which == "account" else world.house.lives["census"]
    life.restarts = 1
    with pytest.raises(Violation, match=f"an actor failed: {which}"):
        world.invariants.sweep()


def test_now_and_then_everything_is_looked_at():
    world = World(view("a"))
    told(world, used=10.0)
    world.house.lives["census"].restarts = 1
    for _ in range(SWEEP_EVERY - 1):
        world.invariants.settled()
    with pytest.raises(Violation, match="an actor failed"):
        world.invariants.settled()


def evidence(windows=1, anchors=1):
    point = Point(NOW, 10.0, None)
    known = Evidence(anchors=(Anchor(point, point),) * anchors)
    return Snapshot({f"weekly:{number}": known for number in range(windows)})


def series(samples=0, resets=0):
    return Series([Sample(number, 1.0) for number in range(samples)], (Reset(0, 1.0),) * resets)


def grow_bindings(world):
    for number in range(101):
        world.bindings.put("claude", f"s{number}", Binding("a"))


def grow_reservations(world):
    for name in "ab":
        world.supervisor.sessions.reservations.bound(name)


def grow_journal(world):
    for number in range(101):
        world.journal.binding("claude", f"s{number}", Binding("a"))


def grow_feed(world):
    world.feed._ring = [None] * (KEPT + 1)


def grow_decisions(world):
    world.house.decisions._ring = [None] * 501


def grow_models(world):
    world.fleet._tables = {str(number): Table() for number in range(65)}


def grow_standings(world):
    world.fleet._tables = {"m": Table({"a": None, "gone": None})}


def grow_history(world):
    world.supervisor.historian._series["a", "weekly"] = series(samples=MAX_SAMPLES + 1)


def grow_last(world):
    world.house.decisions.last.update((str(number), number) for number in range(501))


def grow_resets(world):
    world.supervisor.historian._series["a", "weekly"] = series(resets=MAX_EVENTS + 1)


def grow_evidence(world):
    world.room.state = replace(world.room.state, snapshot=evidence(windows=25))


def grow_readings(world):
    world.room.state = replace(world.room.state, snapshot=evidence(anchors=7))


def overflow(world):
    for _ in range(257):
        world.room.mailbox.post(None)


@pytest.mark.parametrize(
    ("grow", "words"),
    [
        (grow_bindings, "the table of bindings holds 101, and may hold 100"),
        (grow_reservations, "the reservations holds 2, and may hold 1"),
        (grow_journal, "the journal's bindings holds 101, and may hold 100"),
        (grow_feed, "the feed holds 4097, and may hold 4096"),
        (grow_decisions, "the ring of decisions holds 501, and may hold 500"),
        (grow_last, "the sessions of these decisions holds 501, and may hold 500"),
        (grow_models, "the fleet's models holds 65, and may hold 64"),
        (grow_standings, "a model's standings holds 2, and may hold 1"),
        (grow_history, "a window's history holds 625, and may hold 624"),
        (grow_resets, "a window's resets holds 81, and may hold 80"),
        (grow_evidence, "an account's evidence holds 25, and may hold 24"),
        (grow_readings, "a window's readings holds 7, and may hold 6"),
        (overflow, "an account's mailbox turned 1 messages away"),
    ],
)
def test_nothing_may_outgrow_its_bound(grow, words):
    world = World(view("a"))
    world.invariants.sweep()
    grow(world)
    with pytest.raises(Violation, match=words):
        world.invariants.sweep()
