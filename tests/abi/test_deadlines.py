"""A service that hangs costs a pick its deadline, three picks at most, and then nothing."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qr.abi import contract, frames
from tests.abi.host import Host, eventually
from tests.abi.service import Service, chosen_first, silent

PICK = {"Provider": "", "Providers": ["claude"], "Candidates": [{"ID": "ann"}]}
DEADLINE = 0.25  # seconds, what a pick may take by default
LEAST = DEADLINE - 0.002  # the library counts whole milliseconds
SLACK = 0.2  # seconds that a machine of two cores may keep a thread waiting
AT_ONCE = 0.1  # seconds, well below the deadline, well above a context switch


@pytest.fixture
def host(library: Path, service: Service) -> Iterator[Host]:
    with Host(library, watch_descriptors=False) as host:
        host.register()
        yield host


def seconds(call: Callable[[], object]) -> float:
    began = time.monotonic()
    call()
    return time.monotonic() - began


def trip(host: Host, service: Service) -> None:
    """Three picks meet a service that hangs."""
    service.awake.clear()
    for _ in range(3):
        assert host.pick(PICK) == {"Handled": False}


def test_three_misses_and_then_picks_are_answered_at_once(host: Host, service: Service) -> None:
    service.awake.clear()
    for _ in range(3):
        assert LEAST <= seconds(lambda: host.pick(PICK)) < DEADLINE + SLACK
    for _ in range(200):
        assert seconds(lambda: host.pick(PICK)) < AT_ONCE


def test_picks_are_handled_again_once_the_service_is_back(host: Host, service: Service) -> None:
    trip(host, service)
    service.awake.set()
    slowest = 0.0

    def handled() -> bool:
        nonlocal slowest
        began = time.monotonic()
        result = host.pick(PICK)
        slowest = max(slowest, time.monotonic() - began)
        return bool(result["Handled"])

    eventually(handled)
    assert slowest < AT_ONCE, "no pick waits for the probe"


def test_picks_are_handled_again_by_another_process(
    library: Path, socket_path: Path, service: Service
) -> None:
    """The hung service is killed and a new one started at the same path."""
    with Host(library, watch_descriptors=False) as host:
        host.register()
        trip(host, service)
        with Service(socket_path):
            eventually(lambda: host.pick(PICK)["Handled"])


def test_only_misses_in_a_row_count(host: Host, service: Service) -> None:
    for _ in range(2):
        service.script = silent
        for _ in range(2):
            assert seconds(lambda: host.pick(PICK)) >= LEAST
        service.script = chosen_first
        assert host.pick(PICK)["Handled"]


def test_a_dashboard_request_to_a_slow_service_does_not_bring_picks_back(
    host: Host, service: Service
) -> None:
    """Other calls wait longer, so their success says nothing about a pick's chances."""
    service.script = lambda call: None if call.method == "scheduler.pick" else chosen_first(call)
    for _ in range(3):
        host.pick(PICK)
    host.call("management.handle", {})
    assert seconds(lambda: host.pick(PICK)) < AT_ONCE


def test_picks_that_wait_for_a_connection_are_answered_within_their_deadline(
    host: Host, service: Service
) -> None:
    service.awake.clear()
    took = host.many(150, lambda _number: seconds(lambda: host.pick(PICK)))
    assert max(took) < DEADLINE + 2 * SLACK


def test_a_service_that_is_not_running_costs_nothing(library: Path) -> None:
    with Host(library) as host:
        host.register()
        assert seconds(lambda: [host.pick(PICK) for _ in range(100)]) < AT_ONCE


def test_a_socket_whose_backlog_is_full_costs_the_deadline_at_most(library: Path, socket_path: Path) -> None:
    """The service listens, and has stopped accepting altogether."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(str(socket_path))
            with Host(library) as host:
                assert seconds(host.register) < 1 + SLACK
                for _ in range(3):
                    assert seconds(lambda: host.pick(PICK)) < DEADLINE + SLACK
                assert seconds(lambda: host.pick(PICK)) < AT_ONCE
                assert seconds(lambda: host.call("usage.handle", {})) < AT_ONCE


@pytest.mark.parametrize(("wish", "least", "most"), [(60, 0.058, 0.2), (1, 0.008, 0.12)])
def test_the_service_sets_the_deadline_with_whatever_it_sends(
    host: Host, service: Service, wish: int, least: float, most: float
) -> None:
    """Below 10 ms a healthy service on a busy machine would be given up."""
    service.script = lambda _call: frames.encode_reply(contract.NOT_HANDLED, wish)
    host.call("management.handle", {})
    service.script = silent
    assert least <= seconds(lambda: host.pick(PICK)) < most


def test_the_sidecar_sets_the_deadline_until_the_service_does(library: Path, service: Service) -> None:
    with library.with_suffix(".conf").open("a") as sidecar:
        sidecar.write("pick_deadline_ms=60\n")
    with Host(library, watch_descriptors=False) as host:
        host.register()
        service.script = silent
        assert 0.058 <= seconds(lambda: host.pick(PICK)) < 0.2


def test_usage_records_never_wait_for_a_service_that_hangs(host: Host, service: Service) -> None:
    """The host delivers them one after the other on one thread, for the whole process."""
    service.awake.clear()
    record = {"Provider": "claude", "Failure": {"Body": "x" * 20_000}}
    slowest = max(seconds(lambda: host.call("usage.handle", record)) for _ in range(300))
    assert slowest < AT_ONCE


def test_dropped_usage_records_are_counted_and_reported(library: Path, socket_path: Path) -> None:
    with Host(library, watch_descriptors=False) as host:
        host.register()
        for number in range(5):
            host.call("usage.handle", {"RequestID": str(number)})
        with Service(socket_path) as service:
            eventually(lambda: service.attached)
            assert service.attached[0]["dropped"] == "5"
            host.call("usage.handle", {"RequestID": "heard"})
            eventually(lambda: service.notes)
            assert json.loads(service.notes[0].body) == {"RequestID": "heard"}
