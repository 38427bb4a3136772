"""`check` sees what the host would, step by step, and survives what the host would not."""

import shutil
import subprocess
from pathlib import Path

import pytest

from qr.abi.build import build
from qr.abi.check import Finding, check, ping
from tests.abi.service import Service

STEPS = ["file", "load", "register", "pick", "unknown method", "shutdown", "unload", "sidecar", "service"]


def bad(findings: list[Finding]) -> list[str]:
    assert all(finding.remedy for finding in findings if not finding.ok), "a finding says what to do"
    return [finding.step for finding in findings if not finding.ok]


def test_a_sound_installation_has_nothing_to_complain_of(library: Path, service: Service) -> None:
    findings = check(library)
    assert [finding.step for finding in findings] == STEPS
    assert bad(findings) == []


def test_the_service_is_not_disturbed(library: Path, service: Service) -> None:
    """The trial must not configure it, nor show up among its picks."""
    check(library)
    assert service.calls == service.notes == service.attached == []


def test_a_service_that_is_not_running_is_told(library: Path) -> None:
    findings = check(library)
    assert bad(findings) == ["service"]
    assert "qr serve" in findings[-1].remedy


@pytest.mark.parametrize("written", ["", "nonsense\n", None])
def test_a_sidecar_that_names_no_socket_is_told(library: Path, written: str | None) -> None:
    sidecar = library.with_suffix(".conf")
    sidecar.unlink()
    if written is not None:
        sidecar.write_text(written)
    assert bad(check(library)) == ["sidecar"]


def test_a_versioned_library_has_its_sidecar_without_the_version(library: Path, service: Service) -> None:
    versioned = library.rename(library.with_stem("quota-router-v1.2.0"))
    assert bad(check(versioned)) == []


def test_a_sidecar_is_named_without_the_last_version_alone(library: Path, service: Service) -> None:
    library.with_suffix(".conf").rename(library.with_name("quota-router-v2.conf"))
    versioned = library.rename(library.with_stem("quota-router-v2-v3.0"))
    assert bad(check(versioned)) == []


def test_what_the_host_ignores_is_told(library: Path, tmp_path: Path) -> None:
    assert bad(check(tmp_path / "missing.so")) == ["file"]
    assert bad(check(tmp_path)) == ["file"]
    (tmp_path / "link.so").symlink_to(library)
    assert bad(check(tmp_path / "link.so")) == ["file"]
    assert bad(check(Path(shutil.copy(library, tmp_path / "library.txt")))) == ["file"]


def test_what_is_no_library_is_told(library: Path) -> None:
    library.write_bytes(b"\x7fELF and nothing else")
    assert "load" in bad(check(library))


def test_a_library_of_another_version_is_told(library: Path, tmp_path: Path) -> None:
    shutil.copy(build(out=tmp_path, version="0.0.0"), library)
    findings = check(library)
    assert bad(findings) == ["register", "service"]
    assert "install it again" in next(finding.remedy for finding in findings if finding.step == "register")


@pytest.mark.sanitizer
def test_a_library_that_crashes_is_told_and_nothing_else_crashes(library: Path, tmp_path: Path) -> None:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed: a library that crashes cannot be made")
    source = tmp_path / "crash.c"
    source.write_text("#include <stdlib.h>\nint cliproxy_plugin_init(void *a, void *b) { abort(); }\n")
    subprocess.run([gcc, "-w", "-shared", "-fPIC", source, "-o", library], check=True)
    findings = check(library)
    [crash] = [finding for finding in findings if finding.step == "load"]
    assert "killed by signal 6" in crash.seen


def test_a_ping_is_answered_by_a_service_alone(socket_path: Path) -> None:
    assert not ping(socket_path)
    with Service(socket_path) as service:
        assert ping(socket_path)
        service.awake.clear()
        assert not ping(socket_path)


def test_a_ping_survives_a_service_of_another_kind(socket_path: Path, place: Path) -> None:
    (place / "file").touch()
    assert not ping(place / "file")
    assert not ping(Path("/" + "x" * 200))
