"""The container files and the units say what the code expects."""

import re
from typing import Any

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from qr.abi.install import PLUGIN_ID
from qr.cli import main
from qr.settings import KEYS, parse_settings
from qr.system import SHUTDOWN
from qr.web.guard import PROBES
from tests.docs.markdown import ROOT

ENVIRONMENT = {key.environment for key in KEYS.values() if key.environment}

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")

UNITS = sorted((ROOT / "deploy").glob("*.service"))


def _compose() -> Any:
    return YAML(typ="safe", pure=True).load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def _volumes(service: dict[str, Any]) -> dict[str, str]:
    """Named volumes and directories by the path in the container."""
    short = (one.split(":") for one in service["volumes"] if isinstance(one, str))
    long = {one["target"]: one["source"] for one in service["volumes"] if isinstance(one, dict)}
    return {parts[1]: parts[0] for parts in short} | long


def test_compose_names_only_volumes_and_services_that_it_has() -> None:
    compose = _compose()
    for service in compose["services"].values():
        named = [source for source in _volumes(service).values() if not source.startswith(".")]
        assert set(named) <= set(compose["volumes"])
        assert set(service.get("depends_on", ())) <= set(compose["services"])


def test_service_and_host_see_the_socket_at_one_path() -> None:
    services = _compose()["services"]
    socket = re.search(r"QUOTA_ROUTER_SOCKET=(\S+)/", DOCKERFILE)
    assert socket
    for name in ("quota-router", "cli-proxy-api"):
        assert _volumes(services[name])[socket[1]] == "socket"


def test_library_is_installed_where_the_host_looks() -> None:
    services = _compose()["services"]
    *command, directory, _ = services["install"]["command"]
    assert command == ["plugin", "install"]
    assert (
        _volumes(services["install"])[directory]
        == _volumes(services["cli-proxy-api"])[directory]
        == "plugins"
    )


def test_environment_is_known_and_valid() -> None:
    """The address that compose sets wants a token, and compose sets one."""
    image = dict(re.findall(r"\b(QUOTA_ROUTER_\w+)=(\S+)", DOCKERFILE.rpartition("\nFROM ")[2]))
    compose = _compose()["services"]["quota-router"]["environment"] | {
        "QUOTA_ROUTER_TOKEN": "0123456789abcdef"
    }
    environment = {**image, **compose}
    assert set(environment) <= ENVIRONMENT
    parse_settings("", source="compose", environ=environment)


def test_health_check_asks_what_needs_no_login() -> None:
    asked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)'", DOCKERFILE)
    assert asked
    assert asked[2] in PROBES
    assert KEYS["listen"].default == f"127.0.0.1:{asked[1]}"


def test_image_is_made_of_files_that_reach_the_builder() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        word
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
        for word in line.split()
    }
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_unit_runs_a_command_that_exists(unit: Any) -> None:
    started = re.search(r"^ExecStart=\S+/qr (.+)$", unit.read_text(), re.MULTILINE)
    assert started
    assert CliRunner().invoke(main, [*started[1].split(), "--help"]).exit_code == 0


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_unit_waits_for_the_end_of_the_service(unit: Any) -> None:
    waits = re.search(r"^TimeoutStopSec=(\d+)$", unit.read_text(), re.MULTILINE)
    assert waits
    assert float(waits[1]) > SHUTDOWN
    assert set(re.findall(r"\b(QUOTA_ROUTER_\w+)=", unit.read_text())) <= ENVIRONMENT


def test_compose_waits_for_the_end_of_the_service() -> None:
    assert float(_compose()["services"]["quota-router"]["stop_grace_period"].removesuffix("s")) > SHUTDOWN


def test_plugin_is_configured_under_its_own_name() -> None:
    assert f"    {PLUGIN_ID}:" in (ROOT / "README.md").read_text()
