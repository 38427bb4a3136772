"""What a user can get wrong, looked at from outside: works whether or not the service runs."""

import os
import platform
import stat
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from qr import __version__
from qr.abi.build import BUILT, BuildError, host_target
from qr.abi.check import Finding, check, ping
from qr.abi.install import PLUGIN_ID, library_path
from qr.settings import Settings, SettingsError, load_settings
from qr.store.lock import StateLock

__all__ = ["examine"]

OLDEST_PYTHON = (3, 11)

# This version was written after that second: a clock before it is wrong, and every reset would look far away.
RELEASED = datetime(2026, 11, 1, tzinfo=UTC).timestamp()

# The state file of a thousand accounts, its successor beside it while it is written, and some room.
LEAST_FREE = 256 * 1024 * 1024


def examine(settings_file: Path | None, plugin_directory: Path | None) -> list[Finding]:
    """All findings, in the order in which a user would mend them."""
    findings = [_versions(), _clock()]
    try:
        settings = load_settings(settings_file)
    except SettingsError as error:
        return [*findings, Finding("settings", False, str(error), "correct them and run `qr settings check`")]
    findings.append(Finding("settings", True, str(settings_file or "defaults and environment")))
    findings += _state(settings.state_dir)
    findings += _socket(settings)
    findings += _library(plugin_directory)
    return findings


def _versions() -> Finding:
    python = platform.python_version()
    seen = f"quota-router {__version__}, Python {python} on {platform.system()} {platform.machine()}"
    return Finding("versions", sys.version_info >= OLDEST_PYTHON, seen, "install Python 3.11 or newer")


def _clock() -> Finding:
    now = time.time()
    shown = datetime.fromtimestamp(now, tz=UTC).isoformat(timespec="seconds")
    return Finding("clock", now >= RELEASED, shown, "set the machine's clock, best by a time service")


def _state(directory: Path) -> Iterator[Finding]:
    if not directory.exists():
        yield Finding("state directory", True, f"{directory} does not exist yet; `qr serve` makes it")
        return
    private = stat.S_IMODE(directory.stat().st_mode) & 0o077 == 0
    usable = directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
    yield Finding(
        "state directory", usable, str(directory), f"make {directory} a directory that this user may write to"
    )
    yield Finding(
        "state is private",
        private,
        f"mode {stat.S_IMODE(directory.stat().st_mode):04o}",
        f"chmod 700 {directory}",
    )
    free = os.statvfs(directory)
    left = free.f_bavail * free.f_frsize
    yield Finding(
        "disk space", left >= LEAST_FREE, f"{left // 2**20} MiB free", "free some space on that disk"
    )
    yield _lock(directory)


def _lock(directory: Path) -> Finding:
    lock = StateLock(directory / "state.lock")
    try:
        if lock.take():
            return Finding("lock", True, "free: no service runs on this directory")
        return Finding("lock", True, f"held: a service runs on this directory ({lock.owner()})")
    except OSError as error:
        return Finding(
            "lock", False, f"{directory / 'state.lock'}: {error.strerror}", "let this user write to it"
        )
    finally:
        lock.release()


def _socket(settings: Settings) -> Iterator[Finding]:
    answers = ping(settings.socket)
    remedy = f"start `qr serve`; the library looks for {settings.socket}"
    yield Finding(
        "socket", answers, f"{settings.socket} {'answers' if answers else 'does not answer'}", remedy
    )


def _library(directory: Path | None) -> Iterator[Finding]:
    try:
        target = host_target()
    except BuildError as error:
        yield Finding("library", False, str(error), "run the service on a supported machine")
        return
    built = BUILT / target.file_name
    yield Finding("library", built.is_file(), str(built), "run `qr plugin build`")
    if directory is not None:
        yield from check(library_path(directory, PLUGIN_ID, target))
