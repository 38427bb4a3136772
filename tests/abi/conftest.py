"""The library as its users get it, installed beside a socket in a directory of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from qr.abi.install import install
from tests.abi.service import Service


@pytest.fixture
def socket_path(place: Path) -> Path:
    """Where the service listens, when there is one."""
    return place / "qr.sock"


@pytest.fixture
def library(place: Path, socket_path: Path, compiled: Path) -> Path:
    """The installed library; it looks for the service at `socket_path`."""
    return install(place / "plugins", socket_path, library=compiled).library


@pytest.fixture
def service(socket_path: Path) -> Iterator[Service]:
    """A healthy service."""
    with Service(socket_path) as running:
        yield running
