"""What can go wrong with the state.

StoreError
  StillWritingError
UnreadableError
  NewerSchemaError
"""

import errno
import os
from pathlib import Path

__all__ = ["NewerSchemaError", "StillWritingError", "StoreError", "UnreadableError", "explained"]


class StoreError(Exception):
    """The state was not saved; the message says why, where, and what to do. What was saved before stands."""


class StillWritingError(StoreError):
    """An earlier write has not ended yet: worth trying again in a moment."""


class UnreadableError(Exception):
    """A state file is none that this version can read; the message completes "it …"."""

    label = "unreadable"
    """How the name of the file that is moved aside tells why."""


class NewerSchemaError(UnreadableError):
    """A state file was written by a newer version."""

    def __init__(self, schema: int, known: int) -> None:
        """The file has *schema*, this version knows up to *known*."""
        super().__init__(f"was written by a newer version (schema {schema}, this one knows {known})")
        self.label = f"schema-{schema}"


def explained(error: OSError, path: Path) -> str:
    """What an operator reads when the system refuses to write to *path*."""
    advice = _ADVICE.get(error.errno or 0, os.strerror(error.errno) if error.errno else str(error))
    told = advice.format(directory=path.parent, uid=os.geteuid())
    return f"{path} cannot be written: {told}. What was saved before stands; saving is tried again."


_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space on it",
    errno.EDQUOT: "the disk quota is used up; free some space",
    errno.EFBIG: "it would exceed the largest size of a file; raise the limit (ulimit -f)",
    errno.EROFS: "the file system is read-only; mount it for writing, or set state_dir to another directory",
    errno.EACCES: "permission denied; let user {uid} write to {directory}, or set state_dir to another one",
    errno.EPERM: "not permitted; let user {uid} write to {directory}, or set state_dir to another one",
    errno.ENOTDIR: "{directory} or a directory above it is a file; remove it, or set another state_dir",
}
