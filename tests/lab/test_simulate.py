"""Simulated days: every fault level, the same run twice, and what ends a run."""

import json
import subprocess
import sys
from functools import partial

import pytest
from attrs import evolve

from qr.clock import StepWatch
from qr.lab.events import Events, Violation
from qr.lab.faults import FAULTS
from qr.lab.half import run_half
from qr.lab.simulate import BASELINES, Scenario, compare
from qr.lab.simulate import simulate as simulate_side_by_side

DAY = Scenario(days=1.0, accounts=6, sessions=8, seed=5, faults="some")
MORNING = evolve(DAY, days=0.5, sessions=3)


# A day takes seconds; to start other processes for it would take longer.
simulate = partial(simulate_side_by_side, processes=1)


@pytest.mark.parametrize("faults", ["none", "some", "wild"])
def test_a_day_holds_every_invariant(faults):
    result = simulate(evolve(DAY, faults=faults))
    assert result.requests > 500
    assert result.handled > 0.9 * result.picks
    assert result.polls_per_account_hour > 5
    assert 0.0 < result.fairness <= 1.0


def test_without_faults_nothing_but_quota_refuses():
    result = simulate(evolve(MORNING, faults="none"))
    assert result.other_refusals == {}
    assert result.unserved == 0


def test_the_same_seed_gives_the_same_run():
    first = simulate(MORNING)
    assert simulate(MORNING) == first
    assert simulate(evolve(MORNING, seed=6)).digest != first.digest


@pytest.mark.slow
def test_the_same_seed_gives_the_same_run_in_another_process():
    """Neither the order of sets nor any address in memory may decide anything."""
    script = (
        "import json; from qr.lab.simulate import *; "
        "print(json.dumps(simulate(Scenario(0.5, 6, 6, 'reset_first', 5, 'wild'), processes=1).as_dict()))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            timeout=120,
        )
        for hash_seed in ("1", "2")
    ]
    first, second = (json.loads(run.stdout.splitlines()[-1]) for run in runs)
    assert first == second


HASTY = evolve(DAY, faults=evolve(FAULTS["some"], clock_settings=100.0))


def test_a_clock_that_is_set_every_other_hour_breaks_nothing():
    assert run_half(HASTY, "claude").requests > 200


def test_a_step_that_nobody_notices_is_found_out(monkeypatch):
    monkeypatch.setattr(StepWatch, "_look", lambda _: None)
    with pytest.raises(Violation, match="the machine's clock was set by"):
        run_half(HASTY, "claude")


def test_policies_are_compared_on_the_same_traffic():
    results = compare(["quota_pressure", *BASELINES], MORNING, processes=1)
    assert [result.policy for result in results] == ["quota_pressure", *BASELINES]
    assert len({result.requests for result in results}) == 1


def test_the_host_alone_moves_sessions_all_the_time():
    ours, alone = compare(
        ["reset_first", "host_default"], evolve(MORNING, accounts=12, faults="none"), processes=1
    )
    assert ours.moves < alone.moves / 10
    assert ours.moves_cost_percent < alone.moves_cost_percent


def test_progress_is_told():
    told = []
    simulate(MORNING, told.append)
    assert told == sorted(told)
    assert 0.0 < told[0] < 0.5
    assert told[-1] <= 1.0


def test_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match="no such policy: roulette"):
        simulate(evolve(DAY, policy="roulette"))


def test_a_violation_tells_the_seed_and_the_last_events():
    events = Events(seed=42)
    for number in range(100):
        events.add(float(number), f"event {number}")
    violation = events.violated("the sky is blue")
    assert isinstance(violation, Violation)
    lines = str(violation).splitlines()
    assert lines[0] == "the sky is blue (seed 42); the last events:"
    assert lines[-1] == "99.000 event 99"
    assert len(lines) == 41


@pytest.mark.slow
def test_halves_that_run_side_by_side_change_no_result():
    assert simulate_side_by_side(MORNING, processes=2) == simulate(MORNING)


@pytest.mark.slow
def test_a_failure_beside_ends_the_run():
    with pytest.raises(KeyError):
        simulate_side_by_side(evolve(MORNING, faults="unheard of"), processes=2)


def test_one_account_is_enough():
    result = simulate(evolve(MORNING, accounts=1))
    assert result.requests > 0
    assert result.fairness == 1.0
