"""Short storms; `make chaos` and `make soak` have the long ones."""

from collections import Counter
from math import inf
from pathlib import Path

import pytest

from qr.actors.lives import Life
from tests.chaos.disk import Disk
from tests.chaos.faults import WEIGHTS, plan
from tests.chaos.ledger import Ledger
from tests.chaos.outcome import Outcome
from tests.chaos.storm import run_storm
from tests.chaos.virtual import run_virtual
from tests.places import short_place

# In a short storm the service is away for most of the time; it must have had a say all the same.
HAD_A_SAY = 100


def survived(outcome: Outcome) -> bool:
    """Nothing was violated, and not because nobody was there."""
    assert list(outcome.violations) == [], str(outcome)
    return outcome.handled > HAD_A_SAY


@pytest.mark.slow
def test_no_pick_and_no_session_is_lost_in_a_storm_over_the_whole_chain() -> None:
    with short_place() as place:
        outcome = run_storm(seed=1, picks=800, place=place)
    assert survived(outcome)
    assert set(outcome.faults) == set(WEIGHTS)


@pytest.mark.parametrize("seed", [2, 3])
def test_no_pick_and_no_session_is_lost_whatever_the_moment(seed: int, tmp_path: Path) -> None:
    assert survived(run_virtual(seed, picks=1500, place=tmp_path))


def test_a_seed_gives_the_same_faults_and_each_kind_is_among_them() -> None:
    assert plan(7, 2000) == plan(7, 2000) != plan(8, 2000)
    assert {fault.kind for fault in plan(7, 1000)} == set(WEIGHTS)
    slow = Counter(fault.kind for fault in plan(7, 10_000))["service is killed"]
    assert 1 <= slow <= 6


EVERYBODY = frozenset("abw")


class TestLedger:
    """It must see what it is there for."""

    def test_a_session_that_moves_is_a_violation(self) -> None:
        ledger = Ledger(EVERYBODY)
        ledger.answered("s", "a", "ab", 0, 1.0)
        ledger.answered("s", "b", "ab", 0, 2.0)
        assert ledger.violations == ["a session moved from ['a'] to b"]

    def test_it_may_be_elsewhere_while_its_account_is_not_offered_or_in_trouble(self) -> None:
        ledger = Ledger(EVERYBODY, wavering={"w"})
        for session, home in (("s", "a"), ("t", "w")):
            ledger.answered(session, home, "abw", 0, 1.0)
        ledger.answered("s", "b", "b", 0, 2.0)
        ledger.answered("t", "b", "abw", 0, 2.0)
        assert ledger.violations == []
        assert ledger.counts == {"bound": 2, "away": 2}

    def test_only_a_young_binding_may_be_forgotten_by_an_end_of_the_service(self) -> None:
        ledger = Ledger(EVERYBODY)
        ledger.answered("old", "a", "ab", ledger.life, 1.0)
        ledger.answered("young", "a", "ab", ledger.life, 3.0)
        ledger.ended(horizon=2.0)
        ledger.answered("young", "b", "ab", ledger.life, 4.0)
        assert ledger.violations == []
        ledger.answered("old", "b", "ab", ledger.life, 4.0)
        assert len(ledger.violations) == 1

    def test_a_forgotten_session_without_an_answer_is_not_bound_yet(self) -> None:
        ledger = Ledger(EVERYBODY)
        ledger.answered("s", "a", "abw", ledger.life, 2.0)
        ledger.ended(horizon=1.0)
        ledger.unanswered("s", "a")
        ledger.answered("s", "b", "abw", ledger.life, 3.0)
        assert ledger.violations == []

    def test_a_question_that_was_given_up_may_have_bound_the_session_to_whom_it_offered(self) -> None:
        ledger = Ledger(EVERYBODY)
        ledger.unanswered("s", "abw")
        ledger.answered("s", "b", "b", 0, 2.0)
        ledger.answered("s", "a", "abw", 0, 3.0)
        assert ledger.violations == []
        ledger.answered("s", "b", "abw", 0, 4.0)
        assert ledger.violations == ["a session moved from ['a'] to b"]

    def test_a_session_is_bound_anew_only_when_its_account_was_in_trouble(self) -> None:
        ledger = Ledger(EVERYBODY, mortal={"w"})
        for session, home in (("s", "a"), ("t", "w")):
            ledger.answered(session, home, "abw", 0, 1.0, anew=True)
        ledger.answered("t", "b", "abw", 0, 2.0, anew=True)
        assert ledger.violations == []
        ledger.answered("s", "a", "abw", 0, 2.0, anew=True)
        assert ledger.violations == ["a session of ['a'] was bound anew, to a"]
        ledger.answered("t", "w", "abw", 0, 3.0, anew=False)
        assert ledger.violations[1:] == ["a session moved from ['b'] to w"]

    def test_a_crash_may_forget_that_a_session_left_a_dead_login(self) -> None:
        ledger = Ledger(EVERYBODY, mortal={"w"})
        ledger.answered("s", "w", "abw", 0, 1.0, anew=True)
        ledger.answered("s", "b", "abw", 0, 3.0, anew=True)
        ledger.ended(horizon=2.0)
        ledger.answered("s", "a", "ab", ledger.life, 4.0, anew=False)
        ledger.answered("s", "w", "abw", ledger.life, 5.0, anew=False)
        assert ledger.violations == []

    def test_where_nobody_says_that_it_left_either_account_may_be_its_home(self) -> None:
        ledger = Ledger(EVERYBODY, mortal={"w"})
        for account in "wbw":
            ledger.answered("s", account, "abw", 0, 1.0)
        assert ledger.violations == []
        ledger.at_last("s", "b")
        assert ledger.violations == []
        ledger.at_last("s", "a")
        assert len(ledger.violations) == 1

    def test_who_is_not_at_home_after_the_storm_is_a_violation(self) -> None:
        ledger = Ledger(EVERYBODY, wavering={"a"})
        ledger.answered("s", "a", "ab", 0, 1.0)
        ledger.at_last("s", "a")
        assert ledger.violations == []
        ledger.at_last("s", "b")
        assert len(ledger.violations) == 1


def test_a_recorder_that_died_has_written_all_and_a_new_one_writes_at_once() -> None:
    now = [100.0]
    disk, recorder = Disk(1.5, clock=lambda: now[0]), Life("recorder", alive=True)
    disk.watch(recorder)
    recorder.alive, recorder.restarts, recorder.died_at = False, 1, 99.9
    disk.watch(recorder)
    now[0] = 120.0
    assert (disk.horizon(orderly=False), disk.horizon(orderly=True)) == (99.9, inf)
    disk.breaks("full")
    assert disk.horizon(orderly=True) == disk.horizon(orderly=False) == 99.9
    disk.heals("full")
    recorder.alive = True
    disk.watch(recorder)
    assert disk.horizon(orderly=False) == 99.9
    now[0] = 122.0
    assert disk.horizon(orderly=False) == 120.5


def test_a_disk_in_trouble_keeps_what_was_bound_before() -> None:
    now = [100.0]
    disk = Disk(1.5, clock=lambda: now[0])
    assert (disk.horizon(orderly=False), disk.horizon(orderly=True)) == (98.5, inf)
    disk.breaks("full")
    now[0] = 110.0
    assert disk.horizon(orderly=True) == disk.horizon(orderly=False) == 98.5
    disk.heals("full")
    assert (disk.horizon(orderly=False), disk.horizon(orderly=True)) == (98.5, inf)
    now[0] = 120.0
    assert disk.horizon(orderly=False) == 118.5
