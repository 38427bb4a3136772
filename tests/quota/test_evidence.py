"""A snapshot is the same whatever the order in which answers arrive."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from qr.quota.belief import believed_windows
from qr.quota.evidence import MAX_ANCHORS, MAX_WINDOWS, Snapshot, last_said, merge, redated, shifted
from qr.quota.readings import Observation, Reading

NOW = 1_788_280_000.0
HOUR = 3600.0

times = st.integers(0, 40).map(lambda step: NOW + step * 10)
resets = st.none() | st.integers(0, 4).map(lambda step: NOW + step * HOUR)
readings = st.builds(
    Reading,
    window=st.sampled_from(["five_hour", "weekly", "weekly:fable"]),
    used_percent=st.none() | st.integers(0, 100).map(float),
    resets_at=resets,
    status=st.sampled_from([None, "allowed", "allowed_warning", "rejected"]),
    unstarted=st.booleans(),
    refused=st.booleans(),
    paid=st.booleans(),
)
observations = st.builds(
    Observation,
    observed_at=times,
    source=st.sampled_from(["headers", "usage", "failure"]),
    readings=st.lists(readings, max_size=3, unique_by=lambda reading: reading.window).map(tuple),
    aggregate=st.sampled_from([None, "allowed", "rejected"]),
    successful=st.booleans(),
    full=st.booleans(),
    plan=st.sampled_from([None, "plus", "pro"]),
)


def snapshot(*seen):
    known = Snapshot()
    for observation in seen:
        known = merge(known, observation)
    return known


@given(st.lists(observations, max_size=8), st.randoms())
def test_the_order_of_arrival_does_not_matter(seen, chance):
    shuffled = [*seen]
    chance.shuffle(shuffled)
    assert believed_windows(snapshot(*shuffled)) == believed_windows(snapshot(*seen))


@given(st.lists(observations, max_size=8))
def test_an_answer_that_is_delivered_twice_changes_nothing(seen):
    assert snapshot(*seen, *seen) == snapshot(*seen)


@given(st.lists(observations, max_size=12))
def test_what_is_believed_is_never_newer_than_its_evidence_and_stays_in_bounds(seen):
    newest = max((observation.observed_at for observation in seen), default=0.0)
    for window in believed_windows(snapshot(*seen)).values():
        assert window.observed_at <= newest
        assert window.used_percent is None or 0 <= window.used_percent <= 100


@given(st.lists(observations, max_size=8), st.integers(-100_000, 100_000))
def test_a_step_of_the_clock_leaves_the_age_of_evidence_as_it_was(seen, seconds):
    before, after = snapshot(*seen), shifted(snapshot(*seen), seconds)
    assert shifted(after, -seconds) == before
    told = {reading.resets_at for observation in seen for reading in observation.readings}
    for name, window in believed_windows(before).items():
        assert believed_windows(after)[name].observed_at == window.observed_at + seconds
        assert believed_windows(after)[name].resets_at in {*told, None}


@given(st.lists(observations, min_size=1, max_size=5))
def test_after_a_restart_evidence_from_the_past_is_as_it_was(seen):
    assert redated(snapshot(*seen), NOW + HOUR) == snapshot(*seen)


@given(st.lists(observations, min_size=1, max_size=5), observations)
def test_evidence_from_the_future_stands_after_a_restart_until_something_is_read(seen, then):
    """The clock was set back while nobody ran: the old evidence is older than any, and hides nothing."""
    now = NOW - HOUR
    kept = redated(snapshot(*seen), now)
    assert kept.evidence.keys() == snapshot(*seen).evidence.keys()
    assert all(window.age(now) > 30 * 24 * HOUR for window in believed_windows(kept).values())
    read = replace(then, observed_at=now)
    both, alone = merge(kept, read).evidence, snapshot(read).evidence
    assert all(last_said(both[name]) == now for name in alone)


def test_more_windows_than_any_account_has_are_not_kept():
    known = snapshot(
        *(
            Observation(NOW + number, "usage", (Reading(f"weekly:{number}", 10.0, NOW + HOUR),))
            for number in range(MAX_WINDOWS + 5)
        )
    )
    assert len(known.evidence) == MAX_WINDOWS
    assert "weekly:0" not in known.evidence
    assert f"weekly:{MAX_WINDOWS + 4}" in known.evidence


def test_more_resets_than_a_window_can_have_are_not_kept():
    known = snapshot(
        *(
            Observation(NOW + number, "headers", (Reading("weekly", 10.0, NOW + (number + 1) * HOUR),))
            for number in range(MAX_ANCHORS + 5)
        )
    )
    anchors = known.evidence["weekly"].anchors
    assert len(anchors) == MAX_ANCHORS
    assert all(one.last.at < next_one.last.at for one, next_one in pairwise(anchors))


def test_a_reading_that_says_nothing_is_no_evidence():
    assert not snapshot(Observation(NOW, "headers", (Reading("weekly"),))).evidence


def test_the_plan_is_the_one_that_was_told_last():
    known = snapshot(Observation(NOW, "usage", plan="pro"), Observation(NOW - 60, "usage", plan="plus"))
    assert known.plan is not None
    assert known.plan.name == "pro"
