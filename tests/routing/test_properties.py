"""What holds for every decision, whatever the situation."""

from hypothesis import given
from hypothesis import strategies as st

from qr.quota.windows import Window
from qr.routing.account import AccountView
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import decide
from qr.routing.explanation import verdicts
from qr.routing.fleet import Fleet
from qr.routing.policies import POLICIES
from qr.routing.question import Question
from qr.routing.request import Attributes, Candidate, Offer
from qr.routing.rules import Rules

NOW = 1_788_280_000.0
NAMES = ["a", "b", "c", "d"]

moments = st.none() | st.sampled_from([-90000, -3600, -1, 0, 1, 1800, 86400, 600000]).map(
    lambda after: NOW + after
)


@st.composite
def windows(draw):
    names = draw(st.sets(st.sampled_from(["five_hour", "weekly", "monthly", "weekly:fable", "86400s"])))
    return {
        name: Window(
            name,
            draw(st.none() | st.sampled_from([0.0, 40.0, 79.0, 81.0, 96.0, 100.0])),
            draw(moments),
            NOW - draw(st.sampled_from([-9999.0, 0.0, 100.0, 5000.0])),
            warned_until=draw(moments),
            exhausted_until=draw(moments),
            paid=draw(st.booleans()),
        )
        for name in names
    }


@st.composite
def views(draw, name):
    return AccountView(
        name,
        draw(st.sampled_from(["claude", "codex"])),
        disabled=draw(st.integers(0, 9)) == 0,
        paused=draw(st.integers(0, 9)) == 0,
        login=draw(st.sampled_from(["ok", "ok", "ok", "dead"])),
        circuit=draw(st.sampled_from(["closed", "closed", "open", "half_open"])),
        circuit_until=draw(moments),
        trial_until=draw(moments),
        windows=draw(windows()),
    )


rules = st.builds(
    Rules,
    mode=st.sampled_from(["active", "active", "shadow", "off"]),
    policy=st.sampled_from(sorted(POLICIES)),
    warning_preference=st.sampled_from(["above_priority", "within_priority", "off"]),
    paid_usage=st.sampled_from(["avoid", "allow"]),
    inherit_parent=st.booleans(),
    failover_max=st.sampled_from([None, 0.0, 3600.0]),
)


@st.composite
def situations(draw):
    fleet = Fleet(draw(rules))
    for name in draw(st.sets(st.sampled_from(NAMES))):
        fleet.put(draw(views(name)))
        fleet.reserve(name, draw(st.sampled_from([0.0, 10.0])))
    table = Bindings(limit=10, ttl=1e9)
    homes = st.sampled_from([*NAMES, "gone"])
    for session in draw(st.sets(st.sampled_from(["s", "parent"]))):
        table.put("claude", session, Binding(draw(homes), draw(st.none() | homes)))
    offered = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
    kinds = st.sampled_from([None, Attributes("oauth"), Attributes("apikey")])
    question = Question(
        draw(st.sampled_from([("claude",), ("claude",), ("codex",), ("gemini",), ("claude", "codex"), ()])),
        draw(st.sampled_from(["claude-sonnet-5", "claude-fable-5", ""])),
        draw(st.sampled_from(["s", None])),
        draw(st.sampled_from(["parent", None])),
        draw(st.sampled_from(["", "", "", "a", "gone"])),
        Offer(tuple(Candidate(n, "claude", draw(st.integers(0, 1)), draw(kinds)) for n in offered)),
    )
    return question, table, fleet


@given(situations())
def test_a_pick_never_raises_and_is_among_the_candidates(situation):
    question, table, fleet = situation
    decision = decide(question, table, fleet, NOW)
    offered = {candidate.id for candidate in question.candidates}
    assert decision.account is None or decision.account in offered
    assert decision.chosen is None or decision.chosen.account in offered
    assert decision.reason


@given(situations(), st.randoms())
def test_the_order_of_candidates_never_matters(situation, chance):
    question, table, fleet = situation
    shuffled = [*question.candidates]
    chance.shuffle(shuffled)
    other = Question(
        question.providers,
        question.model,
        question.session,
        question.parent,
        question.pinned,
        Offer(tuple(shuffled)),
    )
    one, two = decide(question, table, fleet, NOW), decide(other, table, fleet, NOW)
    assert (one.account, one.reason, one.binding, one.would) == (
        two.account,
        two.reason,
        two.binding,
        two.would,
    )
    assert verdicts(one) == verdicts(two)


@given(situations())
def test_a_decision_that_is_not_handled_changes_no_binding(situation):
    question, table, fleet = situation
    decision = decide(question, table, fleet, NOW)
    if decision.chosen is None:
        assert decision.change is None
        assert decision.binding is None or decision.binding in [table.get(*name) for name in table.names()]


@given(situations())
def test_every_candidate_has_a_verdict_and_the_chosen_one_alone_is_chosen(situation):
    decision = decide(*situation, NOW)
    said = verdicts(decision)
    assert {candidate.id for candidate in decision.question.candidates} <= set(said)
    chosen = [account for account, word in said.items() if word == "chosen"]
    assert chosen == ([decision.chosen.account] if decision.chosen else [])


@given(situations())
def test_never_a_spent_account_while_a_trusted_usable_one_is_offered(situation):
    question, table, fleet = situation
    decision = decide(question, table, fleet, NOW)
    if decision.chosen is None or question.pinned:
        return
    standings = {one.id: one.standing for one in decision.pool}
    if any(one.usable and one.trusted for one in standings.values()):
        assert standings[decision.chosen.account].usable


@given(situations())
def test_a_warned_pool_never_starves(situation):
    """If any account can be ranked, a new session gets one, warned or not."""
    question, table, fleet = situation
    decision = decide(question, table, fleet, NOW)
    ours = decision.reason not in ("off", "mixed_providers", "unsupported_provider", "pinned_not_offered")
    if ours and any(one.standing.usable and one.standing.trusted for one in decision.pool):
        assert decision.chosen is not None


@given(situations())
def test_keeping_standings_ready_changes_no_decision(situation):
    """A fleet asked before, at other times and for other models, decides like a fresh one."""
    question, table, fleet = situation
    fresh = Fleet(fleet.rules)
    for view in fleet:
        fresh.put(view)
        fresh.reserve(view.id, fleet.reserved(view.id))
    for earlier in (-90001.0, -3601.0, -2.0, -0.5):
        decide(question, table, fleet, NOW + earlier)
    kept, worked_out = decide(question, table, fleet, NOW), decide(question, table, fresh, NOW)
    assert (kept.account, kept.reason, kept.would) == (
        worked_out.account,
        worked_out.reason,
        worked_out.would,
    )
    assert verdicts(kept) == verdicts(worked_out)
