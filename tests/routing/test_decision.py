"""The steps of a pick (specification, section 4) where the files of situations leave something to say."""

import pytest
from msgspec.structs import replace

from qr.routing.decision import Choice
from qr.routing.explanation import verdicts
from tests.routing.situations import DAY, HOUR, NOW, Situation, account, candidate, spent, window


def outcome(decision):
    return decision.account, decision.reason


class TestFailover:
    def test_a_stand_in_that_is_spent_too_is_replaced(self):
        situation = Situation(
            account("a", spent()), account("b", spent()), account("c"), bound={"s": "a"}, stand_in="b"
        )
        decision = situation.pick()
        assert outcome(decision) == ("c", "failover:exhausted")
        assert (decision.binding.account, decision.binding.stand_in, decision.change) == (
            "a",
            "c",
            "stand_in",
        )

    def test_nobody_else_leaves_it_to_the_host_and_the_binding_alone(self):
        situation = Situation(account("a", spent()), account("b", spent()), bound={"s": "a"})
        decision = situation.pick()
        assert outcome(decision) == (None, "no_trusted_quota")
        assert decision.binding.account == "a"

    @pytest.mark.parametrize(
        ("trouble", "word"),
        [
            ({"circuit": "open"}, "circuit_open"),
            ({"circuit": "half_open", "trial_until": NOW + 60}, "circuit_open"),
            ({"paused": True}, "paused"),
        ],
    )
    def test_the_cause_is_named(self, trouble, word):
        situation = Situation(replace(account("a"), **trouble), account("b"), bound={"s": "a"})
        decision = situation.pick()
        assert outcome(decision) == ("b", f"failover:{word}")
        assert verdicts(decision) == {"a": word, "b": "chosen"}

    def test_one_request_of_another_family_at_home_does_not_forget_the_stand_in(self):
        """A spent Fable week sends Fable away; Sonnet is served at home meanwhile."""
        home = account("a", window(), spent("weekly:fable"))
        situation = Situation(home, account("b", window("weekly"), window("weekly:fable")), bound={"s": "a"})
        assert outcome(situation.pick(model="claude-fable-5")) == ("b", "failover:exhausted")
        sonnet = situation.pick()
        assert outcome(sonnet) == ("a", "affinity")
        assert sonnet.binding.stand_in == "b"
        assert outcome(situation.pick(model="claude-fable-5")) == ("b", "failover:exhausted")

    def test_a_spent_window_that_limits_nothing_does_not_keep_the_stand_in(self):
        situation = Situation(
            account("a", window(), spent("86400s")), account("b"), bound={"s": "a"}, stand_in="b"
        )
        decision = situation.pick()
        assert decision.change == "home"
        assert decision.binding.stand_in is None

    def test_home_is_told_apart_from_never_known(self):
        """An account that is not known but offered is usable: it keeps its sessions."""
        situation = Situation(account("b"), bound={"s": "new"})
        assert outcome(situation.pick("new", "b")) == ("new", "affinity")


class TestAwayTooLong:
    def test_given_up_for_the_stand_in(self):
        situation = Situation(
            account("a", spent(resets_in=3 * DAY)),
            account("b", window(resets_in=DAY)),
            account("c"),
            bound={"s": "a"},
            stand_in="c",
            failover_max=DAY,
        )
        decision = situation.pick()
        assert outcome(decision) == ("c", "rebind:away_too_long")
        assert (decision.binding.account, decision.binding.stand_in) == ("c", None)

    @pytest.mark.parametrize("home", [spent(resets_in=HOUR), spent(resets_in=None)])
    def test_kept_when_it_is_back_soon_or_nobody_knows_when(self, home):
        situation = Situation(account("a", home), account("b"), bound={"s": "a"}, failover_max=DAY)
        assert outcome(situation.pick()) == ("b", "failover:exhausted")

    def test_the_latest_reset_among_the_windows_that_refuse_counts(self):
        home = account("a", spent("five_hour", HOUR), spent("weekly", 3 * DAY))
        assert outcome(Situation(home, account("b"), bound={"s": "a"}, failover_max=DAY).pick())[
            1
        ].startswith("rebind")

    def test_a_circuit_is_never_a_reason(self):
        situation = Situation(account("a", circuit="open"), account("b"), bound={"s": "a"}, failover_max=1)
        assert outcome(situation.pick()) == ("b", "failover:circuit_open")


class TestRebind:
    def test_to_the_stand_in_when_it_is_usable(self):
        situation = Situation(
            account("a", disabled=True),
            account("b", window(resets_in=HOUR)),
            account("c"),
            bound={"s": "a"},
            stand_in="c",
        )
        assert outcome(situation.pick()) == ("c", "rebind:disabled")

    def test_by_ranking_when_the_stand_in_is_not(self):
        situation = Situation(
            account("a", login="dead"), account("b"), account("c", spent()), bound={"s": "a"}, stand_in="c"
        )
        assert outcome(situation.pick()) == ("b", "rebind:auth_failed")

    def test_nobody_else_leaves_the_binding_alone(self):
        situation = Situation(account("a", disabled=True), bound={"s": "a"})
        decision = situation.pick()
        assert outcome(decision) == (None, "no_trusted_quota")
        assert decision.binding.account == "a"

    def test_the_parent_is_not_asked_again(self):
        parent = account("p", window(resets_in=5 * DAY))
        situation = Situation(parent, account("b"), bound={"s": "gone", "parent": "p"})
        assert outcome(situation.pick("p", "b", parent="parent")) == ("b", "rebind:removed")

    def test_a_removed_account_is_said_of_as_not_offered(self):
        assert verdicts(Situation(account("b"), bound={"s": "gone"}).ask("b"))["gone"] == "not_offered"


class TestInherit:
    def test_not_from_the_parents_stand_in(self):
        parent = account("p", spent())
        situation = Situation(
            parent, account("b", window(resets_in=HOUR)), account("c"), bound={"parent": "p"}, stand_in="c"
        )
        assert outcome(situation.pick("p", "b", "c", parent="parent")) == ("b", "policy:reset_first")

    def test_age_of_data_does_not_matter(self):
        situation = Situation(account("p", window(age=5000)), account("b"), bound={"parent": "p"})
        assert outcome(situation.pick("p", "b", parent="parent")) == ("p", "inherit")

    def test_a_parent_that_is_not_bound_is_no_parent(self):
        assert outcome(Situation(account("b")).pick(parent="parent")) == ("b", "policy:reset_first")


class TestPaidUsage:
    PAID = window("weekly", 100.0, DAY, paid=True)

    def test_an_account_within_its_plan_goes_first(self):
        situation = Situation(account("a", self.PAID), account("b"), paid_usage="allow")
        assert outcome(situation.pick()) == ("b", "policy:reset_first")

    def test_a_bound_session_stays_at_home_rather_than_pay_elsewhere(self):
        situation = Situation(
            account("a", self.PAID), account("b", self.PAID), bound={"s": "b"}, paid_usage="allow"
        )
        decision = situation.pick()
        assert outcome(decision) == ("b", "paid_usage")
        assert decision.binding.stand_in is None

    def test_a_stand_in_may_be_paid(self):
        situation = Situation(
            account("a", spent()), account("b", self.PAID), bound={"s": "a"}, paid_usage="allow"
        )
        decision = situation.pick()
        assert outcome(decision) == ("b", "paid_usage")
        assert (decision.binding.account, decision.binding.stand_in) == ("a", "b")
        assert outcome(situation.pick()) == ("b", "paid_usage")

    def test_the_one_that_lost_is_said_to_be_paid_too(self):
        """What keeps an account from being used is said before how it ranked."""
        situation = Situation(
            account("a", self.PAID),
            account("b", window("weekly", 100.0, 2 * DAY, paid=True)),
            paid_usage="allow",
        )
        decision = situation.ask()
        assert outcome(decision) == ("a", "paid_usage")
        assert verdicts(decision) == {"a": "chosen", "b": "paid_usage"}

    def test_without_a_reset_it_is_over_when_a_refusal_would_be(self):
        home = account("a", window("weekly", 100.0, None, paid=True, paid_until=NOW + HOUR))
        situation = Situation(home, account("b"), bound={"s": "a"})
        assert outcome(situation.ask()) == ("b", "failover:exhausted")
        assert outcome(situation.ask(now=NOW + HOUR)) == ("a", "affinity")

    def test_avoid_leaves_it_to_the_host(self):
        assert outcome(Situation(account("a", self.PAID)).pick()) == (None, "no_trusted_quota")

    def test_a_circuit_keeps_even_paid_requests_away(self):
        situation = Situation(account("a", self.PAID, circuit="open"), paid_usage="allow")
        assert outcome(situation.pick()) == (None, "no_trusted_quota")


class TestSoonestReset:
    def test_a_thread_stays_when_everything_is_exhausted(self):
        situation = Situation(
            account("a", spent(resets_in=3 * DAY)),
            account("b", spent(resets_in=DAY)),
            bound={"s": "a"},
            policy="soonest_reset",
        )
        assert outcome(situation.pick()) == ("a", "affinity")

    def test_an_exhausted_account_that_lost_is_said_to_be_exhausted(self):
        situation = Situation(
            account("a", spent(resets_in=3 * DAY)),
            account("b", spent(resets_in=DAY)),
            policy="soonest_reset",
        )
        assert verdicts(situation.ask()) == {"a": "exhausted:weekly", "b": "chosen"}

    def test_credits_that_may_be_spent_go_before_the_exhausted(self):
        situation = Situation(
            account("a", spent(resets_in=HOUR)),
            account("b", TestPaidUsage.PAID),
            policy="soonest_reset",
            paid_usage="allow",
        )
        decision = situation.ask()
        assert outcome(decision) == ("b", "paid_usage")
        assert verdicts(decision) == {"a": "exhausted:weekly", "b": "chosen"}

    def test_exhaustion_alone_is_forgiven(self):
        situation = Situation(account("a", spent(), circuit="open"), policy="soonest_reset")
        assert outcome(situation.pick()) == (None, "no_trusted_quota")

    def test_an_api_key_that_never_reported_is_never_ranked(self):
        situation = Situation(account("b", window(resets_in=5 * DAY)), policy="soonest_reset")
        assert outcome(situation.pick(candidate("key", kind="apikey"), "b")) == ("b", "policy:soonest_reset")

    def test_a_monthly_window_alone_counts_as_an_unknown_week(self):
        month = account("m", window("monthly", 10.0, DAY), provider="codex")
        week = account("w", window("weekly", 10.0, 6 * DAY), provider="codex")
        assert outcome(Situation(month, week, policy="soonest_reset").pick(providers=("codex",))) == (
            "w",
            "policy:soonest_reset",
        )


class TestShadow:
    def test_the_choice_is_kept_and_the_host_decides(self):
        decision = Situation(account("a"), mode="shadow").pick()
        assert (decision.account, decision.reason) == (None, "shadow")
        assert decision.would == decision.chosen == Choice("a", "policy:reset_first")

    def test_what_is_not_handled_anyway_keeps_its_reason(self):
        decision = Situation(mode="shadow").ask("unknown")
        assert decision.reason == "no_trusted_quota"
        assert decision.would is None
        assert decision.chosen is None


def test_without_a_session_nothing_is_bound():
    decision = Situation(account("a")).ask(session=None)
    assert outcome(decision) == ("a", "policy:reset_first")
    assert decision.binding is None


def test_a_handled_decision_says_so():
    assert Situation(account("a")).ask().handled
    assert not Situation().ask("a").handled


@pytest.mark.parametrize(
    ("providers", "reason"),
    [
        ((), "unsupported_provider"),
        (("gemini",), "unsupported_provider"),
        (("claude", "codex"), "mixed_providers"),
    ],
)
def test_what_is_left_to_the_host(providers, reason):
    assert outcome(Situation(account("a")).ask(providers=providers)) == (None, reason)


def test_reservations_push_an_account_below_its_headroom():
    situation = Situation(account("a", window(used=90.0, resets_in=DAY)), account("b"))
    assert situation.ask(session=None).account == "a"
    situation.fleet.reserve("a", 6.0)
    decision = situation.ask(session=None)
    assert decision.account == "b"
    assert verdicts(decision) == {"a": "low_headroom", "b": "chosen"}
    assert situation.fleet.standing("a", "claude", "claude-sonnet-4-5", NOW).reserved_percent == 6.0


def test_the_window_that_keeps_an_account_away_is_the_last_to_reset():
    home = account("a", spent("five_hour", HOUR), spent("weekly", 3 * DAY))
    assert verdicts(Situation(home, account("b")).ask())["a"] == "exhausted:weekly"
