"""A host and a service that found each other."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qr.abi.install import install
from qr.settings import Settings
from tests.stories.host import Host
from tests.stories.service import Inside, Outside, Watch

# A story is not about deadlines: on a busy machine every pick is to be heard. The longest that there is.
PATIENT = 5.0

# Nobody listens there: no poll of a story reaches a provider.
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def service(place: Path, watch: Watch) -> Iterator[Inside]:
    """A service in this process."""
    settings = Settings(
        state_dir=place / "state",
        socket=place / "qr.sock",
        pick_deadline=PATIENT,
        claude_base_url=NOWHERE,
        codex_base_url=NOWHERE,
        proxy_url="direct",
    )
    service = Inside(settings, watch)
    service.start()
    yield service
    service.stop()


@pytest.fixture
def library(place: Path, compiled: Path) -> Path:
    """The installed library; it looks for a service at `qr.sock` beside it."""
    patience = int(PATIENT * 1000)
    return install(place / "plugins", place / "qr.sock", library=compiled, pick_deadline_ms=patience).library


@pytest.fixture
def host(library: Path, service: Inside, watch: Watch) -> Iterator[Host]:
    """A host whose records have been taken in when its story goes on."""
    with Host(library, watch.now, delivering=service.taking_in) as host:
        yield host


@pytest.fixture
def process(place: Path) -> Iterator[Outside]:
    """A service in a process of its own, not started yet."""
    settings = place / "settings.yaml"
    settings.write_text(
        f"state_dir: {place}/state\nsocket: {place}/qr.sock\nlisten: 127.0.0.1:0\nlog_level: error\n"
        f"claude_base_url: {NOWHERE}\ncodex_base_url: {NOWHERE}\nproxy_url: direct\n"
    )
    process = Outside(settings, place / "qr.sock")
    yield process
    process.end()


@pytest.fixture
def lonely(place: Path, compiled: Path) -> Iterator[Host]:
    """A host whose service is not there, or not yet; it keeps the deadline of 0.25 s."""
    library = install(place / "plugins", place / "qr.sock", library=compiled).library
    with Host(library, time.time) as host:
        host.has("ann", "bob")
        yield host
