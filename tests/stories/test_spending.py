"""What expires first is spent first, by what the providers' answers tell."""

import pytest

from tests.stories.host import GPT, Host
from tests.stories.service import Inside
from tests.stories.signals import DAY, HOUR


def test_the_week_that_resets_first_is_spent_first(host: Host, service: Inside) -> None:
    host.has("ann", "bob", "cat")
    host.serves("ann", week=40, week_resets=3 * DAY)
    host.serves("bob", week=40, week_resets=1 * DAY)
    host.serves("cat", week=40, week_resets=2 * DAY)
    assert host.session("S1").asks() == "bob"
    assert service.reason == "policy:reset_first"


def test_a_small_remainder_that_resets_soon_comes_before_a_full_week_that_resets_late(host: Host) -> None:
    host.has("late", "soon")
    host.serves("late", five=0, week=0, week_resets=6 * DAY)
    host.serves("soon", five=10, week=90, week_resets=20 * HOUR)
    assert host.session("S1").asks() == "soon"


def test_what_nobody_can_use_up_any_more_is_left_to_the_sessions_that_are_there(host: Host) -> None:
    """Below the least remainder for new sessions an account keeps its own, and gets no more."""
    host.has("late", "soon")
    host.serves("late", week=10, week_resets=6 * DAY)
    host.serves("soon", week=90, week_resets=20 * HOUR)
    assert host.session("S1").asks() == "soon"
    host.serves("soon", week=97, week_resets=20 * HOUR)
    assert host.session("S2").asks() == "late"
    assert host.session("S1").asks() == "soon"


def test_five_spent_hours_close_the_gate_however_soon_the_week_resets(host: Host, service: Inside) -> None:
    host.has("late", "soon")
    host.serves("late", five=10, week=20, week_resets=5 * DAY)
    host.serves("soon", five=100, five_status="rejected", week=20, week_resets=DAY)
    assert host.session("S1").asks() == "late"
    host.serves("soon", five=0, week=20, week_resets=DAY)
    assert host.session("S2").asks() == "soon"


def test_all_windows_that_limit_the_model_must_have_room(host: Host) -> None:
    host.has("ann", "bob")
    host.serves("ann", five=97, week=20, week_resets=DAY)
    host.serves("bob", five=10, week=20, week_resets=5 * DAY)
    assert host.session("S1").asks() == "bob"


def test_a_burst_of_new_sessions_is_spread_before_any_of_them_is_counted(host: Host) -> None:
    host.has("ann", "bob", "cat")
    for days, name in enumerate(("ann", "bob", "cat"), 1):
        host.serves(name, five=60, week=60, week_resets=days * DAY)
    answers = host.loaded.many(50, lambda number: host.session(f"S{number}").asks())
    shares = [answers.count(name) for name in ("ann", "bob", "cat")]
    assert sum(shares) == 50
    assert all(share >= 10 for share in shares)


def test_without_any_evidence_the_host_decides(host: Host, service: Inside) -> None:
    host.has("ann", "bob")
    assert host.session("S1").asks() is None
    assert service.reason == "no_trusted_quota"


class TestWithoutPolling:
    """`soonest_reset`: what was never observed is learned by one real request, or better left alone."""

    @pytest.fixture(autouse=True)
    def _policy(self, host: Host) -> None:
        host.configures("policy: soonest_reset\n")

    def test_a_claude_account_nobody_knows_goes_first(self, host: Host) -> None:
        host.has("ann", "new")
        host.serves("ann", five=10, week=20, week_resets=DAY)
        assert host.session("S1").asks() == "new"
        host.serves("new", five=10, week=20, week_resets=3 * DAY)
        assert host.session("S2").asks() == "ann"

    def test_a_codex_account_nobody_knows_goes_last(self, host: Host) -> None:
        host.has("ann", "new", provider="codex")
        host.serves("ann", model=GPT, five=10, week=20, week_resets=6 * DAY)
        assert host.session("S1").asks(GPT) == "ann"

    def test_a_passed_claude_week_goes_on_week_by_week(self, host: Host, watch) -> None:
        host.has("ann", "bob")
        host.serves("ann", five=10, week=20, week_resets=DAY)
        watch.passes(2 * DAY)
        host.serves("bob", five=10, week=20, week_resets=6.5 * DAY)
        assert host.session("S1").asks() == "ann"

    def test_a_spent_account_is_passed_over(self, host: Host) -> None:
        host.has("ann", "bob")
        host.serves("ann", five=10, week=100, week_status="rejected", week_resets=DAY)
        host.serves("bob", five=10, week=20, week_resets=3 * DAY)
        assert host.session("S1").asks() == "bob"
