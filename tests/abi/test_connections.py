"""How the library finds the service, keeps its connections, and leaves nothing behind."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qr import __version__
from qr.abi import contract
from tests.abi.host import Host, eventually
from tests.abi.service import SCRIPTS, Service, chosen_first, running

PICK = {"Provider": "", "Providers": ["claude"], "Candidates": [{"ID": "ann"}]}
QUICK = 0.2  # seconds; shutting down waits for nothing


@pytest.fixture
def host(library: Path, service: Service) -> Iterator[Host]:
    with Host(library, watch_descriptors=False) as host:
        host.register()
        yield host


def test_calls_one_after_the_other_share_a_connection(host: Host, service: Service) -> None:
    for _ in range(50):
        assert host.pick(PICK)["Handled"]
        host.call("usage.handle", {})
        host.call("management.handle", {})
    eventually(lambda: service.attached)
    assert service.most_connections == 2, "one for calls, one for callbacks"


def test_calls_at_a_time_have_64_connections_at_most(host: Host, service: Service) -> None:
    # This is not about deadlines: on a busy machine every call is to be answered.
    with host.library.with_suffix(".conf").open("a") as sidecar:
        sidecar.write("pick_deadline_ms=5000\n")
    host.reconfigure()
    service.script = SCRIPTS["slow"]
    answers = host.many(120, lambda _number: host.pick(PICK))
    assert {json.dumps(answer) for answer in answers} == {'{"AuthID": "ann", "Handled": true}'}
    assert service.most_connections <= 65


def test_usage_records_arrive_in_order_with_their_bodies(host: Host, service: Service) -> None:
    sent = [json.dumps({"RequestID": str(number)}).encode() for number in range(50)]
    for record in sent:
        host.call("usage.handle", record)
    eventually(lambda: len(service.notes) == 1 + len(sent))
    assert [note.body for note in service.notes[1:]] == sent
    assert {note.method for note in service.notes[1:]} == {"usage.handle"}


def test_a_restarted_service_is_found_without_restarting_the_host(library: Path, socket_path: Path) -> None:
    with Host(library, watch_descriptors=False) as host:
        for _ in range(3):
            with Service(socket_path):
                host.reconfigure()
                assert host.pick(PICK)["Handled"]
                assert host.pick(PICK)["Handled"]
            assert host.pick(PICK) == {"Handled": False}


def test_a_service_restarted_between_two_picks_loses_none(library: Path, socket_path: Path) -> None:
    """Pooled connections have died meanwhile; the pick is asked on a fresh one."""
    with Host(library, watch_descriptors=False) as host:
        with Service(socket_path):
            host.register()
            host.many(8, lambda _number: host.pick(PICK))
        with Service(socket_path):
            assert host.pick(PICK)["Handled"]


def test_a_dead_connection_is_found_out_by_usage_records_too(library: Path, socket_path: Path) -> None:
    with Host(library, watch_descriptors=False) as host:
        with Service(socket_path):
            host.register()
        with Service(socket_path) as service:
            host.call("usage.handle", {"RequestID": "first"})
            eventually(lambda: service.notes)


def test_reconfiguring_reads_the_sidecar_anew(
    host: Host, library: Path, place: Path, service: Service
) -> None:
    with Service(place / "elsewhere.sock") as other:
        assert host.pick(PICK)["Handled"]
        library.with_suffix(".conf").write_text(f"# moved\nsocket={other.path}\r\n")
        host.reconfigure()
        assert host.pick(PICK)["Handled"]
        assert [note.method for note in other.notes] == ["plugin.reconfigure"]
        assert other.methods() == ["scheduler.pick"]
        eventually(lambda: other.attached)
        eventually(lambda: service.connections == 0)


def test_the_environment_comes_before_the_sidecar(
    library: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Service(place / "other.sock") as other, Host(library, watch_descriptors=False) as host:
        monkeypatch.setenv("QUOTA_ROUTER_SOCKET", str(other.path))
        host.register()
        assert host.pick(PICK)["Handled"]


@pytest.mark.parametrize(
    "sidecar",
    [
        None,
        "",
        "socket=",
        "socket=relative",
        "nonsense",
        "socket=/" + "x" * 200,
        "socket=/" + "x" * 5000,
        "\0\xff",
    ],
)
def test_a_sidecar_that_names_no_socket_leaves_the_library_on_its_own(
    library: Path, sidecar: str | None
) -> None:
    path = library.with_suffix(".conf")
    path.unlink()
    if sidecar is not None:
        path.write_text(sidecar)
    with Host(library) as host:
        assert host.register() == json.loads(contract.registration(6))["result"]
        assert host.answer("scheduler.pick", PICK) == contract.NOT_HANDLED


@pytest.mark.parametrize(
    ("file_name", "plugin"),
    [
        ("quota-router.so", "quota-router"),
        ("quota-router-v0.1.0.so", "quota-router"),
        ("quota-router-v1.so", "quota-router"),
        ("quota-router-v2-v3.0.so", "quota-router-v2"),
        ("quota-router-v1.0-rc.1+b.so", "quota-router"),
        ("quota-router-very.so", "quota-router-very"),
        ("quota-router-v1_0.so", "quota-router-v1_0"),
        ("my.router.so", "my.router"),
        ("q.so", "q"),
        ("a" * 128 + ".so", "a" * 128),
    ],
)
def test_the_plugin_s_id_is_read_from_the_file_name_as_the_host_does(
    place: Path, compiled: Path, service: Service, file_name: str, plugin: str
) -> None:
    shutil.copy(compiled, place / file_name)
    (place / f"{plugin}.conf").write_text(f"socket={service.path}\n")
    with Host(place / file_name, watch_descriptors=False) as host:
        host.register()
        eventually(lambda: service.attached)
    said = service.attached[0]
    assert (said["plugin"], said["version"], said["pid"]) == (plugin, __version__, str(os.getpid()))


def test_two_copies_work_side_by_side(library: Path, place: Path, service: Service) -> None:
    """On a hot reload the new version is loaded while the old one is still mapped."""
    with Service(place / "new.sock") as newer:
        copy = shutil.copy(library, place / "quota-router-v9.so")
        (place / "quota-router.conf").write_text(f"socket={newer.path}\n")
        with Host(library, watch_descriptors=False) as old, Host(copy, watch_descriptors=False) as new:
            old.register()
            new.register()
            service.script, newer.script = chosen_first, SCRIPTS["dies before"]
            assert old.pick(PICK)["Handled"]
            assert not new.pick(PICK)["Handled"]
            newer.script = chosen_first
            old.unload()
            assert new.pick(PICK)["Handled"]


def test_the_library_can_be_loaded_again_and_again(library: Path, socket_path: Path) -> None:
    with running(socket_path, "healthy"):
        for _ in range(20):
            with Host(library) as host:
                host.register()
                assert host.pick(PICK)["Handled"]


def test_reconfiguring_does_not_disturb_picks_under_way(host: Host) -> None:
    def work(number: int) -> bool:
        if number % 4 == 0:
            return all(host.reconfigure()["schema_version"] == 6 for _ in range(20))
        return all(host.pick(PICK)["Handled"] for _ in range(20))

    assert all(host.many(16, work))


def test_unloading_is_quick_beside_a_running_service(library: Path, socket_path: Path) -> None:
    with running(socket_path, "healthy"), Host(library) as host:
        host.register()
        host.many(30, lambda _number: host.pick(PICK))
        assert host.unload() < QUICK


def test_unloading_is_quick_beside_a_service_that_hangs(library: Path, service: Service) -> None:
    service.awake.clear()
    with Host(library, watch_descriptors=False) as host:
        host.register()
        host.pick(PICK)
        host.call("usage.handle", {})
        assert host.unload() < QUICK


def test_unloading_is_quick_without_a_service(library: Path) -> None:
    with Host(library) as host:
        host.register()
        assert host.unload() < QUICK


def test_a_call_whose_client_has_left_is_waited_for(library: Path, socket_path: Path) -> None:
    with running(socket_path, "hang"), Host(library) as host:
        host.abandon("scheduler.pick", PICK)
        host.abandon("usage.handle", PICK)
        began = time.monotonic()
        assert host.unload() < QUICK
        assert time.monotonic() - began < 3


def test_a_child_process_inherits_no_descriptor(host: Host, service: Service) -> None:
    """The host starts children, a browser for one, without closing what it does not know."""
    host.many(10, lambda _number: host.pick(PICK))
    eventually(lambda: service.attached)
    listing = ["ls", "-l", "/proc/self/fd"]
    done = subprocess.run(listing, close_fds=False, capture_output=True, text=True, check=True)
    assert "pipe:" in done.stdout
    assert "socket:" not in done.stdout
