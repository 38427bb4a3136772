"""Accounts and credentials from a directory of auth files, for a service that runs without the host."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import trio
from attrs import evolve

from qr.upstream.credentials import AuthEntry, Credential, Skipped, read_credential, read_entry
from qr.upstream.errors import CredentialUnusableError, DirectoryUnreadableError

__all__ = ["ENTRIES_MAX", "FILE_MAX", "AuthDirectory"]

# Bytes. A real auth file has some 5 KB; nothing else deserves to be read into memory.
FILE_MAX = 256 * 1024

# Directory entries looked at. A mistyped path (`/`, a home directory) must not be walked for minutes.
ENTRIES_MAX = 10_000


class AuthDirectory:
    """
    The auth files below *path*, read as the host reads its `auth-dir`.

    Every `.json` file counts, in sub-directories too; the id is the path relative to *path*. Links to files
    are followed, links to directories are not. Files are read when they are asked for, and in a thread.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).expanduser()
        self._skipped: Sequence[Skipped] = ()

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The `.json` files of the last listing that are no auth files."""
        return self._skipped

    async def list(self) -> Sequence[AuthEntry]:
        """
        The accounts of every provider, by id.

        Raises:
            DirectoryUnreadableError: the directory is missing, no directory, or not ours to read.
        """
        found = await trio.to_thread.run_sync(_listing, self._path)
        self._skipped = [one for one in found if isinstance(one, Skipped)]
        return sorted((one for one in found if isinstance(one, AuthEntry)), key=lambda entry: entry.id)

    async def fetch(self, entry: AuthEntry) -> Credential:
        """
        The credential as the file has it now.

        Raises:
            CredentialUnusableError: an API key, or a file that is missing or has no access token.
        """
        if entry.api_key:
            raise CredentialUnusableError("an API key has no subscription windows to poll")
        try:
            content = await trio.to_thread.run_sync(_content, self._path / _inside(entry.id))
        except OSError as error:
            raise CredentialUnusableError(f"the auth file cannot be read: {_why(error)}") from None
        credential = read_credential(content)
        return evolve(credential, provider=credential.provider or entry.provider)


def _inside(identifier: str) -> str:
    """The relative path that *identifier* is, if it stays inside the directory."""
    if Path(identifier).is_absolute() or ".." in Path(identifier).parts or "\0" in identifier:
        raise CredentialUnusableError("the account's id names no file of the auth directory")
    return identifier


def _listing(top: Path) -> list[AuthEntry | Skipped]:
    found = _scan(top)
    if isinstance(found, OSError):
        raise DirectoryUnreadableError(f"the auth directory cannot be listed: {_why(found)}")
    return [one if isinstance(one, Skipped) else _read(top, one) for one in _below(top)]


def _below(top: Path) -> Iterator[Path | Skipped]:
    """The `.json` files below *top*. Kept as a stack: nesting may be deeper than Python may recurse."""
    waiting, seen = [top], 0
    while waiting:
        found = _scan(waiting.pop())
        if isinstance(found, OSError):
            yield Skipped("", f"a directory that cannot be listed: {_why(found)}")
            continue
        seen += len(found)
        waiting += [Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False)]
        yield from (Path(entry.path) for entry in found if _named_json(entry))
        if seen > ENTRIES_MAX:
            yield Skipped("", f"what comes after the first {ENTRIES_MAX} directory entries")
            return


def _scan(directory: Path) -> Sequence[os.DirEntry[str]] | OSError:
    try:
        with os.scandir(directory) as found:
            return list(islice(found, ENTRIES_MAX + 1))
    except OSError as error:
        return error


def _named_json(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(".json") and not entry.is_dir(follow_symlinks=False)


def _read(top: Path, path: Path) -> AuthEntry | Skipped:
    identifier = path.relative_to(top).as_posix()
    if not _is_unicode(identifier):
        return Skipped("", "a file whose name is no UTF-8")
    try:
        entry, changed_at = read_entry(_content(path)), path.stat().st_mtime
    except OSError as error:
        return Skipped(identifier, _why(error))
    except ValueError:
        return Skipped(identifier, "no JSON object")
    if not entry.provider:
        return Skipped(identifier, "JSON without a `type`: no auth file")
    return evolve(entry, id=identifier, auth_index="", runtime_only=False, changed_at=changed_at)


def _content(path: Path) -> bytes:
    """The bytes of a regular file."""
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "no regular file")
        content = file.read(FILE_MAX + 1)
    if len(content) > FILE_MAX:
        raise OSError(errno.EFBIG, f"larger than {FILE_MAX // 1024} KiB")
    return content


def _without_waiting(path: str, flags: int) -> int:
    """A named pipe would hold the thread until somebody writes to it."""
    return os.open(path, flags | os.O_NONBLOCK)


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _why(error: OSError) -> str:
    """The system's words without the path, which can be an e-mail address."""
    return error.strerror or type(error).__name__
