"""The commands as a user runs them: output, errors, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evidence_files import EVIDENCE

ROOT = Path(__file__).parent.parent.parent

# A command starts in half a second; a busy machine may need longer.
PATIENCE = 60.0


def qr(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "qr", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=PATIENCE,
        check=False,
    )


def files(kind):
    return sorted((EVIDENCE / kind).glob("*.json"))


def test_each_file_gets_a_line_in_the_order_of_the_files(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    given = [files("cases")[0], broken, files("cases")[1]]
    done = qr("read-signal", "--json", *given)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [("error" in line) for line in lines] == [False, True, False]
    assert str(broken) in lines[1]["error"]
    assert str(broken) in done.stderr


@pytest.mark.parametrize(("command", "kind"), [("read-signal", "cases"), ("decide", "decisions")])
def test_every_captured_file_has_an_answer(command, kind):
    done = qr(command, "--json", *files(kind))
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == len(files(kind))


@pytest.mark.parametrize(("command", "kind"), [("read-signal", "cases"), ("decide", "decisions")])
def test_a_person_can_read_it(command, kind):
    done = qr(command, *files(kind))
    assert done.returncode == 0
    assert all(str(file) in done.stdout for file in files(kind))


@pytest.mark.parametrize(
    ("command", "content", "said"),
    [
        ("read-signal", "[]", "a case is a JSON object"),
        ("read-signal", '{"kind": "tea"}', "a signal needs"),
        ("read-signal", '{"kind": "tea", "input": {}}', "tea"),
        ("decide", "{}", "now"),
        ("decide", '{"now": 1, "request": {"Candidates": [7]}}', "Expected `object`"),
        ("decide", '{"now": 1, "request": {}, "settings": {"policy": "best"}}', "policy"),
        ("decide", '{"now": 1, "request": {}, "accounts": [{"id": "a"}]}', "provider"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, command, content, said):
    file = tmp_path / "case.json"
    file.write_text(content)
    done = qr(command, file)
    assert done.returncode == 1
    assert said in done.stderr
    assert str(file) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_missing_or_too_large_is_said(tmp_path):
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (4 * 1024 * 1024 + 1))
    done = qr("decide", tmp_path / "none.json", large)
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    assert "larger than" in done.stderr


def test_wrong_usage_is_exit_code_2():
    assert qr("decide").returncode == 2
    assert qr("brew").returncode == 2
    assert qr("--help").returncode == 0
    assert "quota-router" in qr("--version").stdout


def test_settings_are_checked_whole(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("mode: loud\nmax_age: -1\n")
    done = qr("settings", "check", file)
    assert done.returncode == 1
    assert "line 1: mode" in done.stderr
    assert "line 2: max_age" in done.stderr
    file.write_text("mode: shadow\n")
    assert json.loads(qr("settings", "check", file, "--json").stdout)["settings"]["mode"] == "shadow"


def test_without_a_service_the_remedy_is_said(tmp_path):
    for command in ("status", "explain"):
        done = qr(command, QUOTA_ROUTER_STATE_DIR=str(tmp_path))
        assert done.returncode == 1
        assert "qr serve" in done.stderr
        assert "Traceback" not in done.stderr


def test_the_doctor_names_a_remedy_for_each_finding(tmp_path):
    done = qr("doctor", "--json", "--plugins", tmp_path, QUOTA_ROUTER_STATE_DIR=str(tmp_path / "state"))
    findings = json.loads(done.stdout)
    assert done.returncode == 1
    assert {"versions", "clock", "settings", "state directory", "socket", "library"} <= {
        finding["step"] for finding in findings
    }
    assert all(finding["remedy"] for finding in findings if not finding["ok"])


def test_the_doctor_finds_what_is_wrong_with_the_settings_and_the_directory(tmp_path):
    settings = tmp_path / "settings.yaml"
    settings.write_text("mode: loud\n")
    assert "line 1: mode" in qr("doctor", "--settings", settings).stdout
    state = tmp_path / "state"
    state.mkdir(mode=0o755)
    assert "chmod 700" in qr("doctor", QUOTA_ROUTER_STATE_DIR=str(state)).stdout


def test_the_library_is_installed_checked_and_never_beside_another(tmp_path):
    environment = {"QUOTA_ROUTER_STATE_DIR": str(tmp_path / "state")}
    done = qr("plugin", "install", tmp_path / "plugins", **environment)
    assert done.returncode == 0, done.stderr
    assert "enabled: true" in done.stdout
    checked = qr("plugin", "check", tmp_path / "plugins", "--json", **environment)
    findings = {finding["step"]: finding["ok"] for finding in json.loads(checked.stdout)}
    assert findings["pick"]
    rival = next((tmp_path / "plugins").rglob("*.so")).with_name("quota-router-v1.0.0.so")
    rival.write_bytes(b"older")
    refused = qr("plugin", "install", tmp_path / "plugins", **environment)
    assert refused.returncode == 1
    assert rival.name in refused.stderr
    assert qr("plugin", "install", tmp_path / "plugins", "--replace", **environment).returncode == 0
    assert not rival.exists()
