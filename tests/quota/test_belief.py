"""What is believed of a window, rule by rule (specification, section 5)."""

import pytest

from qr.quota.belief import UNTOLD_REFUSAL, believed_windows
from qr.quota.evidence import Snapshot, merge
from qr.quota.readings import Observation, Reading

NOW = 1_788_280_000.0
HOUR = 3600.0
RESET = NOW + 2 * HOUR


def believed(*seen, name="five_hour"):
    known = Snapshot()
    for observation in seen:
        known = merge(known, observation)
    return believed_windows(known).get(name)


def headers(at, used=None, resets_at=RESET, status=None, *, name="five_hour", **more):
    """A passive observation."""
    successful = more.pop("successful", True)
    aggregate = more.pop("aggregate", None)
    reading = Reading(name, used, resets_at, status, **more)
    return Observation(NOW + at, "headers", (reading,), successful=successful, aggregate=aggregate)


def poll(at, used=None, resets_at=RESET, *, name="five_hour", **more):
    return Observation(NOW + at, "usage", (Reading(name, used, resets_at, **more),), full=True)


def test_a_complete_passive_reading_is_believed():
    window = believed(headers(0, 20.0, status="allowed"))
    assert (window.used_percent, window.resets_at, window.status) == (20.0, RESET, "allowed")
    assert (window.observed_at, window.source) == (NOW, "headers")


def test_an_incomplete_passive_reading_sets_no_numbers():
    window = believed(headers(0, 20.0), headers(60, 90.0, resets_at=None, status="allowed"))
    assert (window.used_percent, window.observed_at) == (20.0, NOW)
    assert window.status == "allowed"


def test_a_status_alone_is_kept_without_numbers():
    window = believed(headers(0, status="rejected", resets_at=None, successful=False))
    assert (window.used_percent, window.resets_at, window.status) == (None, None, "rejected")


def test_a_reading_from_the_past_never_overwrites_a_newer_one():
    assert believed(headers(60, 30.0), headers(0, 20.0)).used_percent == 30.0


def test_a_fresh_reading_may_lower_the_percent():
    """Early resets are common."""
    assert believed(headers(0, 95.0), poll(60, 3.0)).used_percent == 3.0


def test_a_null_reset_that_is_a_statement_replaces_what_was_known():
    window = believed(headers(0, 80.0), poll(60, 0.0, None, unstarted=True))
    assert (window.used_percent, window.resets_at) == (0.0, None)


def test_a_null_reset_that_is_not_told_keeps_the_known_one():
    assert believed(headers(0, 80.0), poll(60, 81.0, None)).resets_at == RESET


def test_a_known_reset_that_has_passed_does_not_survive_beside_a_fresh_percent():
    window = believed(headers(0, 80.0), poll(3 * HOUR, 1.0, None))
    assert (window.used_percent, window.resets_at) == (1.0, None)


def test_a_first_percent_without_a_reset_has_none():
    assert believed(poll(0, 12.0, None)).resets_at is None
    assert believed(poll(0, 12.0, None), poll(60, 13.0, None)).resets_at is None


class TestRollover:
    """Just after a reset both providers may show the old use with the new reset."""

    OLD = headers(0, 98.0)
    NEW_RESET = RESET + 5 * HOUR

    def at(self, seconds, used):
        return headers(2 * HOUR + seconds, used, self.NEW_RESET)

    def test_nearly_full_and_freshly_moved_is_not_believed_at_once(self):
        window = believed(self.OLD, self.at(5, 98.0))
        assert window.resets_at == RESET
        assert window.passed(NOW + 2 * HOUR + 5)

    def test_a_second_reading_confirms_it(self):
        window = believed(self.OLD, self.at(5, 98.0), self.at(65, 98.0))
        assert (window.used_percent, window.resets_at) == (98.0, self.NEW_RESET)

    def test_answers_of_parallel_requests_confirm_nothing(self):
        assert believed(self.OLD, self.at(5, 98.0), self.at(6, 98.0)).resets_at == RESET

    def test_a_reading_with_room_is_believed_at_once(self):
        window = believed(self.OLD, self.at(5, 98.0), self.at(8, 1.0))
        assert (window.used_percent, window.resets_at) == (1.0, self.NEW_RESET)

    def test_resets_within_the_jitter_are_the_same_reset(self):
        assert believed(self.OLD, headers(60, 99.0, RESET + 80)).used_percent == 99.0

    def test_a_reset_that_is_not_known_has_not_moved(self):
        assert believed(poll(0, 50.0, None), headers(60, 99.0)).used_percent == 99.0


class TestExhausted:
    """Confirmed: `rejected`, an attributed 429, `limit_reached`, or 100 % where nothing says allowed."""

    @pytest.mark.parametrize(
        "evidence",
        [
            headers(0, 100.0, status="rejected", successful=False),
            headers(0, 87.0, status="rejected"),
            headers(0, 100.0),
            poll(0, 100.0),
            poll(0, 99.0, refused=True),
            Observation(NOW, "failure", (Reading("five_hour", resets_at=RESET, refused=True),)),
        ],
    )
    def test_until_the_reset(self, evidence):
        window = believed(evidence)
        assert window.exhausted_until == RESET
        assert window.exhausted(NOW + 60)
        assert not window.exhausted(RESET)

    def test_without_a_reset_for_five_hours_at_most(self):
        window = believed(Observation(NOW, "failure", (Reading("five_hour", refused=True),)))
        assert window.exhausted_until == NOW + UNTOLD_REFUSAL
        assert not window.exhausted(NOW + UNTOLD_REFUSAL)

    def test_a_full_poll_without_a_reset_for_five_hours_at_most(self):
        assert believed(poll(0, 100.0, None)).exhausted_until == NOW + UNTOLD_REFUSAL

    @pytest.mark.parametrize(
        "evidence",
        [
            poll(60, 40.0),
            headers(60, 40.0),
            headers(60, status="allowed"),
            headers(60, status="allowed_warning"),
        ],
    )
    def test_a_later_reading_with_room_or_status_that_allows_ends_it(self, evidence):
        window = believed(headers(0, status="rejected", successful=False), evidence)
        assert window.exhausted_until is None

    def test_an_earlier_reading_with_room_does_not_end_it(self):
        assert believed(headers(0, status="rejected"), poll(-60, 40.0)).exhausted_until == RESET

    def test_a_later_full_reading_keeps_it(self):
        assert believed(headers(0, status="rejected"), poll(60, 100.0)).exhausted_until == RESET

    def test_full_but_allowed_is_not_confirmed(self):
        assert believed(headers(0, 100.0, status="allowed")).exhausted_until is None

    def test_an_allowed_from_before_the_reading_does_not_shield_it(self):
        assert believed(headers(0, 60.0, status="allowed"), poll(60, 100.0)).exhausted_until == RESET


class TestPaid:
    """A window that is spent and served by paid credits is no confirmed exhaustion, and no plan quota."""

    def test_credits_serve_it(self):
        window = believed(headers(0, 100.0, status="rejected", paid=True))
        assert window.paid
        assert window.exhausted_until is None

    @pytest.mark.parametrize(("reset", "until"), [(RESET, RESET), (None, NOW + UNTOLD_REFUSAL)])
    def test_it_lasts_until_the_reset_or_as_long_as_a_refusal_without_one(self, reset, until):
        window = believed(poll(0, 100.0, reset, paid=True))
        assert window.served_by_credits(until - 1)
        assert not window.served_by_credits(until)

    def test_the_newest_evidence_decides(self):
        assert believed(poll(0, 100.0, paid=True), headers(60, 100.0, status="rejected")).paid is False
        assert believed(headers(0, 100.0, status="rejected"), poll(60, 100.0, paid=True)).paid is True


class TestMarks:
    """Warning marks: set by a success's own status, cleared by a status, never by silence."""

    WARNED = headers(0, 91.0, status="allowed_warning")

    def test_set_until_the_reset_that_came_with_it(self):
        window = believed(self.WARNED)
        assert window.warned_until == RESET
        assert window.warned(NOW)
        assert not window.warned(RESET)

    def test_only_a_success_sets_one(self):
        assert believed(headers(0, 91.0, status="allowed_warning", successful=False)).warned_until is None

    def test_the_aggregate_never_sets_one(self):
        assert believed(headers(0, 91.0, aggregate="allowed_warning")).warned_until is None

    @pytest.mark.parametrize(
        "evidence", [headers(60, status="allowed"), headers(60, 92.0, aggregate="allowed")]
    )
    def test_cleared_by_its_own_status_or_the_aggregate(self, evidence):
        assert believed(self.WARNED, evidence).warned_until is None

    @pytest.mark.parametrize(
        "evidence",
        [
            headers(60, 92.0),
            headers(60, status="rejected", successful=False),
            headers(60, 92.0, aggregate="rejected"),
            headers(-60, status="allowed"),
            poll(60, 92.0),
        ],
    )
    def test_not_cleared_by_anything_else(self, evidence):
        assert believed(self.WARNED, evidence).warned_until == RESET

    def test_an_aggregate_clears_marks_of_windows_that_arrive_late(self):
        clear = Observation(NOW + 60, "headers", (), aggregate="allowed")
        assert believed(clear, self.WARNED).warned_until is None

    def test_a_reading_well_below_every_threshold_is_of_a_new_window(self):
        assert believed(self.WARNED, poll(60, 2.0)).warned_until is None

    def test_without_a_reset_of_its_own_until_the_windows(self):
        bare = headers(60, status="allowed_warning", resets_at=None)
        assert believed(headers(0, 91.0), bare).warned_until == RESET

    def test_without_any_reset_for_the_length_of_the_window(self):
        bare = headers(0, status="allowed_warning", resets_at=None)
        assert believed(bare).warned_until == NOW + 5 * HOUR
        other = headers(0, status="allowed_warning", resets_at=None, name="86400s")
        assert believed(other, name="86400s").warned_until == NOW + 7 * 24 * HOUR

    def test_a_mark_alone_tells_the_reset(self):
        assert believed(headers(0, status="allowed_warning")).resets_at == RESET


class TestListing:
    """A full poll that no longer lists a window removes it."""

    FABLE = headers(0, 50.0, name="weekly:fable")

    def test_removed(self):
        assert believed(self.FABLE, poll(60, 10.0), name="weekly:fable") is None

    def test_whatever_arrives_first(self):
        assert believed(poll(60, 10.0), self.FABLE, name="weekly:fable") is None

    def test_newer_evidence_brings_it_back(self):
        later = headers(120, 51.0, name="weekly:fable")
        assert believed(self.FABLE, poll(60, 10.0), later, name="weekly:fable").used_percent == 51.0

    def test_a_partial_answer_removes_nothing(self):
        assert believed(self.FABLE, headers(60, 10.0), name="weekly:fable") is not None
