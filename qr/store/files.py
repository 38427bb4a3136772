"""Private files written whole: after a crash at any moment there is the old file or the new one, never half.

The functions raise OSError, and block: they wait for the disk.
"""

import errno
import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from qr.store.errors import UnreadableError

__all__ = [
    "Identity",
    "identity",
    "make_private",
    "read_plain",
    "set_aside",
    "sync_directory",
    "temporary",
    "write_temporary",
]

# Names that were taken in the same second; whoever has more than this has another trouble.
MAX_ASIDES = 1000


@frozen
class Identity:
    """Which file it is, and which content it has."""

    device: int
    inode: int
    size: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Identity":
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def identity(path: Path) -> Identity | None:
    """What stands at *path*, a link itself rather than its target; None when nothing does."""
    try:
        return Identity.of(path.lstat())
    except FileNotFoundError:
        return None


def make_private(directory: Path) -> None:
    """Make *directory* and what is missing above it, for the owner alone; what exists stays as it is."""
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    for place in reversed(missing):
        with suppress(FileExistsError):
            place.mkdir(mode=0o700)
        sync_directory(place.parent)


def read_plain(path: Path, most: int) -> tuple[bytes, Identity]:
    """
    The content of the plain file at *path*, and which one it was.

    Raises:
        FileNotFoundError: there is none.
        UnreadableError: it is something else, larger than *most* bytes, or not ours to read.
    """
    try:
        # Without O_NONBLOCK a pipe that stands there would be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        link = error.errno == errno.ELOOP
        raise UnreadableError(
            "is a symbolic link" if link else f"cannot be read: {error.strerror}"
        ) from error
    try:
        return _content(descriptor, most)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _content(descriptor: int, most: int) -> tuple[bytes, Identity]:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("is no plain file")
    if status.st_size > most:
        raise UnreadableError(f"has {status.st_size} bytes, more than the {most} that are read")
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(most), Identity.of(status)


def temporary(path: Path) -> Path:
    """Where the next content of *path* is written. One name is enough: only the lock's owner writes."""
    return path.with_name(f"{path.name}.tmp")


def write_temporary(path: Path, content: Iterable[bytes]) -> Identity:
    """
    Write the next content of *path* beside it, on the disk for good; the caller puts it in place.

    Whatever is raised, by the disk or by *content*, leaves nothing behind.
    """
    beside = temporary(path)
    beside.unlink(missing_ok=True)
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - an open descriptor
            file.writelines(content)
            file.flush()
            os.fsync(descriptor)
            return Identity.of(os.fstat(descriptor))
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def sync_directory(directory: Path) -> None:
    """Make the names in *directory* last."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems keep names without being asked, and know no such call.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def set_aside(path: Path, label: str, now: float) -> Path:
    """Rename *path* to a name that tells *label* and the time *now* (epoch seconds), and that is free."""
    dated = f"{path.name}.{label}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}"
    names = (dated, *(f"{dated}-{number}" for number in range(2, MAX_ASIDES)))
    free = next((name for name in names if identity(path.with_name(name)) is None), None)
    if free is None:
        raise FileExistsError(errno.EEXIST, "no free name to move it to", str(path))
    aside = path.rename(path.with_name(free))
    sync_directory(path.parent)
    return aside
