"""How a window was used over time: two weeks, downsampled, with its resets and refusals.

A series is a value; each observation makes the next one. Times are whole epoch seconds, percents are 0 to
100.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import msgspec
from attrs import evolve, field, frozen

from qr.quota.windows import DAY, Window

__all__ = ["DAYS", "MAX_SAMPLES", "Refused", "Reset", "Sample", "Samples", "Series", "recorded"]

DAYS = 14

# One sample each ten minutes of the last day is what a burn-down needs; before that one an hour: together
# some 450 for two weeks, in a few kilobytes.
FINE, COARSE = 600, 3600
FINE_FOR = DAY

# A day of fine samples may be there twice until it is thinned, when a step of the clock repeats it.
MAX_SAMPLES = int(2 * FINE_FOR // FINE + DAYS * DAY // COARSE)

# A five-hour window resets up to 68 times in two weeks.
MAX_EVENTS = 80


class Sample(msgspec.Struct, frozen=True, gc=False):
    """The newest reading of its interval."""

    at: int
    used_percent: float


# Stands for the last sample where there is none.
BEFORE = Sample(0, -1.0)


class Samples(Sequence[Sample]):
    """Samples in columns, six bytes each: a thousand accounts keep more than a million of them."""

    __slots__ = ("_at", "_tenths")

    def __init__(self, at: Iterable[int] = (), used_percent: Iterable[float] = ()) -> None:
        """A column that is shorter than the other ends both."""
        self._at = array("I", at)
        self._tenths = array("H", [round(percent * 10) for percent in used_percent])
        self._even()

    def _even(self) -> None:
        del self._at[len(self._tenths) :], self._tenths[len(self._at) :]

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> "Samples":
        known = tuple(samples)
        return cls([one.at for one in known], [one.used_percent for one in known])

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[Sample]:
        return (Sample(at, tenths / 10) for at, tenths in zip(self._at, self._tenths, strict=True))

    @overload
    def __getitem__(self, place: int) -> Sample: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Sample, ...]: ...
    def __getitem__(self, place: int | slice) -> Sample | tuple[Sample, ...]:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Samples):
            return (self._at, self._tenths) == (other._at, other._tenths)
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # equal to any sequence of the same samples

    @classmethod
    def unpacked(cls, at: bytes, tenths: bytes) -> "Samples":
        """
        What `packed` gave; a column that is shorter than the other ends both.

        Raises:
            ValueError: a column ends amid a number.
        """
        samples = cls()
        samples._at.frombytes(at)
        samples._tenths.frombytes(tenths)
        samples._even()
        return samples

    def packed(self) -> tuple[bytes, bytes]:
        """
        The times in four bytes each, and the tenths of a percent in two.

        They are little-endian, as is every machine that the host is built for.
        """
        return self._at.tobytes(), self._tenths.tobytes()

    def last(self) -> Sample | None:
        """The newest one; None when there is none."""
        return Sample(self._at[-1], self._tenths[-1] / 10) if self._at else None

    def with_last(self, sample: Sample, *, instead: bool) -> "Samples":
        """One more, or another one *instead* of the last."""
        longer, end = Samples((sample.at,), (sample.used_percent,)), len(self) - instead
        longer._at, longer._tenths = self._at[:end] + longer._at, self._tenths[:end] + longer._tenths
        return longer

    def thinned(self) -> "Samples":
        """What is older than a day is kept by the hour, and what is older than two weeks goes."""
        newest = self._at[-1] if self._at else 0
        latest = {_interval(one.at, newest): one for one in self}
        return Samples.of(one for one in latest.values() if one.at > newest - DAYS * DAY)


class Reset(msgspec.Struct, frozen=True, gc=False):
    """A window began anew; what it had left by then was wasted."""

    at: int
    used_percent: float


class Refused(msgspec.Struct, frozen=True, gc=False):
    """A window was confirmed exhausted."""

    at: int


def _packed(samples: Iterable[Sample]) -> Samples:
    return samples if isinstance(samples, Samples) else Samples.of(samples)


@frozen
class Series:
    """One window of one account, the oldest first."""

    samples: Samples = field(factory=Samples, converter=_packed)
    resets: tuple[Reset, ...] = ()
    refusals: tuple[Refused, ...] = ()


def recorded(series: Series, before: Window | None, after: Window, *, reset_jitter: float) -> Series:
    """
    The series once *after* is believed where *before* was; the same one when nothing is to be added.

    Only what was read is recorded: a reset counts when a reading shows it, at the time for which it was
    announced.
    """
    if before is not None and after.observed_at < before.observed_at:
        return series
    reset = _reset(before, after, reset_jitter)
    if reset is not None:
        series = evolve(series, resets=(*series.resets, reset)[-MAX_EVENTS:])
    if after.exhausted_until is not None and (before is None or before.exhausted_until is None):
        series = evolve(series, refusals=(*series.refusals, Refused(int(after.observed_at)))[-MAX_EVENTS:])
    if after.used_percent is None:
        return series
    return _with_sample(series, Sample(int(after.observed_at), round(after.used_percent, 1)))


def _reset(before: Window | None, after: Window, reset_jitter: float) -> Reset | None:
    """The reset that lies between two readings: less is used, and another reset is announced."""
    if before is None or before.used_percent is None or after.used_percent is None:
        return None
    if after.used_percent >= before.used_percent or not _moved(
        before.resets_at, after.resets_at, reset_jitter
    ):
        return None
    at = after.observed_at if before.resets_at is None else min(before.resets_at, after.observed_at)
    return Reset(int(at), round(before.used_percent, 1))


def _moved(before: float | None, after: float | None, reset_jitter: float) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) >= reset_jitter


def _with_sample(series: Series, sample: Sample) -> Series:
    """The newest sample of an interval stands for it; one that says the same again adds nothing."""
    last = series.samples.last() or BEFORE
    same = last.at // FINE == sample.at // FINE
    if same and last.used_percent == sample.used_percent:
        return series
    samples = series.samples.with_last(sample, instead=same)
    # Once an hour is soon enough: until then at most five fine samples are kept that could be one.
    if last.at // COARSE != sample.at // COARSE:
        samples = samples.thinned()
    return Series(samples, series.resets, series.refusals)


def _interval(at: int, newest: int) -> tuple[int, int]:
    length = FINE if at > newest - FINE_FOR else COARSE
    return length, at // length
