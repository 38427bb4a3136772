"""The circuit breaker: tables of its rules, stories of odd deliveries, and no history leaves it stuck."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from qr.actors.breaker import LATEST, SPREAD, Breaker, BreakerRules

T0 = 1788280000.0
RULES = BreakerRules()


def broken(at=T0, rules=RULES, **more):
    """A circuit that opened at *at*, by as many failures as it takes."""
    breaker = Breaker()
    for ago in range(rules.failures, 0, -1):
        breaker = breaker.failure(at - ago, at, rules, **more)
    return breaker


def reopened(times, breaker=None):
    """A circuit whose trial failed so many times, each at once; and when that was."""
    breaker, now = breaker or broken(), T0
    for _ in range(times):
        now = breaker.open_until
        breaker = breaker.trial_given(now, RULES).failure(now, now, RULES)
    return breaker, now


def test_a_new_circuit_is_closed_and_has_no_trial_to_give():
    assert Breaker().state(T0) == "closed"
    assert Breaker().trial_given(T0, RULES) == Breaker()
    assert not Breaker().trial_out(T0)


@pytest.mark.parametrize(
    ("starts", "state"),
    [
        ([0, 1, 2, 3], "closed"),
        ([0, 1, 2, 3, 4], "open"),
        ([0, 15, 30, 45, 60], "open"),
        ([0, 16, 31, 46, 61], "closed"),
        ([4, 3, 2, 1, 0], "open"),
        ([60, 0, 45, 15, 30], "open"),
        ([0, 1, 2, 3, 100, 101], "closed"),
        ([0, 0, 0, 0, 0, 0], "closed"),
        ([0, 1, 2, 3, 3, 2, 1, 0], "closed"),
    ],
)
def test_five_attempts_that_began_within_a_minute_open_it(starts, state):
    breaker = Breaker()
    for start in starts:
        breaker = breaker.failure(T0 + start, T0 + 110, RULES)
    assert breaker.state(T0 + 110) == state


def test_attempts_that_hung_before_they_failed_count_by_their_beginning():
    breaker = Breaker()
    for start in range(5):
        breaker = breaker.failure(T0 + start, T0 + start + 300, RULES)
    assert breaker.state(T0 + 304) == "open"


def test_a_failure_told_very_late_does_not_count_and_one_from_the_future_counts_as_of_now():
    assert Breaker().failure(T0, T0 + LATEST + 1, RULES) == Breaker()
    assert Breaker().failure(T0 + 99, T0, RULES).failed == (T0,)
    assert broken().success(T0 + 999, T0 + 40).since == T0 + 40


@pytest.mark.parametrize(
    ("trials", "delay"), [(0, 30), (1, 60), (2, 120), (3, 240), (4, 480), (5, 600), (6, 600), (50, 600)]
)
def test_each_failed_trial_doubles_the_delay_up_to_ten_minutes(trials, delay):
    breaker, now = reopened(trials)
    assert breaker.open_until - now == delay


def test_jitter_shortens_a_delay_and_never_lengthens_it():
    assert broken(jitter=1.0).open_until == pytest.approx(T0 + 30 * (1 - SPREAD))


def test_an_open_circuit_becomes_half_open_and_gives_one_trial():
    breaker = broken()
    assert breaker.state(T0 + 29.9) == "open"
    assert breaker.trial_given(T0 + 29.9, RULES) == breaker
    assert breaker.state(T0 + 30) == "half_open"
    given_out = breaker.trial_given(T0 + 31, RULES)
    assert not breaker.trial_out(T0 + 31)
    assert given_out.trial_out(T0 + 31)
    assert given_out.trial_given(T0 + 50, RULES) == given_out


def test_a_trial_that_succeeds_closes_it_and_the_next_opening_is_short_again():
    breaker, now = reopened(3)
    breaker = breaker.trial_given(now + 300, RULES).success(now + 300, now + 310)
    assert breaker == Breaker(since=now + 300)
    for second in range(5):
        breaker = breaker.failure(now + 320 + second, now + 330, RULES)
    assert breaker.open_until == now + 360


def test_a_trial_without_a_result_is_given_up_for_a_new_one():
    breaker = broken().trial_given(T0 + 30, RULES)
    late = T0 + 30 + RULES.trial_timeout
    assert breaker.trial_out(late - 1)
    assert not breaker.trial_out(late)
    assert breaker.state(late) == "half_open"
    assert breaker.trial_given(late, RULES).trial_out(late)


def test_a_trial_that_was_given_up_still_closes_it_when_its_success_is_told():
    breaker = broken().trial_given(T0 + 30, RULES).trial_given(T0 + 200, RULES)
    assert breaker.success(T0 + 31, T0 + 400).state(T0 + 400) == "closed"


def test_a_success_from_before_the_opening_does_not_close_it():
    for now in (T0 + 1, T0 + 35):
        assert broken().success(T0 - 1, now) == broken()
        assert broken().success(T0, now) == broken()


def test_a_success_that_began_after_the_opening_closes_it_even_before_a_trial():
    """The host may have sent the request there by itself."""
    assert broken().success(T0 + 5, T0 + 20).state(T0 + 20) == "closed"


def test_a_failure_from_before_the_opening_neither_doubles_nor_lengthens_it():
    for now in (T0 + 1, T0 + 35):
        assert broken().failure(T0 - 1, now, RULES) == broken()


def test_a_failure_of_an_attempt_that_began_while_it_was_open_does_not_double_it():
    assert broken().failure(T0 + 5, T0 + 20, RULES) == broken()
    assert broken().failure(T0 + 5, T0 + 40, RULES) == broken()


def test_a_failed_trial_told_twice_doubles_once():
    once = broken().trial_given(T0 + 30, RULES).failure(T0 + 30, T0 + 32, RULES)
    assert once.openings == 2
    assert once.failure(T0 + 30, T0 + 33, RULES) == once
    assert once.failure(T0 + 30, T0 + 95, RULES) == once


def test_failures_from_before_the_success_that_closed_it_do_not_open_it_again():
    breaker = broken().success(T0 + 31, T0 + 33)
    for start in range(10):
        breaker = breaker.failure(T0 + 31 - start, T0 + 40, RULES)
    assert breaker.state(T0 + 40) == "closed"


def test_a_success_does_not_forget_failures_of_a_closed_circuit():
    breaker = Breaker()
    for second in range(5):
        breaker = breaker.failure(T0 + second, T0 + second, RULES).success(T0 + second, T0 + second)
    assert breaker.state(T0 + 5) == "open"


@pytest.mark.parametrize(
    ("asked", "opens_until"),
    [
        (None, None),
        (T0, None),
        (T0 - 5, None),
        (T0 + 7, T0 + 7),
        (T0 + 120, T0 + 120),
        (T0 + 600, T0 + 598),
        (T0 + 18 * 86400, T0 + 598),
    ],
)
def test_a_retry_after_opens_it_at_once_until_then_up_to_a_cap(asked, opens_until):
    assert Breaker().failure(T0 - 2, T0, RULES, retry_at=asked).open_until == opens_until


def test_the_longer_of_delay_and_retry_after_holds():
    for asked, until in ((T0 + 5, T0 + 30), (T0 + 90, T0 + 90)):
        four = Breaker(failed=(T0 - 4, T0 - 3, T0 - 2, T0 - 1))
        assert four.failure(T0, T0, RULES, retry_at=asked).open_until == until
        trial = broken(T0 - 60).failure(T0, T0, RULES, retry_at=asked)
        assert trial.open_until == max(asked, T0 + 60)


def test_a_late_retry_after_lengthens_an_open_circuit_without_doubling_it():
    for now in (T0 + 1, T0 + 40):
        breaker = broken().failure(T0 - 1, now, RULES, retry_at=T0 + 100)
        assert (breaker.open_until, breaker.openings) == (T0 + 100, 1)
        assert breaker.failure(T0 - 1, now + 1, RULES, retry_at=T0 + 100) == breaker
    assert broken().failure(T0 - 1, T0 + 50, RULES, retry_at=T0 + 45) == broken(), "that is over"


def test_a_day_in_the_life():
    """An overload, a trial that is lost, one that fails, one that succeeds, and an echo of the overload."""
    breaker = broken()
    assert breaker.trial_given(T0 + 30, RULES).state(T0 + 30) == "half_open"
    breaker = (
        breaker.trial_given(T0 + 30, RULES).trial_given(T0 + 150, RULES).failure(T0 + 151, T0 + 160, RULES)
    )
    assert breaker.state(T0 + 160) == "open"
    assert breaker.open_until == T0 + 220
    breaker = breaker.trial_given(T0 + 220, RULES).success(T0 + 221, T0 + 225)
    assert breaker.failure(T0 - 1, T0 + 226, RULES).state(T0 + 226) == "closed"


@pytest.mark.parametrize(
    "breaker", [Breaker(), Breaker(failed=(T0, T0 + 1)), broken().trial_given(T0 + 30, RULES)]
)
@pytest.mark.parametrize("seconds", [-86400.0, 3600.0])
def test_a_step_of_the_clock_moves_everything_with_it(breaker, seconds):
    moved = breaker.shifted(seconds)
    assert moved.shifted(-seconds) == breaker
    for now in (T0, T0 + 30, T0 + 151):
        assert moved.state(now + seconds) == breaker.state(now)
        assert moved.trial_out(now + seconds) == breaker.trial_out(now)


def test_after_a_restart_with_the_clock_set_back_nothing_waits_longer_than_the_rules_allow():
    now = T0 - 30 * 86400
    breaker = broken().trial_given(T0 + 30, RULES).restored(now, RULES)
    assert breaker == Breaker(
        since=now, open_until=now + 600, openings=1, trial_until=now + RULES.trial_timeout
    )
    assert Breaker(failed=(now, T0)).restored(now, RULES).failed == (now,)
    assert broken().restored(T0 + 1, RULES) == broken()


@pytest.mark.parametrize("breaker", [Breaker(), Breaker(failed=(T0,)), broken(), reopened(2)[0]])
def test_it_survives_the_state_file(breaker):
    assert msgspec.json.decode(msgspec.json.encode(breaker), type=Breaker) == breaker


@given(st.lists(st.integers(0, 60), min_size=5, max_size=9, unique=True), st.randoms())
def test_the_order_in_which_failures_are_told_does_not_matter(starts, chance):
    told = [*starts, *starts]
    chance.shuffle(told)
    breaker = Breaker()
    for start in told:
        breaker = breaker.failure(T0 + start, T0 + 60, RULES)
    assert breaker == Breaker(since=T0 + 60, open_until=T0 + 90, openings=1)


JITTER = st.floats(0, 1)


class Deliveries(RuleBasedStateMachine):
    """Attempts begin at any time; their results come at any later time, once, twice or never."""

    @initialize()
    def begin(self) -> None:
        self.now = T0
        self.breaker = Breaker()
        self.attempts: list[float] = []
        self.told: list[Callable[[Breaker], Breaker]] = []

    @rule(seconds=st.floats(0, 700))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def attempt(self) -> None:
        """A request is sent: on trial, or by the host itself."""
        self.breaker = self.breaker.trial_given(self.now, RULES)
        self.attempts.append(self.now)

    @precondition(lambda self: self.attempts)
    @rule(which=st.integers(0), ok=st.booleans(), jitter=JITTER, asked=st.none() | st.floats(-10, 2e6))
    def tell(self, which: int, ok: bool, jitter: float, asked: float | None) -> None:
        started_at, now = self.attempts[which % len(self.attempts)], self.now
        retry_at = None if asked is None else now + asked

        def result(breaker: Breaker) -> Breaker:
            if ok:
                return breaker.success(started_at, now)
            return breaker.failure(started_at, now, RULES, jitter=jitter, retry_at=retry_at)

        before, self.breaker = self.breaker, result(self.breaker)
        assert started_at > before.since or self.breaker.openings >= before.openings
        assert result(self.breaker) == self.breaker, "told twice"

    @invariant()
    def it_holds_little(self) -> None:
        assert len(self.breaker.failed) < RULES.failures
        assert self.breaker.since <= self.now

    @invariant()
    def it_is_never_stuck(self) -> None:
        """With no further failure it is closed, or gives a trial, within the longest waits of the rules."""
        later = self.now + RULES.open_max + RULES.trial_timeout
        assert self.breaker.state(later) != "open"
        assert not self.breaker.trial_out(later)
        assert self.breaker.success(later, later).state(later) == "closed"


test_any_deliveries = Deliveries.TestCase
