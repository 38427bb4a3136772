"""The lock of a state directory: one process at a time, released by the kernel however that process ends."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

__all__ = ["StateLock"]

# Room for a process id and a line end.
PID_BYTES = 16


class StateLock:
    """
    An advisory `flock` on a file that stays: a file left by a dead process locks nothing.

    The file names its owner's process id, for messages only.
    """

    def __init__(self, path: Path) -> None:
        """Lock the file at *path*, once `take` is called."""
        self._path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether it was taken and not released since."""
        return self._descriptor is not None

    def take(self) -> bool:
        """
        Take it without waiting; False when another process has it.

        Raises:
            OSError: the file cannot be opened, or its file system knows no locks.
        """
        self.release()
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                return False
            raise
        self._descriptor = descriptor
        self._sign()
        return True

    def stands(self) -> bool:
        """Whether it is held, and its file is still the one that another process would find."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._path.lstat())
        except OSError:
            return False

    def owner(self) -> str:
        """Who has it, as far as the file tells: `process 4711`."""
        try:
            with self._path.open("rb") as file:
                pid = file.read(PID_BYTES).strip()
        except OSError:
            pid = b""
        return f"process {int(pid)}" if pid.isdigit() else "another process"

    def release(self) -> None:
        """Give it up; harmless when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _sign(self) -> None:
        # On a full disk the name is missing, and the lock holds all the same.
        with suppress(OSError):
            os.ftruncate(self._descriptor or 0, 0)
            os.pwrite(self._descriptor or 0, b"%d\n" % os.getpid(), 0)
