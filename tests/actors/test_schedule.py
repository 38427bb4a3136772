"""When polls are due: tables of each rule, stories of resets and errors, and what holds of any day."""

import math
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from qr.actors.backoff import BACKOFF_MAX, Brake
from qr.actors.schedule import (
    BRAKE_SPREAD,
    FIRST_SPREAD,
    MIN_GAP,
    REFRESH_GAP,
    RETRY_AFTER_MAX,
    Due,
    PollRules,
    Schedule,
    is_doubted,
    next_poll,
    offset,
    refresh_at,
)
from qr.quota.belief import believed_windows
from qr.quota.evidence import Snapshot, merge
from qr.quota.readings import Observation, Reading
from qr.quota.windows import Window

RULES = PollRules()
ACCOUNT = "claude-a.json"
PLACE = offset(ACCOUNT, RULES.interval)
T0 = 300 * 5960933 + PLACE  # one of the account's own times
POLLED = Schedule(polled_at=T0)


def due(schedule=POLLED, *windows, now=T0, rules=RULES, **more):
    return next_poll(ACCOUNT, schedule, {w.name: w for w in windows}, rules, now=now, **more)


def window(resets_at, observed_at=T0, name="weekly"):
    return Window(name, used_percent=50.0, resets_at=resets_at, observed_at=observed_at)


def test_an_account_that_was_never_polled_is_polled_within_seconds():
    at = due(Schedule(since=T0)).at
    assert due(Schedule(since=T0)) == Due(T0 + offset(ACCOUNT, FIRST_SPREAD), "first")
    assert due(Schedule(since=T0), now=at + 5) == Due(at + 5, "first")


def test_regular_polls_come_at_the_accounts_own_times_on_the_wall_clock():
    assert due() == Due(T0 + 300, "regular")
    assert due(Schedule(polled_at=T0 + 100)) == Due(T0 + 300, "regular")
    assert due(Schedule(polled_at=T0 + 100), rules=PollRules(interval=600)).at % 600 == pytest.approx(
        offset(ACCOUNT, 600)
    )


def test_a_fleet_does_not_poll_at_once():
    places = sorted(offset(f"claude-{n}.json", 300) for n in range(100))
    assert len({int(place) // 30 for place in places}) == 10
    assert places == sorted(offset(f"claude-{n}.json", 300) for n in range(100))


@pytest.mark.parametrize("early", [0.001, 0.9, MIN_GAP - 0.1])
def test_a_poll_just_before_its_time_is_not_repeated(early):
    assert due(Schedule(polled_at=T0 + 300 - early), now=T0 + 300).at == pytest.approx(T0 + 600)


@pytest.mark.parametrize(
    ("passive", "polled"),
    [
        (None, 300),
        (-1, 300),
        (0, 300),
        (0.1, 600),
        (299, 600),
        (301, 900),
        (1499, 1800),
        (1799, 2100),
        (9999, 2100),
    ],
)
def test_a_regular_poll_is_left_out_while_traffic_tells_enough_six_times_at_most(passive, polled):
    passive_at = None if passive is None else T0 + passive
    assert due(passive_at=passive_at) == Due(T0 + polled, "regular")


def test_without_skips_traffic_changes_nothing():
    assert due(rules=PollRules(max_passive_skips=0), passive_at=T0 + 299).at == T0 + 300


def test_a_poll_that_is_overdue_is_due_now():
    assert due(now=T0 + 5000) == Due(T0 + 5000, "regular")


R = T0 + 3700.0
NEAR = Schedule(polled_at=R - 200)
HOURLY = PollRules(interval=7200)


@pytest.mark.parametrize(
    ("polled", "observed", "now", "expected"),
    [
        (-200, -200, -200, Due(R - 30, "before_reset")),
        (-200, -200, -10, Due(R - 10, "before_reset")),
        (-200, -200, 1, Due(R + 30, "after_reset")),
        (-200, -40, -40, Due(R + 30, "after_reset")),
        (-40, -40, -40, Due(R + 30, "after_reset")),
        (-29, -29, -29, Due(R + 30, "after_reset")),
        (5, -29, 5, Due(R + 30, "after_reset")),
        (29.5, -29, 29.5, None),
        (31, -29, 31, None),
        (-200, 3, 3, None),
        (-200, -200, 5000, Due(R + 5000, "after_reset")),
    ],
)
def test_an_account_is_polled_before_and_after_a_known_reset(polled, observed, now, expected):
    found = due(Schedule(polled_at=R + polled), window(R, R + observed), now=R + now, rules=HOURLY)
    assert found == expected or (expected is None and found.reason == "regular")


def test_resets_that_nearly_coincide_are_probed_together():
    both = (window(R, R - 200), window(R + 20, R - 200, "five_hour"))
    assert due(NEAR, *both, now=R - 200, rules=HOURLY) == Due(R - 30, "before_reset")
    told = [replace(one, observed_at=R - 29) for one in both]
    assert due(Schedule(polled_at=R - 29), *told, now=R - 29, rules=HOURLY) == Due(R + 30, "after_reset")


def test_probes_closer_than_polls_may_be_keep_the_gap():
    rules = PollRules(interval=7200, reset_probe=1)
    found = due(Schedule(polled_at=R - 1), window(R, R - 1), now=R - 1, rules=rules)
    assert found == Due(R - 1 + MIN_GAP, "after_reset")
    assert due(POLLED, window(None), rules=HOURLY).reason == "regular", "no reset, no probe"


def seen(used, resets_at, at=T0, name="weekly"):
    return Observation(at, "usage", (Reading(name, used, resets_at),))


@pytest.mark.parametrize(
    ("observation", "believed", "doubted"),
    [
        (seen(97.0, T0 + 9000), window(T0 - 50, T0 - 100), True),
        (seen(97.0, T0 + 9000), window(T0 + 9000, T0), False),
        (seen(97.0, T0 + 9000), window(T0 + 9000, T0 + 5), False),
        (seen(None, T0 + 9000), window(T0 - 50, T0 - 100), False),
        (seen(97.0, None), window(T0 - 50, T0 - 100), False),
        (seen(97.0, T0 + 9000, name="weekly:opus"), window(T0 - 50, T0 - 100), False),
        (Observation(T0, "usage"), window(T0 - 50, T0 - 100), False),
    ],
)
def test_a_reading_is_doubted_when_what_is_believed_is_older(observation, believed, doubted):
    assert is_doubted(observation, {believed.name: believed}) is doubted


def test_the_old_use_beside_a_new_reset_is_read_twice_before_it_is_believed():
    before, after = seen(97.0, T0, T0 - 300), seen(97.0, T0 + 604800, T0 + 30)
    snapshot = merge(merge(Snapshot(), before), after)
    assert is_doubted(after, believed_windows(snapshot))
    again = due(Schedule(polled_at=T0 + 30).doubted(T0 + 30, RULES), now=T0 + 30)
    assert again == Due(T0 + 60, "confirm")
    confirmed = seen(97.0, T0 + 604800, again.at)
    assert not is_doubted(confirmed, believed_windows(merge(snapshot, confirmed)))


@pytest.mark.parametrize("jitter", [0.0, 0.4, 1.0])
def test_a_doubted_reading_is_read_again_30_to_60_seconds_later(jitter):
    found = due(POLLED.doubted(T0, RULES, jitter=jitter))
    assert found.reason == "confirm"
    assert 30 <= found.at - T0 <= 60
    assert due(POLLED.doubted(T0, RULES).succeeded(T0 + 30), now=T0 + 30) == Due(T0 + 300, "regular")


def test_one_doubt_gives_one_extra_poll_in_an_interval():
    schedule = POLLED.doubted(T0, RULES)
    assert schedule.doubted(T0 + 5, RULES, jitter=1.0) == schedule
    schedule = schedule.succeeded(T0 + 30)
    assert schedule.doubted(T0 + 30, RULES) == schedule
    assert schedule.doubted(T0 + 330, RULES).confirm_at == T0 + 360


def test_another_poll_in_between_does_not_confirm_a_doubt():
    schedule = POLLED.doubted(T0, RULES).succeeded(T0 + 12)
    assert due(schedule, now=T0 + 12) == Due(T0 + 30, "confirm")


def test_an_error_keeps_a_doubt_until_a_poll_succeeds():
    schedule = POLLED.doubted(T0, RULES).failed(T0 + 30)
    assert due(schedule, now=T0 + 30) == Due(T0 + 60, "confirm")


def test_errors_back_off_and_a_success_ends_that():
    schedule, now = POLLED, T0
    for delay in (30, 60, 120, 240, 480, 960, 1500, 1500):
        schedule = schedule.failed(now)
        assert due(schedule, now=now).at == now + delay
        now += delay
    assert due(schedule.succeeded(now), now=now).at - now <= RULES.interval + MIN_GAP


def test_the_first_poll_is_tried_again_too():
    schedule = Schedule(since=T0).failed(T0 + 1)
    assert due(schedule, now=T0 + 1) == Due(T0 + 31, "retry")


@pytest.mark.parametrize(
    ("asked", "waits"),
    [(None, 30), (0, 30), (-5, 30), (math.nan, 30), (5, 30), (3524, 3524), (math.inf, 7200), (1587827, 7200)],
)
def test_a_retry_after_is_respected_unless_it_is_no_answer_or_absurd(asked, waits):
    schedule = POLLED.failed(T0, retry_after=asked)
    assert due(schedule).at == T0 + waits
    assert refresh_at(schedule, now=T0) == T0 + waits


def test_a_shorter_retry_after_does_not_shorten_a_longer_one():
    schedule = POLLED.failed(T0, retry_after=3000).failed(T0 + 40, retry_after=50)
    assert refresh_at(schedule, now=T0 + 40) == T0 + 3000


def test_a_refresh_by_hand_waits_for_the_last_poll_but_not_for_our_own_backoff():
    assert refresh_at(Schedule(), now=T0) == T0
    assert refresh_at(POLLED, now=T0 + 1) == T0 + REFRESH_GAP
    assert refresh_at(POLLED, now=T0 + 31) == T0 + 31
    assert refresh_at(Schedule(polled_at=T0, errors=6, retry_at=T0 + 1500), now=T0 + 31) == T0 + 31
    assert refresh_at(POLLED, now=T0 + 31, brake=Brake(T0 + 90)) == T0 + 90


def test_a_brake_holds_back_every_account_and_lets_them_go_one_after_the_other():
    brake = Brake(until=T0 + 400, hits=3)
    expected = Due(T0 + 400 + offset(ACCOUNT, BRAKE_SPREAD), "regular")
    for now in (T0, T0 + 399, T0 + 400, expected.at):
        assert due(now=now, brake=brake) == expected
    assert due(now=T0 + 800, brake=brake).at == T0 + 800
    assert due(Schedule(polled_at=expected.at), now=expected.at, brake=brake) == Due(T0 + 600, "regular")
    assert due(brake=Brake(until=T0 + 200)) == Due(T0 + 300, "regular")


FULL = Schedule(T0, T0 + 1, 2, T0 + 3, T0 + 4, T0 + 5, T0 + 6)


def test_a_step_of_the_clock_moves_everything_with_it():
    assert FULL.shifted(3600) == Schedule(T0 + 3600, T0 + 3601, 2, T0 + 3603, T0 + 3604, T0 + 3605, T0 + 3606)
    assert Schedule().shifted(5).shifted(-5) == Schedule()


def test_after_a_restart_with_the_clock_set_back_nothing_waits_longer_than_the_longest():
    now = T0 - 10**7
    found = due(FULL.restored(now), now=now)
    assert found.at <= now + RETRY_AFTER_MAX + RULES.interval
    assert FULL.restored(T0 + 10) == replace(FULL, confirm_at=None)
    assert Schedule().restored(T0).polled_at is None


@pytest.mark.parametrize("schedule", [Schedule(), POLLED, FULL])
def test_it_survives_the_state_file(schedule):
    assert msgspec.json.decode(msgspec.json.encode(schedule), type=Schedule) == schedule


RESULT = st.sampled_from(["ok", "ok", "ok", "doubted", "error", "asked", "passive", "braked"])
SETTINGS = st.sampled_from([PollRules(), PollRules(30, 1, 0), PollRules(600, 600, 100)])


@given(st.lists(RESULT, min_size=1, max_size=60), st.text(), st.floats(0, 1), SETTINGS)
def test_any_day_of_polls_keeps_its_distances_and_never_ends(results, account, jitter, rules):
    longest = RETRY_AFTER_MAX + BACKOFF_MAX + (rules.max_passive_skips + 2) * rules.interval
    now, polls, passive_at, brake = T0, [], None, Brake()
    schedule, windows = Schedule(since=now), {"five_hour": window(T0 + 4000, name="five_hour")}
    for result in results:
        told = {"passive_at": passive_at, "brake": brake}
        found = next_poll(account, schedule, windows, rules, now=now, **told)
        assert now <= found.at <= now + longest
        if result == "passive":
            now = passive_at = (now + found.at) / 2
            continue
        now = found.at
        assert next_poll(account, schedule, windows, rules, now=now, **told).at == now, "due stays due"
        polls.append(now)
        if result in ("ok", "doubted"):
            schedule, brake = schedule.succeeded(now), brake.eased(now)
            windows = {"five_hour": window(now + 4000, now, "five_hour")}
        if result == "doubted":
            schedule = schedule.doubted(now, rules, jitter=jitter)
        if result in ("error", "asked", "braked"):
            schedule = schedule.failed(now, retry_after=9000 if result == "asked" else 0, jitter=jitter)
        if result == "braked":
            brake = brake.hit(now, jitter=jitter)
    assert all(later - earlier >= MIN_GAP - 1e-6 for earlier, later in pairwise(polls))
