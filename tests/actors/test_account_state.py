"""How an account's state takes a clock that is set, here and while nobody ran."""

import pytest
from msgspec.structs import replace

from qr.actors.account_state import AccountState, Entry, listed, observed, restored, stepped, view_of
from qr.actors.schedule import Schedule
from qr.quota.belief import believed_windows
from qr.quota.readings import Observation, Reading
from tests.actors.house import HOUR, NOW


def told(at):
    """An account that said at *at* what is left."""
    reading = Reading("weekly", 40.0, NOW + 48 * HOUR)
    state = AccountState(Entry("a", "claude"), schedule=Schedule(since=at, polled_at=at), passive_at=at)
    return observed(state, Observation(at, "headers", (reading,)), at)


def age(state, now):
    return now - view_of(state, believed_windows(state.snapshot), now).observed_at


@pytest.mark.parametrize("seconds", [-6 * HOUR, -60.0])
def test_after_a_step_back_everything_is_as_old_as_before(seconds):
    now = NOW + 600 + seconds
    after = stepped(told(NOW), seconds, now)
    assert age(after, now) == 600
    assert after.passive_at == after.schedule.polled_at == NOW + seconds


def test_after_a_step_forward_nothing_is_younger_and_a_fleet_that_slept_is_not_polled_at_once():
    after = stepped(told(NOW), HOUR, NOW + HOUR)
    assert age(after, NOW + HOUR) == HOUR
    assert after.schedule == Schedule(since=NOW + HOUR)
    assert stepped(told(NOW), 60.0, NOW + 60) == told(NOW)


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
def test_what_was_told_between_two_steps_that_were_noticed_as_one_hides_nothing(seconds):
    """The clock was five hours ahead for a moment, and somebody looked only afterwards."""
    now = NOW + seconds
    after = stepped(told(NOW + 5 * HOUR), seconds, now)
    assert age(after, now) > 30 * 24 * HOUR
    assert after.passive_at <= now
    assert after.schedule.polled_at <= now
    heard = observed(after, Observation(now, "headers", (Reading("weekly", 50.0, NOW + 48 * HOUR),)), now)
    assert believed_windows(heard.snapshot)["weekly"].used_percent == 50.0


def test_after_a_restart_nothing_lies_in_the_future():
    dead = replace(told(NOW), dead_since=NOW)
    after = restored(dead, NOW - HOUR)
    assert age(after, NOW - HOUR) > 30 * 24 * HOUR
    assert after.dead_since == after.passive_at == NOW - HOUR
    assert after.schedule.polled_at <= NOW - HOUR


@pytest.mark.parametrize(
    ("changed_at", "login"),
    [(NOW, "dead"), (0.0, "dead"), (NOW + 60, "ok"), (NOW - HOUR, "ok")],
    ids=["the same", "not said", "later", "written by a clock that was set back"],
)
def test_a_dead_login_lives_again_with_another_credential(changed_at, login):
    dead = AccountState(Entry("a", "claude", changed_at=NOW), dead_since=NOW + 5, dead_confirmed=True)
    assert listed(dead, Entry("a", "claude", changed_at=changed_at)).login == login
