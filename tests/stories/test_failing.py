"""A service that is not there, hangs or dies costs at most its deadline, and never a request."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.abi.host import eventually
from tests.stories.host import Host
from tests.stories.service import Outside
from tests.stories.signals import DAY

# Seconds. A busy machine of two cores may keep a thread waiting for a while; the deadline itself is 0.25 s.
DEADLINE, SLACK = 0.25, 0.75


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def knows(host: Host, name: str) -> None:
    host.serves(name, five=10, week=20, week_resets=DAY)
    eventually(lambda: host.session(None).asks(offered=name) == name)


def test_without_a_service_every_pick_is_the_host_s_at_once(lonely: Host) -> None:
    with within(SLACK):
        assert {lonely.session(f"S{number}").asks() for number in range(100)} == {None}
        lonely.serves("ann", five=10, week=20)


def test_a_service_that_is_started_later_is_found(lonely: Host, process: Outside) -> None:
    assert lonely.session("S1").asks() is None
    process.start()
    knows(lonely, "ann")
    assert lonely.session("S1").asks() == "ann"


def test_a_service_that_hangs_costs_three_deadlines_and_then_nothing(lonely: Host, process: Outside) -> None:
    process.start()
    knows(lonely, "ann")
    with process.hanging():
        with within(3 * (DEADLINE + SLACK)):
            assert [lonely.session("S1").asks() for _ in range(3)] == [None] * 3
        with within(SLACK):
            assert {lonely.session("S1").asks() for _ in range(100)} == {None}
        with within(SLACK):
            lonely.serves("ann", five=10, week=20)
    eventually(lambda: lonely.session("S1").asks() == "ann")


def test_a_service_that_dies_in_the_middle_of_a_pick_costs_no_request(lonely: Host, process: Outside) -> None:
    process.start()
    knows(lonely, "ann")
    answers: list[str | None] = []
    with process.hanging():
        picks = [
            threading.Thread(target=lambda: answers.append(lonely.session("S1").asks())) for _ in range(20)
        ]
        with within(DEADLINE + SLACK):
            for pick in picks:
                pick.start()
            process.kill()
            for pick in picks:
                pick.join()
    assert answers == [None] * 20
    process.start()
    knows(lonely, "ann")
    assert lonely.session("S1").asks() == "ann"
