"""Simulated agents: in the order of time, repeatable, and named as real clients name themselves."""

from collections import Counter
from itertools import pairwise

import pytest
from attrs import evolve

from qr.lab.clients import CLIENTS
from qr.lab.traffic import COMPACTED, LARGEST_CONTEXT, Habits, traffic
from qr.quota.windows import DAY, HOUR
from qr.routing.sessions import session_keys

MONDAY = 1_788_739_200.0


def of(sessions=40, *, days=1, seed=7, **more):
    return list(traffic(sessions, start=MONDAY, seconds=days * DAY, seed=seed, **more))


def test_requests_come_in_the_order_of_their_times():
    times = [request.at for request in of()]
    assert times == sorted(times)
    assert times[0] >= MONDAY
    assert times[-1] < MONDAY + DAY


def test_the_same_seed_gives_the_same_requests():
    def told(seed):
        return [(one.at, one.model, one.names.thread, one.context, one.fresh) for one in of(seed=seed)]

    assert told(1) == told(1)
    assert told(1) != told(2)


def test_four_hundred_sessions_are_about_a_hundred_thousand_requests_a_week():
    assert 80_000 < sum(1 for _ in traffic(400, start=MONDAY, seconds=7 * DAY, seed=7)) < 120_000


def test_sessions_begin_in_working_hours():
    first = {}
    for request in of(200, days=7, habits=evolve(Habits(), delegating=0.0)):
        first.setdefault(request.names.thread, request.at)
    assert all(8 <= at % DAY / HOUR < 19 for at in first.values())
    days = Counter(int((at - MONDAY) // DAY) for at in first.values())
    assert days[5] + days[6] < days[0] + days[1]


def test_without_hours_sessions_begin_at_any_time():
    hours = {int(request.at % DAY // HOUR) for request in of(200, habits=Habits(hours=None))}
    assert len(hours) == 24


@pytest.mark.parametrize("client", [one for one in CLIENTS if one.name != "script"], ids=lambda one: one.name)
def test_a_client_names_its_sessions_as_real_ones_do(client):
    main, agent = client.main(3), client.agent(3, 1)
    assert (main.session, main.parent) == (session_keys(main.headers, {})[0], "")
    assert agent.session != main.session
    assert agent.parent == main.session


def test_a_script_names_no_session():
    (script,) = [one for one in CLIENTS if one.name == "script"]
    assert script.main(1).session == ""


def test_a_context_grows_with_each_request_until_it_is_compacted():
    by_thread = {}
    for request in of(20):
        by_thread.setdefault(request.names.thread, []).append(request)
    for requests in by_thread.values():
        for before, after in pairwise(requests):
            grown = before.context + before.fresh
            assert after.context == (COMPACTED if grown > LARGEST_CONTEXT else grown)


def test_numbers_go_on_from_the_first():
    threads = {request.names.thread for request in of(10)}
    assert threads.isdisjoint(request.names.thread for request in of(10, first=10))


def test_bursts_begin_together():
    begins = {}
    for request in of(60, habits=evolve(Habits(), bursts=1.0, delegating=0.0)):
        begins.setdefault(request.names.thread, request.at)
    assert max(begins.values()) - min(begins.values()) < 2 * len(begins)


def test_a_night_is_worked_through_where_there_is_nothing_else():
    """A span without any working hours would otherwise be searched for ever."""
    requests = list(traffic(5, start=MONDAY, seconds=HOUR, seed=7))
    assert requests
