"""Shared by all tests."""

import pytest
from hypothesis import HealthCheck, settings

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
