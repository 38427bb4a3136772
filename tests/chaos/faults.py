"""What is done to the service, drawn from a seed."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from attrs import frozen

__all__ = ["ACTORS", "POLICIES", "Fault", "plan"]

ACTORS = ("supervisor", "recorder", "bridge", "census", "clock", "release", "web", "watch")

# How often each kind strikes, relative to the others. An actor that keeps dying is given growing pauses, so
# those without whom no pick is answered die less often than the many accounts.
WEIGHTS = {
    "account dies": 12,
    "actor dies": 6,
    "all die": 1,
    "clock is set": 4,
    "account is spent": 4,
    "account fails": 2,
    "login dies": 1,
    "library is reloaded": 1,
    "settings change": 3,
    "settings are wrong": 1,
    "service hangs": 1,
    "disk is full": 1,
    "state is blocked": 1,
    "service is killed": 1,
    "service is stopped": 1,
}

# Each of these costs seconds in which no pick is answered.
SLOW = ("service is killed", "service is stopped", "service hangs")

# Picks between two faults, on average.
EVERY = 40

# Picks for each slow fault.
SLOW_EVERY = 1500

# By how many hours a clock is set, at most.
HOURS = 6.0

# The policies that the settings change between.
POLICIES = ("reset_first", "quota_pressure", "balanced")


@frozen
class Fault:
    """It strikes when so many picks have been asked."""

    at: int
    kind: str
    chance: float
    """0 to 1: which one, how long, how far; as the kind has it."""

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"


def plan(seed: int, picks: int) -> list[Fault]:
    """The faults of a storm of *picks* picks, in order. Each kind is there at least once."""
    chance = Random(f"faults {seed}")
    kinds = [*WEIGHTS, *_more(chance, picks)]
    places = sorted(chance.randrange(picks // 10, picks * 9 // 10) for _ in kinds)
    chance.shuffle(kinds)
    return [Fault(at, kind, chance.random()) for at, kind in zip(places, kinds, strict=True)]


def _more(chance: Random, picks: int) -> Iterator[str]:
    most = Counter(dict.fromkeys(SLOW, picks // SLOW_EVERY))
    for _ in range(picks // EVERY - len(WEIGHTS)):
        (kind,) = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
        if kind not in SLOW or most[kind] > 1:
            most[kind] -= 1
            yield kind
