"""Looks at an installed plugin library with the host's eyes, in a process of its own: a crash stays there.

The service is not disturbed: the library is tried out while it points at nobody, and answers by itself.
Whether the service is there is asked separately, with a `PING`.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from qr import __version__
from qr.abi import contract, frames
from qr.abi.build import host_target
from qr.abi.install import id_of
from qr.abi.loading import LoadError, Plugin

__all__ = ["Finding", "check", "ping"]

_TRIAL_SECONDS = 30.0  # a trial takes well under a second; a library that hangs must not hang us
_PING_SECONDS = 2.0  # a healthy service answers within milliseconds

_SHOWN = 200  # bytes of an answer in a finding: enough to see what kind of answer it is

_STEPS = ("load", "register", "pick", "unknown method", "shutdown", "unload")


@frozen
class Finding:
    """One step of a check: what was seen, and what to do about it."""

    step: str
    ok: bool
    seen: str
    remedy: str = ""


def check(library: Path) -> list[Finding]:
    """What the host would find with the installed *library*, step by step up to the first that fails."""
    file = _file(library)
    if not file.ok:
        return [file]
    return [file, *_trial(library), *_service(library)]


def ping(path: Path) -> bool:
    """Whether a service that speaks our protocol answers at the socket *path* within two seconds."""
    received = frames.Frames()
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_PING_SECONDS)
            connection.connect(str(path))
            connection.sendall(frames.encode_ping())
            while chunk := connection.recv(4096):
                if any(frame.kind == frames.PONG for frame in received.feed(chunk)):
                    return True
    except (OSError, frames.FrameError):
        pass
    return False


def _file(library: Path) -> Finding:
    again = "run `qr plugin install` again"
    if library.is_symlink():
        return Finding("file", False, f"{library} is a symbolic link, which the host ignores", again)
    if not library.is_file():
        return Finding("file", False, f"there is no file {library}", again)
    if library.suffix != host_target().extension:
        return Finding("file", False, f"{library} does not end in {host_target().extension}", again)
    return Finding("file", True, str(library))


def _service(library: Path) -> Iterator[Finding]:
    sidecar = library.with_name(f"{id_of(library)}.conf")
    try:
        target = re.search(r"^socket=(.+)$", sidecar.read_text(), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        target = None
    if target is None:
        yield Finding("sidecar", False, f"{sidecar} names no socket", "run `qr plugin install` again")
        return
    yield Finding("sidecar", True, f"{sidecar}: the service is at {target[1]}")
    alive = ping(Path(target[1]))
    seen = f"the service at {target[1]} " + ("answers" if alive else "does not answer")
    yield Finding(
        "service", alive, seen, "" if alive else "start it with `qr serve`, as a user the host can reach"
    )


def _trial(library: Path) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as nowhere:
        environment = {**os.environ, "QUOTA_ROUTER_SOCKET": f"{nowhere}/nobody"}
        command = [sys.executable, "-m", "qr.abi.check", str(library)]
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter and module
                command, env=environment, capture_output=True, timeout=_TRIAL_SECONDS, check=False
            )
            output, end = done.stdout, _end(done.returncode)
        except subprocess.TimeoutExpired as hung:
            output, end = hung.stdout or b"", "hung"
    findings = [Finding(*json.loads(line)) for line in output.splitlines()]
    yield from findings
    if all(finding.ok for finding in findings) and len(findings) < len(_STEPS):
        yield Finding(_STEPS[len(findings)], False, f"the trial {end}", "build it anew: `qr plugin build`")


def _end(status: int) -> str:
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"


def _try_out(library: Path) -> Iterator[Finding]:
    try:
        plugin = Plugin(library, lambda _method, _body: contract.error("host_call_failed", "only a trial"))
    except LoadError as problem:
        yield Finding(
            "load", False, str(problem), "the file is for another platform, or damaged: install it again"
        )
        return
    yield Finding("load", True, "the library loads and starts")
    request = b'{"config_yaml":"","schema_version":%d}' % contract.SCHEMA
    expected = contract.registration(contract.SCHEMA)
    yield _compare("register", plugin.call("plugin.register", request), expected)
    yield _compare("pick", plugin.call("scheduler.pick", b"{}"), contract.NOT_HANDLED)
    yield _compare("unknown method", plugin.call("no.such.method", None), contract.unknown_method())
    plugin.close()
    yield Finding("shutdown", True, "it stops")
    mapped = (
        str(library.resolve()) in Path("/proc/self/maps").read_text() if sys.platform == "linux" else False
    )
    yield Finding("unload", not mapped, "it stays in memory" if mapped else "it leaves nothing behind")


def _compare(step: str, answer: tuple[int, bytes | None], expected: bytes) -> Finding:
    if answer == (0, expected):
        return Finding(step, True, "as it should be")
    code, text = answer[0], (answer[1] or b"")[:_SHOWN]
    seen = f"returned {code} and {text!r}, where version {__version__} gives 0 and {expected[:_SHOWN]!r}"
    return Finding(step, False, seen, "the library is of another version: install it again")


if __name__ == "__main__":
    for found in _try_out(Path(sys.argv[1])):
        sys.stdout.write(json.dumps([found.step, found.ok, found.seen, found.remedy]) + "\n")
        sys.stdout.flush()
