"""Two weeks of use for the windows of a world: sawtooth by sawtooth, each with its own reach and bend."""

import math
import random

from qr.quota.belief import believed_windows
from qr.quota.history import Refused, Reset, Sample, Samples, Series
from qr.quota.windows import LENGTHS, Window

from .world import World

__all__ = ["remember"]

DAY = 86400.0


def remember(world: World) -> None:
    """Give each window that has a length a past, up to what was read of it."""
    for name, state in world.states.items():
        for window in believed_windows(state.snapshot).values():
            length = LENGTHS.get(window.name.partition(":")[0])
            if length and window.resets_at is not None and window.used_percent is not None:
                world.history[name, window.name] = _series(world, name, window, length)


def _series(world: World, account: str, window: Window, length: float) -> Series:
    """One window's, the last tooth up to what was read."""
    chance = random.Random(f"{account} {window.name}")
    end, ends = window.resets_at or 0.0, []
    while end > world.now - 14 * DAY:
        ends.append(end)
        end -= length
    samples: list[Sample] = []
    resets: list[Reset] = []
    refusals: list[Refused] = []
    for end in reversed(ends):
        current = end == window.resets_at
        reach = (window.used_percent or 0.0) if current else min(100.0, max(6.0, chance.gauss(66, 24)))
        samples += _tooth(world.now, end, length, reach, chance.uniform(0.7, 1.5))
        if not current and end > world.now - 14 * DAY:
            resets.append(Reset(int(end), round(reach, 1)))
            refusals += [Refused(int(end - length * 0.04 * n)) for n in (2, 1) if reach > 97]
    return Series(Samples.of(samples), tuple(resets), tuple(refusals))


def _tooth(now: float, end: float, length: float, reach: float, bend: float) -> list[Sample]:
    start, until = end - length, min(end, now - 60)
    moment, step, found = max(start, now - 14 * DAY), max(900.0, length / 160), []
    while moment < until:
        share = (moment - start) / (min(until, end) - start)
        nights = 0.012 * math.sin(moment / DAY * 2 * math.pi) * min(1, share * 4) * (1 - share)
        found.append(Sample(int(moment), round(max(0.0, min(100.0, reach * (share**bend + nights))), 1)))
        moment += step
    return found
