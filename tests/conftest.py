"""Shared by all tests."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from qr.abi.build import build
from tests.places import short_place

# The same examples on every run and machine, and no limit on the time of one: CI must not depend on luck.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of the developer's own router must not reach the tests."""
    for name in ("STATE_DIR", "SOCKET", "LISTEN", "TOKEN"):
        monkeypatch.delenv(f"QUOTA_ROUTER_{name}", raising=False)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library for this machine."""
    return build(out=tmp_path_factory.mktemp("built"))


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory in which a socket can be."""
    with short_place() as path:
        yield path


# Where everything is installed that a test may need, a skipped test is a test that was lost.
NOTHING_SKIPPED = "QUOTA_ROUTER_TESTS_SKIP_NOTHING"

# What no installation can give.
EXCUSED = ("this machine's own name",)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With the variable set, a skip is a failure."""
    report = yield
    if report.skipped and os.environ.get(NOTHING_SKIPPED) and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(excuse in reason for excuse in EXCUSED):
            report.outcome = "failed"
            report.longrepr = f"{reason} (and {NOTHING_SKIPPED} is set)"
    return report
