"""The store of one state directory: reads the state once, then writes it whole, again and again.

What was not read is never overwritten or deleted: a file that cannot be read, or that appears from elsewhere,
is moved aside. Every call blocks on the disk and belongs in a thread.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import frozen

from qr.store.errors import StillWritingError, StoreError, UnreadableError, explained
from qr.store.files import (
    Identity,
    identity,
    make_private,
    read_plain,
    set_aside,
    sync_directory,
    temporary,
    write_temporary,
)
from qr.store.lock import StateLock
from qr.store.state_file import CURRENT, Format, encode_state, read_state

__all__ = ["MAX_STATE_BYTES", "Loaded", "Store", "open_store"]

# The largest honest file: 200,000 bindings are 40 MB, two weeks of history of a thousand accounts another 20
# MB. What is larger than twice that is not ours, and to decode it would fill the memory of a small machine.
MAX_STATE_BYTES = 128 * 1024 * 1024

IN_USE = (
    "nothing is remembered across restarts;"
    " stop the other process or set state_dir to another directory, and start again"
)


@frozen
class Loaded:
    """What a state directory remembered."""

    text: bytes | None = None
    """The image in the current schema, as JSON; None: start empty."""
    notice: str | None = None
    """What the operator should know: a file that was not read, and where it is kept."""


def open_store(state_dir: Path, *, form: Format = CURRENT, clock: Callable[[], float] = time.time) -> "Store":
    """
    Open *state_dir*, making it if need be; whatever is wrong with it is told by the store, not raised.

    Args:
        state_dir: the directory; one store a process.
        form: the schema to write, and the migrations to it.
        clock: epoch seconds, for the names of files that are moved aside.
    """
    store = Store(state_dir, form, clock)
    with suppress(StoreError):
        store.claim()
    return store


class Store:
    """Owns `state.json` and `state.lock` of one directory."""

    def __init__(self, state_dir: Path, form: Format, clock: Callable[[], float]) -> None:
        """See `open_store`."""
        self.path = state_dir / "state.json"
        self.problem: str | None = None
        """Why nothing is saved at present: what, where, what to do. None when all is well."""
        self._lock = StateLock(state_dir / "state.lock")
        self._form = form
        self._clock = clock
        self._known: Identity | None = None
        self._refusal: str | None = None
        self._writing = threading.Lock()

    @property
    def persistent(self) -> bool:
        """
        Whether to go on saving: False for good once another process owns the directory.

        While a disk refuses, it is worth trying again: see `problem`.
        """
        return self._refusal is None

    def claim(self) -> None:
        """
        Make the directory and take its lock, unless that is done; `save` does it too.

        Raises:
            StoreError: another process has it (this store does not ask again), or it cannot be taken now.
        """
        with self._telling():
            self._claim()

    def load(self) -> Loaded:
        """
        Read what was remembered.

        A file that cannot be read is moved aside under a dated name; without the lock it is left alone.
        """
        try:
            content, known = read_plain(self.path, MAX_STATE_BYTES)
            text = read_state(content, self._form)
        except FileNotFoundError:
            return Loaded()
        except UnreadableError as error:
            return Loaded(None, self.set_aside(str(error), error.label))
        self._known = known
        return Loaded(text)

    def set_aside(self, reason: str, label: str = UnreadableError.label) -> str:
        """
        Move the state file out of the way, for whoever finds its content wrong; returns a notice for people.

        Args:
            reason: completes "the file …".
            label: a word for its new name.
        """
        told = f"{self.path} {reason}. The service started without what it remembered."
        if not self._lock.held:
            return f"{told} The file was left where it is."
        self._known = None
        try:
            aside = set_aside(self.path, label, self._clock())
        except OSError as error:
            return f"{told} It could not be moved aside: {error.strerror}."
        return f"{told} The file is kept as {aside.name}; to go back to it, stop the service and rename it."

    def save(self, image: Mapping[str, object] | Iterable[bytes]) -> None:
        """
        Replace the state by *image*, or by the text of one in pieces; when this returns, it is on the disk.

        Each call tries anew, whatever failed before: a disk with room again, a directory that came back.

        Raises:
            StillWritingError: an earlier call is not over, in a thread that was given up.
            StoreError: it was not saved, and what was saved before stands.
        """
        if not self._writing.acquire(blocking=False):
            raise StillWritingError(f"{self.path}: an earlier write has not ended yet; the disk may be stuck")
        try:
            with self._telling():
                self._replace(_bounded(_encoded(image)))
        finally:
            self._writing.release()

    def close(self) -> None:
        """Release the lock; nothing is saved any more."""
        self._refusal = f"{self.path}: the store is closed"
        self._lock.release()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Whatever goes wrong becomes a StoreError and the `problem`; success clears it."""
        try:
            yield
        except StoreError as error:
            self.problem = str(error)
            raise
        except OSError as error:
            self.problem = explained(error, self.path)
            raise StoreError(self.problem) from error
        self.problem = None

    def _claim(self) -> None:
        if self._refusal:
            raise StoreError(self._refusal)
        if self._lock.stands():
            return
        make_private(self.path.parent)
        if not self._lock.take():
            self._refusal = f"{self.path.parent} is in use by {self._lock.owner()}: {IN_USE}"
            raise StoreError(self._refusal)
        temporary(self.path).unlink(missing_ok=True)

    def _replace(self, content: Iterable[bytes]) -> None:
        self._claim()
        self._spare_unread()
        written = write_temporary(self.path, content)
        temporary(self.path).replace(self.path)
        self._known = written
        sync_directory(self.path.parent)

    def _spare_unread(self) -> None:
        """Keep a file that was neither read nor written here: a restored copy, a volume that came late."""
        if identity(self.path) not in (None, self._known):
            set_aside(self.path, "unread", self._clock())


def _encoded(image: Mapping[str, object] | Iterable[bytes]) -> Iterable[bytes]:
    if not isinstance(image, Mapping):
        return image
    try:
        return (encode_state(image),)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"the state cannot be written as JSON ({type(error).__name__})") from error


def _bounded(content: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for piece in content:
        size += len(piece)
        if size > MAX_STATE_BYTES:
            raise StoreError(f"the state has more than the {MAX_STATE_BYTES} bytes that are read back")
        yield piece
