"""The library as its users get it, installed beside a socket in a directory of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from qr.abi.build import build
from qr.abi.install import install
from tests.abi.service import Service


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library for this machine."""
    return build(out=tmp_path_factory.mktemp("built"))


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory with a short name: a socket's path holds 103 bytes."""
    path = Path(tempfile.mkdtemp(prefix="qr-"))
    yield path
    shutil.rmtree(path)


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
