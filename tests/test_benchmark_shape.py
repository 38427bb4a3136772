"""
The benchmark in short: it runs, and what a pick costs has the right shape.

Bounds are on growth and ratios, and generous: they hold on a busy machine, and catch what grows with the
wrong thing. No absolute time is looked at.
"""

import pytest
from attrs import evolve

from benchmarks.histogram import Histogram
from benchmarks.measuring import measure
from benchmarks.programs import programs
from benchmarks.report import Report, heading, line, machine, summary, to_json
from benchmarks.scenarios import FULL, SHORT, named
from benchmarks.targets import TARGETS

# Seconds in which picks are counted: some thousands of them.
LONG = 0.6

[FEW] = named(["closed-1x10"])
SCENARIOS = (
    evolve(FEW, name="few", seconds=LONG),
    evolve(FEW, name="wide", candidates=200, accounts=200, seconds=LONG),
    evolve(FEW, name="crowded", accounts=1000, bindings=20_000, seconds=LONG),
    evolve(FEW, name="busy", threads=64, rate=200, pages=3, records_rate=200, seconds=LONG),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    made = programs(tmp_path_factory.mktemp("programs"))
    return {scenario.name: measure(scenario, made) for scenario in SCENARIOS}


@pytest.mark.slow
def test_every_pick_is_handled_in_every_scenario(results):
    for result in results.values():
        assert result.service.picks > 0
        assert result.service.handled_share == 1.0, result


@pytest.mark.slow
def test_twenty_times_the_candidates_cost_far_less_than_twenty_times_as_much(results):
    assert results["wide"].service.cpu_per_pick < 3 * results["few"].service.cpu_per_pick


@pytest.mark.slow
def test_neither_accounts_known_nor_bindings_held_are_paid_for_by_a_pick(results):
    assert results["crowded"].service.p50 < 2 * results["few"].service.p50


@pytest.mark.slow
def test_a_pick_takes_no_more_than_a_bounded_multiple_of_the_floor(results):
    assert results["few"].ratio("p50") < 50
    assert results["few"].ratio("cpu_per_pick") < 100


@pytest.mark.slow
def test_records_and_state_writes_happen_beside_picks(results):
    assert results["busy"].records > 0
    assert results["busy"].state_writes > 0


@pytest.mark.slow
def test_a_run_is_told_as_a_table_and_as_json(results):
    report = Report(machine(), list(results.values()))
    assert len(line(report.results[0])) == len(heading().splitlines()[0])
    assert b'"cpu_per_pick"' in to_json(report)
    assert summary(report).startswith("met    picks handled")


def test_every_target_is_about_scenarios_that_exist():
    names = {scenario.name for scenario in FULL}
    assert all(names.issuperset(target.needs) for target in TARGETS)
    assert names.issuperset(scenario.name for scenario in SHORT)


def test_percentiles_are_read_off_the_counts():
    histogram = Histogram()
    histogram.add([(1000, 90), (5000, 9)], 5010)
    histogram.add([(90_000, 1)], 90_100)
    assert [histogram.percentile(percent) for percent in (50, 90, 99, 100)] == [1, 1, 5, 90]
    assert histogram.maximum == 90.1


def test_nothing_counted_has_no_percentiles():
    assert (Histogram().percentile(99), Histogram().maximum) == (0, 0)
