"""New sessions count before they are seen in an account's numbers."""

import pytest

from qr.routing.reservations import FIRST_GUESS, LARGEST, NEWEST, Reservations
from tests.routing.situations import window


def known(used):
    return {"five_hour": window("five_hour", used), "weekly": window("weekly", 10.0)}


def test_each_session_is_added_until_the_next_observation():
    reservations = Reservations()
    assert [reservations.bound("a") for _ in range(3)] == [FIRST_GUESS, 2 * FIRST_GUESS, 3 * FIRST_GUESS]
    reservations.observed("a", known(10.0), known(10.0))
    assert reservations.bound("a") == FIRST_GUESS


@pytest.mark.parametrize(("growth", "learned"), [(6.0, 3.0), (1000.0, LARGEST), (0.02, 0.1)])
def test_what_a_session_costs_is_learned_from_the_account_itself(growth, learned):
    reservations = Reservations()
    for _ in range(2):
        reservations.bound("a")
    reservations.observed("a", known(0.0), known(growth))
    assert reservations.bound("a") == pytest.approx(FIRST_GUESS + NEWEST * (learned - FIRST_GUESS))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, known(50.0)),
        (known(50.0), {}),
        (known(None), known(5.0)),
        (known(5.0), known(None)),
        (known(90.0), known(2.0)),
    ],
)
def test_nothing_is_learned_across_gaps_and_resets(before, after):
    reservations = Reservations()
    reservations.bound("a")
    reservations.observed("a", before, after)
    assert reservations.bound("a") == FIRST_GUESS


def test_observations_without_new_sessions_teach_nothing():
    reservations = Reservations()
    reservations.observed("a", known(0.0), known(50.0))
    reservations.bound("a")
    reservations.observed("a", known(0.0), known(0.0))
    reservations.observed("a", known(0.0), known(50.0))
    assert reservations.bound("a") == FIRST_GUESS


def test_a_removed_account_is_forgotten():
    reservations = Reservations()
    reservations.bound("a")
    reservations.forget("a")
    assert reservations.bound("a") == FIRST_GUESS


def test_there_is_one_place_for_each_account():
    reservations = Reservations()
    for account in "aab":
        reservations.bound(account)
    assert len(reservations) == 2
