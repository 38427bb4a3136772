"""The recorder: writes the journal to the state file, at most once a second and never on the event loop."""

import time
from collections.abc import Iterable, Iterator
from typing import Protocol

import structlog
import trio

from qr.actors.image import Parts, pieces
from qr.actors.journal import Journal
from qr.store import StillWritingError, StoreError

__all__ = ["Recorder", "Shelter"]

# From the beginning of one write to that of the next: a write costs an fsync, and once a second is what a
# crash may lose, and what a disk bears (specification, section 7).
INTERVAL = 1.0

# A full or read-only disk is tried again after this many seconds.
RETRY = 5.0

# The write of a recorder that was killed goes on, for some dozens of milliseconds as a rule.
BESIDE = 0.05

# The last write at shutdown: a disk that hangs must not hang the shutdown.
LAST_WRITE = 5.0

# Seconds for which a write works before it rests, and for which it rests. A thread that only lets go of the
# interpreter keeps the processor, and a kernel may leave the event loop waiting behind it for milliseconds,
# even while another one is idle.
WORK, REST = 0.0002, 0.0005

log = structlog.get_logger(__name__)


class Shelter(Protocol):
    """Where an image can be kept: the state file."""

    @property
    def persistent(self) -> bool:
        """Whether images are kept at all."""

    def save(self, image: Iterable[bytes]) -> None:
        """Keep *image*, given in pieces; raises `StoreError` when it cannot be kept."""


class Recorder:
    """One life of the recorder; the journal outlives it."""

    def __init__(
        self, journal: Journal, shelter: Shelter, schema: int, *, interval: float = INTERVAL
    ) -> None:
        """
        Args:
            journal: what is to be kept.
            shelter: where.
            schema: of the image.
            interval: seconds from the beginning of a write to that of the next.

        """
        self._journal = journal
        self._shelter = shelter
        self._schema = schema
        self.problem: str | None = None
        """Why the last write failed; None when it did not."""
        self.writes = 0
        self.written_at: float | None = None
        """When the last write succeeded, in Trio's time; None: none did in this life."""
        self._interval = self._pause = interval
        """From the beginning of the last write to that of the next."""
        self._last = False
        """The service ends: no pick is disturbed any more, and there is no time to lose."""

    async def run(self) -> None:
        """Live until cancelled; then write once more, under a deadline."""
        try:
            while True:
                await self._journal.changed.wait()
                began = trio.current_time()
                await self._write()
                await trio.sleep_until(began + self._pause)
        finally:
            if self._journal.changed.is_set():
                await self._write_at_last()

    async def _write_at_last(self) -> None:
        self._last = True
        # The one shielded wait at shutdown; it is bounded.
        with trio.CancelScope(shield=True, deadline=trio.current_time() + LAST_WRITE):
            await self._write()
            while self._pause == BESIDE:
                await trio.sleep(BESIDE)
                await self._write()

    async def _write(self) -> None:
        if not self._shelter.persistent:
            self._journal.take()
            return
        parts, number = self._journal.take(), self._journal.taken
        try:
            await trio.to_thread.run_sync(self._save, parts, number, abandon_on_cancel=True)
        except StoreError as error:
            self._failed(error)
        except BaseException:
            # Killed in the middle: whether it was written is not known, so it is written again.
            self._journal.changed.set()
            raise
        else:
            self._succeeded()

    def _save(self, parts: Parts, number: int) -> None:
        self._shelter.save(self._newest(parts, number))

    def _newest(self, parts: Parts, number: int) -> Iterator[bytes]:
        """
        The pieces of *parts*, the journal's *number*-th, asked for when their turn to be written has come.

        A write that was given up before its thread began may have its turn after a newer one.
        """
        if number < self._journal.taken:
            raise StoreError("a newer state is written instead")
        began = time.perf_counter()
        for piece in pieces(self._schema, parts):
            yield piece
            if not self._last and time.perf_counter() - began > WORK:
                time.sleep(REST)
                began = time.perf_counter()

    def _failed(self, error: StoreError) -> None:
        if self.problem is None:
            log.warning("state not written", cause=str(error))
        self.problem = str(error)
        self._pause = BESIDE if isinstance(error, StillWritingError) else RETRY
        self._journal.changed.set()

    def _succeeded(self) -> None:
        if self.problem is not None:
            log.info("state written again")
        self.problem = None
        self._pause = self._interval
        self.writes += 1
        self.written_at = trio.current_time()
