"""Whatever the service does, no client's request fails for it (contract, sections 1, 2.1 and 10)."""

import time
from pathlib import Path

import pytest

from qr.abi import contract, frames
from tests.abi.host import Host
from tests.abi.service import SCRIPTS, Service, chosen_first, replying, silent

PICK = {"Provider": "", "Providers": ["claude"], "Candidates": [{"ID": "ann"}, {"ID": "bob"}]}

# Seconds. A busy machine of two cores may keep a thread waiting for a while; the deadline itself is 0.25 s.
DEADLINE, SLACK = 0.25, 0.25

BAD = sorted(SCRIPTS.keys() - {"healthy", "slow", "says more"})


@pytest.fixture
def host(library: Path, service: Service):
    with Host(library, watch_descriptors=False) as host:
        host.register()
        yield host


def test_a_healthy_service_is_heard(host: Host) -> None:
    assert host.pick(PICK) == {"AuthID": "ann", "Handled": True}
    assert host.call("management.handle", {})["result"]["StatusCode"] == 200
    assert host.call("management.register", {})["result"]["routes"] == [{"Method": "GET", "Path": "/x"}]


@pytest.mark.parametrize("script", BAD)
def test_a_pick_is_not_handled_within_the_deadline_when_the_service_is_bad(
    host: Host, service: Service, script: str
) -> None:
    service.script = SCRIPTS[script]
    began = time.monotonic()
    assert host.answer("scheduler.pick", PICK) == contract.NOT_HANDLED
    assert time.monotonic() - began < DEADLINE + SLACK


@pytest.mark.parametrize("script", BAD)
def test_a_usage_record_is_taken_at_once_when_the_service_is_bad(
    host: Host, service: Service, script: str
) -> None:
    service.script = SCRIPTS[script]
    began = time.monotonic()
    assert host.answer("usage.handle", {"Provider": "claude"}) == contract.USAGE_OK
    assert time.monotonic() - began < SLACK


@pytest.mark.parametrize("script", sorted(set(BAD) - {"hang", "large and never finished", "error envelope"}))
def test_the_dashboard_says_that_the_service_is_bad(host: Host, service: Service, script: str) -> None:
    service.script = SCRIPTS[script]
    assert host.answer("management.handle", {}) == contract.service_down("management.handle")
    assert host.answer("management.register", {}) == contract.service_down("management.register")


@pytest.mark.parametrize("script", sorted(set(BAD) - {"hang", "large and never finished"}))
def test_registering_succeeds_when_the_service_is_bad(library: Path, service: Service, script: str) -> None:
    service.script = SCRIPTS[script]
    with Host(library, watch_descriptors=False) as host:
        assert host.register(schema=3)["schema_version"] == 3
        assert host.reconfigure(schema=6)["schema_version"] == 6


def test_registering_does_not_wait_for_a_service_that_hangs(library: Path, service: Service) -> None:
    """The host's start waits for it, several times and without a limit of its own."""
    service.awake.clear()
    with Host(library, watch_descriptors=False) as host:
        began = time.monotonic()
        assert host.register(schema=6)["schema_version"] == 6
        assert host.reconfigure(schema=6)["schema_version"] == 6
        assert time.monotonic() - began < SLACK


def test_the_host_learns_the_pages_though_there_is_no_service(library: Path) -> None:
    """It asks for them when it starts, and not again when the service does."""
    pages = contract.management_registration([contract.Route("GET", "/x")], [contract.Resource("/ui")])
    library.with_suffix(".pages").write_bytes(pages)
    with Host(library) as host:
        assert host.answer("management.register", {}) == pages


@pytest.mark.parametrize("pages", [b"", b"no envelope", b'{"ok"'])
def test_pages_that_are_none_are_as_good_as_no_file(library: Path, pages: bytes) -> None:
    library.with_suffix(".pages").write_bytes(pages)
    with Host(library) as host:
        assert host.answer("management.register", {}) == contract.service_down("management.register")


@pytest.mark.parametrize(
    "envelope",
    [
        b"",
        b"null",
        b'{"ok":true}',
        b'{"ok":true,"result":null}',
        b'{"ok":true,"result":{"AuthID":"","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":7,"Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a"b","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a\nb","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a\\x","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a\\u12","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a\\","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a\\u12g4","Handled":true}}',
        b'{"ok":true,"result":{"AuthID":"a","Handled":true}}}',
        b'{"ok":true,"result":{"AuthID":"a","Handled":true',
        b'{"ok":true,"result":{"Handled":true,"Reject":true}}',
        b'{"ok":false,"error":{"code":"x","message":"y"}}',
        b'{"ok":true,"result":{"Handled":false}} ',
    ],
)
def test_only_the_contract_s_two_answers_to_a_pick_are_passed_on(
    host: Host, service: Service, envelope: bytes
) -> None:
    service.script = replying(envelope)
    assert host.answer("scheduler.pick", PICK) == contract.NOT_HANDLED


@pytest.mark.parametrize(
    "account",
    ["a", "claude-ann@example.com.json", "team/a.json", "ü 日本 😀", 'q"u\\o', "tab\there", "\x01", "\u2028"],
)
def test_any_account_that_exists_can_be_chosen(host: Host, service: Service, account: str) -> None:
    service.script = replying(contract.chosen(account))
    assert host.pick(PICK) == {"AuthID": account, "Handled": True}


def test_escapes_of_another_encoder_are_json_too(host: Host, service: Service) -> None:
    service.script = replying(b'{"ok":true,"result":{"AuthID":"\\u00fc\\/\\"\\uD83D\\uDE00","Handled":true}}')
    assert host.pick(PICK)["AuthID"] == 'ü/"😀'


def test_a_slow_answer_within_the_deadline_counts(host: Host, service: Service) -> None:
    service.script = SCRIPTS["slow"]
    assert host.pick(PICK)["Handled"]


def test_stray_bytes_are_never_taken_for_the_next_answer(host: Host, service: Service) -> None:
    """A service that says more than it was asked loses that connection, not the next session's account."""
    service.script = SCRIPTS["says more"]
    assert host.pick(PICK) == {"AuthID": "a", "Handled": True}
    service.script = chosen_first
    assert host.pick({"Candidates": [{"ID": "bob"}]}) == {"AuthID": "bob", "Handled": True}


def test_a_late_answer_is_never_taken_for_the_next_one(host: Host, service: Service) -> None:
    service.script = silent
    service.awake.clear()
    assert host.pick(PICK) == {"Handled": False}
    service.script = chosen_first
    service.awake.set()
    for account in "bcd":
        assert host.pick({"Candidates": [{"ID": account}]})["AuthID"] == account


def test_the_service_s_dying_in_the_middle_of_a_thousand_picks_fails_none(
    host: Host, service: Service
) -> None:
    """The pick on its way when the connection ends is asked again, or not handled."""

    def picks(number: int) -> set[bytes]:
        return {host.answer("scheduler.pick", PICK) for _ in range(50)}

    def hang_up(number: int) -> set[bytes]:
        for _ in range(10):
            service.hang_up()
        return set()

    answers = host.many(20, lambda number: hang_up(number) if number % 10 == 0 else picks(number))
    assert set().union(*answers) <= {contract.NOT_HANDLED, contract.chosen("ann")}


def test_a_large_answer_arrives_whole(host: Host, service: Service) -> None:
    body = bytes(range(256)) * 20_000
    answer = contract.management_answer(200, {}, body)
    service.script = replying(answer)
    assert host.answer("management.handle", {}) == answer


def test_a_large_request_arrives_whole(host: Host, service: Service) -> None:
    request = b"x" * 3_000_000
    host.answer("management.handle", request)
    assert service.calls[-1] == frames.Call("management.handle", request)
