"""Without a service the library answers by itself, in the very bytes of `qr.abi.contract`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from qr.abi import contract
from tests.abi.host import Host

METHODS = (
    "scheduler.pick",
    "usage.handle",
    "management.register",
    "management.handle",
    "plugin.quiesce",
    "plugin.shutdown",
    "no.such.method",
    "",
)


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    with Host(library) as host:
        yield host


@pytest.mark.parametrize("method", METHODS)
def test_the_constants_of_the_library_are_those_of_the_service(host: Host, method: str) -> None:
    assert host.answer(method, b"{}") == contract.service_down(method)


@pytest.mark.parametrize("method", ["plugin.register", "plugin.reconfigure"])
@pytest.mark.parametrize("schema", [1, 2, 3, 4, 5, 6, 7, 99, 0, 2**40, -1])
def test_the_library_registers_in_the_service_s_words(host: Host, method: str, schema: int) -> None:
    body = {"config_yaml": "e30K", "schema_version": schema}
    assert host.answer(method, body) == contract.registration(schema)


@pytest.mark.parametrize(
    "body",
    [
        None,
        b"",
        b"{}",
        b'{"config_yaml":"e30K"}',
        b'"schema_version":',
        b'"schema_version"',
        b"null",
        b'{"schema_version":null}',
    ],
)
def test_a_missing_schema_is_the_first(host: Host, body: bytes | None) -> None:
    assert host.answer("plugin.register", body) == contract.registration(1)


def test_a_schema_is_found_behind_a_blank(host: Host) -> None:
    assert host.answer("plugin.register", b'{"schema_version": 5}') == contract.registration(5)


@pytest.mark.parametrize("body", [None, b""])
@pytest.mark.parametrize("method", METHODS)
def test_a_call_with_an_empty_request_is_answered(host: Host, method: str, body: bytes | None) -> None:
    assert host.answer(method, body) == contract.service_down(method)


def test_a_call_without_a_method_is_an_unknown_one(host: Host) -> None:
    assert host.answer(None, b"{}") == contract.unknown_method()


def test_the_answers_hold_before_and_after_registering(host: Host) -> None:
    """The host may call in any order: `plugin.reconfigure` can be the first call, or a pick."""
    before = [host.answer(method, b"{}") for method in METHODS]
    host.reconfigure()
    assert [host.answer(method, b"{}") for method in METHODS] == before


def test_unloading_right_after_init_is_harmless(library: Path) -> None:
    """A one-shot command of the host loads the plugin and ends before anything else."""
    with Host(library):
        pass


def test_a_request_that_fits_no_frame_is_answered_without_the_service(host: Host) -> None:
    host.register()
    assert host.answer("scheduler.pick", bytes(17 * 1024 * 1024)) == contract.NOT_HANDLED
    assert host.answer("usage.handle", bytes(17 * 1024 * 1024)) == contract.USAGE_OK
