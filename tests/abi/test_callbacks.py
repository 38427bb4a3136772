"""The service calls the host through the library, whenever it likes; and learns what it missed."""

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from qr.abi import frames
from qr.abi.frames import HostReply
from tests.abi.host import Host, eventually
from tests.abi.service import Service, silent

PICK = {"Provider": "", "Providers": ["claude"], "Candidates": [{"ID": "ann"}]}
ACTIVE = "bW9kZTogYWN0aXZlCg=="
LISTING = b'{"ok":true,"result":{"files":[{"id":"ann","auth_index":"1"}]}}'


@pytest.fixture
def host(library: Path, service: Service) -> Iterator[Host]:
    with Host(library, {"host.auth.list": lambda _body: LISTING}, watch_descriptors=False) as host:
        host.register()
        yield host


def test_the_service_reaches_the_host_before_the_first_pick(host: Host, service: Service) -> None:
    assert service.host_call("host.auth.list") == HostReply(0, LISTING)
    assert host.called == [("host.auth.list", b"{}")]


def test_a_callback_that_the_host_refuses_is_an_answer_too(host: Host, service: Service) -> None:
    reply = service.host_call("host.no.such", b"")
    assert reply.code == 0
    assert json.loads(reply.body)["error"]["code"] == "host_call_failed"
    assert host.called == [("host.no.such", b"")]


def test_a_host_that_fails_and_gives_no_memory_is_survived(host: Host, service: Service) -> None:
    host.callbacks["host.auth.list"] = lambda _body: None
    assert service.host_call("host.auth.list") == HostReply(1, b"")
    host.callbacks["host.auth.list"] = lambda _body: b""
    assert service.host_call("host.auth.list") == HostReply(0, b"")


def test_an_answer_that_fits_no_frame_is_a_failure(host: Host, service: Service) -> None:
    host.callbacks["host.auth.list"] = lambda _body: bytes(frames.MAX_PAYLOAD)
    assert service.host_call("host.auth.list") == HostReply(1, b"")
    host.callbacks["host.auth.list"] = lambda _body: bytes(frames.MAX_PAYLOAD - 1)
    assert len(service.host_call("host.auth.list").body) == frames.MAX_PAYLOAD - 1


def test_the_host_may_call_the_plugin_while_it_answers_a_callback(host: Host, service: Service) -> None:
    """Calls are re-entrant in both directions."""
    host.callbacks["host.auth.list"] = lambda _body: host.answer("scheduler.pick", PICK)
    assert b'"AuthID":"ann"' in service.host_call("host.auth.list").body


def test_callbacks_do_not_wait_for_calls_nor_calls_for_callbacks(host: Host, service: Service) -> None:
    entered, leave = threading.Event(), threading.Event()

    def answer(_body: bytes) -> bytes:
        entered.set()
        leave.wait(5)
        return LISTING

    host.callbacks["host.auth.list"] = answer
    asking = threading.Thread(target=service.host_call, args=("host.auth.list",))
    asking.start()
    assert entered.wait(5)
    assert host.pick(PICK)["Handled"]
    leave.set()
    asking.join()


def test_many_callbacks_in_a_row_are_answered_in_order(host: Host, service: Service) -> None:
    host.callbacks["host.auth.get"] = lambda body: body
    for number in range(100):
        assert service.host_call("host.auth.get", str(number).encode()).body == str(number).encode()


def test_a_lost_callback_connection_is_made_anew(host: Host, service: Service) -> None:
    for lost in range(1, 4):
        eventually(lambda lost=lost: len(service.attached) == lost)
        assert service.host_call("host.auth.list").body == LISTING
        service.hang_up()


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"HTTP/1.1 400 Bad Request\r\n\r\n", id="garbage"),
        pytest.param(frames.encode_pong(), id="a frame of another kind"),
        pytest.param(frames.encode_host_call("m")[:-1], id="half a frame"),
        pytest.param(b"\x01\0\0\0\x04\x01\0\0\x05", id="a call without its method"),
        pytest.param(b"\0\0\0\0\x04\x01\0\0", id="an empty call"),
    ],
)
def test_garbage_on_the_callback_connection_ends_it_and_nothing_else(
    host: Host, service: Service, sent: bytes
) -> None:
    eventually(lambda: service.attached)
    service.write_back(sent)
    service.hang_up()
    eventually(lambda: len(service.attached) == 2)
    assert service.host_call("host.auth.list").body == LISTING
    eventually(lambda: host.pick(PICK)["Handled"])


def test_a_service_that_starts_later_learns_the_host_s_settings(library: Path, socket_path: Path) -> None:
    with Host(library, watch_descriptors=False) as host:
        host.register(config="mode: shadow\n")
        host.reconfigure(config="mode: active\n")
        with Service(socket_path) as service:
            eventually(lambda: service.attached)
            assert json.loads(service.settings[0])["config_yaml"] == ACTIVE


def test_a_restarted_service_learns_the_host_s_settings(library: Path, socket_path: Path) -> None:
    with Host(library, watch_descriptors=False) as host:
        with Service(socket_path) as service:
            host.register(config="mode: active\n")
            eventually(lambda: service.attached)
        with Service(socket_path) as service:
            eventually(lambda: service.attached)
            assert json.loads(service.settings[0])["config_yaml"] == ACTIVE


def test_a_service_that_could_not_be_told_new_settings_gets_them_with_a_new_connection(
    host: Host, service: Service
) -> None:
    """All connections are busy, and the host waits for none of them."""
    eventually(lambda: service.attached)
    service.script = silent
    for _ in range(64):
        host.abandon("management.register", {})
    eventually(lambda: len(service.calls) == 64)
    host.reconfigure(config="mode: active\n")
    eventually(lambda: len(service.attached) == 2)
    assert json.loads(service.settings[1])["config_yaml"] == ACTIVE


def test_of_two_copies_in_one_host_the_service_can_tell_which_was_configured_last(
    library: Path, service: Service
) -> None:
    """A host keeps the old copy mapped after a hot reload, and it comes back to a restarted service too."""
    copy = Path(shutil.copy(library, library.with_stem("quota-router-v9")))
    with Host(library, watch_descriptors=False) as old, Host(copy, watch_descriptors=False) as new:
        old.register(config="mode: shadow\n")
        eventually(lambda: service.attached)
        new.register(config="mode: active\n")
        eventually(lambda: len(service.attached) == 2)
        service.hang_up()
        # One that is in a hurry may come back twice.
        eventually(lambda: len({said["configured"] for said in service.attached[2:]}) == 2)
        again = zip(service.attached[2:], service.settings[2:], strict=False)
        by_time = sorted((int(said["configured"]), settings) for said, settings in again)
        assert json.loads(by_time[-1][1])["config_yaml"] == ACTIVE
        old.unload()


def test_a_quiesced_library_goes_on_until_it_is_unloaded(host: Host, service: Service) -> None:
    """The service asks its successor, which was configured later; without one, this library is needed."""
    eventually(lambda: service.attached)
    assert host.call("plugin.quiesce", {}) == {"ok": True, "result": {}}
    assert service.host_call("host.auth.list").body == LISTING
    assert host.pick(PICK)["Handled"]
    host.reconfigure()
    assert service.host_call("host.auth.list").body == LISTING
    assert len(service.attached) == 1


def test_shutting_down_while_the_service_keeps_calling_ends_the_callbacks(
    library: Path, service: Service
) -> None:
    """Every call makes the service call back: some callback is always under way."""
    service.curious = True
    for _ in range(10):
        with Host(library, watch_descriptors=False) as host:
            host.register()
            host.many(8, lambda _number: [host.pick(PICK) for _ in range(10)])
            assert host.unload() < 0.5


def test_the_library_s_thread_leaves_signals_to_the_host(library: Path) -> None:
    with Host(library) as host:
        before = set(Path("/proc/self/task").iterdir())
        host.register()
        [thread] = set(Path("/proc/self/task").iterdir()) - before
        lines = dict(line.split(":\t", 1) for line in (thread / "status").read_text().splitlines())
        # All of them but SIGKILL and SIGSTOP, and the two that the C library keeps for itself.
        assert int(lines["SigBlk"], 16) | 1 << 8 | 1 << 18 | 0b11 << 31 == (1 << 64) - 1


def test_nothing_is_started_before_the_host_registers_the_plugin(library: Path) -> None:
    """Init runs in one-shot commands of the host too."""
    with Host(library) as host:
        before = set(Path("/proc/self/task").iterdir())
        host.call("scheduler.pick", PICK)
        assert set(Path("/proc/self/task").iterdir()) == before
