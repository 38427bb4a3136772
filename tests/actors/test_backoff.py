"""Waiting after errors: the delays of one account, and the brake of a provider."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.actors.backoff import BACKOFF, BACKOFF_MAX, Brake, backoff

T0 = 1788280000.0
JITTER = st.floats(0, 1)


@pytest.mark.parametrize(
    ("errors", "least", "most"),
    [(0, 30, 36), (1, 60, 72), (2, 120, 144), (5, 960, 1152), (6, 1500, 1800), (10**9, 1500, 1800)],
)
def test_each_error_doubles_the_delay_and_jitter_adds_up_to_a_fifth(errors, least, most):
    assert backoff(errors, 0.0) == pytest.approx(least)
    assert backoff(errors, 1.0) == pytest.approx(most)


@given(st.integers(0), JITTER)
def test_a_delay_is_between_30_seconds_and_30_minutes(errors, jitter):
    assert BACKOFF <= backoff(errors, jitter) <= BACKOFF_MAX + 1e-9


def test_refusals_in_a_row_brake_for_longer_and_longer():
    brake = Brake()
    for delay in (30, 60, 120):
        now = brake.until or T0
        brake = brake.hit(now)
        assert brake.until == now + delay


def test_refusals_that_were_under_way_together_count_once():
    brake = Brake().hit(T0)
    assert brake.hit(T0 + 1) == brake
    assert brake.hit(T0 + 29, jitter=1.0) == brake


def test_a_success_after_the_brake_makes_the_next_one_short():
    brake = Brake().hit(T0).hit(T0 + 30)
    assert brake.eased(T0 + 60) == brake, "that poll was under way"
    assert brake.eased(T0 + 90).hit(T0 + 100).until == T0 + 130


def test_a_success_after_the_brake_keeps_the_others_apart():
    assert Brake().hit(T0).eased(T0 + 31).until == T0 + 30


def test_the_clock_may_step_and_a_restart_may_come():
    brake = Brake().hit(T0)
    assert brake.shifted(-100).shifted(100) == brake
    assert brake.shifted(-100).until == brake.until - 100
    assert brake.restored(T0 + 1) == brake
    assert brake.restored(T0 - 10**6).until == T0 - 10**6 + BACKOFF_MAX
