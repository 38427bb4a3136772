"""One simulated subscription: what is used of its windows, its login, and what happens to both by itself.

Time is a parameter and chance is seeded by the account's id, so what happens to one account depends on
nothing that is asked of the others.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, inf
from random import Random
from typing import Literal

from attrs import define, field, frozen

from qr.lab.chance import chance
from qr.lab.faults import Faults
from qr.lab.meters import Echo, Meter, Spell
from qr.lab.plans import UNIT, Limit, Plan
from qr.quota.windows import DAY, HOUR

__all__ = ["Account", "Login", "Subscription"]

Login = Literal["ok", "revoked"]

MINUTE, WEEK = 60.0, 7 * DAY

# How long the old use is shown beside the new reset, in seconds (evidence, section 7.2).
SHORTEST_ECHO, LONGEST_ECHO = 5.0, 60.0

# Somebody notices a dead login and logs in again after so many seconds.
SOONEST_LOGIN, LATEST_LOGIN = HOUR, 12 * HOUR

# The owner's own use comes in pieces, so many seconds apart on average.
OUTSIDE_EVERY = 2 * HOUR

# By how far a calendar moves, in seconds (evidence, section 7.4).
DRIFT_BACK, DRIFT_AHEAD = -12 * HOUR, 24 * HOUR


@frozen
class Account:
    """A subscription as it is bought, and as the host's auth file names it."""

    id: str
    plan: Plan
    label: str = ""
    priority: int = 0
    used: Mapping[str, float] = field(factory=dict, hash=False)
    """Percent of each window that is used when the simulation begins."""
    resets_in: Mapping[str, float] = field(factory=dict, hash=False)
    """Seconds from the beginning until a window's first reset; without: by chance, or not started."""

    @property
    def provider(self) -> str:
        return self.plan.provider


@define(eq=False)
class Subscription:
    """The truth about one account. `advance` before looking."""

    account: Account
    faults: Faults
    chance: Random
    began_at: float
    unit: float = UNIT
    """Tokens in five hours of the smallest plan."""
    speed: float = 1.0
    """So many times faster than real ones its windows pass."""
    meters: dict[str, Meter] = field(init=False)
    login: Login = "ok"
    changed_at: float = 0.0
    """When somebody logged in last."""
    ledger: list[Spell] = field(factory=list)
    """The windows that have ended."""
    _applying: dict[str, Sequence[Meter]] = field(factory=dict)
    """By model; there is a handful of models."""
    _due: dict[str, float] = field(init=False)
    """When each thing that happens by itself happens next."""
    _next: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.changed_at = self.began_at
        self.meters = {meter.limit.window: meter for meter in map(self._meter, self.account.plan.limits)}
        self._due = {name: self._when(name, self.began_at) for name in self._happenings}
        self._plan_ahead()

    def _meter(self, limit: Limit) -> Meter:
        capacity = limit.size * self.unit
        used = self.account.used.get(limit.window, 0.0) / 100.0 * capacity
        ahead = self.account.resets_in.get(limit.window)
        if ahead is None and (limit.anchored or used):
            ahead = self._anchor(limit)
        return Meter(limit, capacity, self.speed, None if ahead is None else self.began_at + ahead, used)

    def _anchor(self, limit: Limit) -> float:
        """By chance; the calendar of an account is one for all its windows of the same kind."""
        length, mark = self._passing(limit.length), self._passing(limit.mark)
        at = self.began_at + chance(self.account.id, limit.kind).uniform(0.02, 1.0) * length
        return ceil(at / mark) * mark - self.began_at

    @property
    def _happenings(self) -> Mapping[str, tuple[float, Callable[[float], None]]]:
        """What happens by itself: how often a week, and how."""
        faults = self.faults
        return {
            "early_reset": (faults.early_resets, self._reset_early),
            "drift": (faults.drifts, self._drift),
            "revoked": (faults.revoked, self._revoke),
            "outside": (WEEK / OUTSIDE_EVERY if faults.outside else 0.0, self._use_outside),
            "login": (0.0, self._log_in),
        }

    def _when(self, name: str, now: float) -> float:
        rate, _ = self._happenings[name]
        return now + self._passing(self.chance.expovariate(rate / WEEK)) if rate else inf

    def _passing(self, seconds: float) -> float:
        """How long the time takes in which *seconds* of real life happen."""
        return seconds / self.speed

    def _plan_ahead(self) -> None:
        resets = (meter.resets_at for meter in self.meters.values() if meter.resets_at is not None)
        self._next = min((*resets, *self._due.values()))

    def advance(self, now: float) -> None:
        """Let everything happen that happens by itself until *now* (epoch seconds), in its order."""
        while self._next <= now:
            at = self._next
            for meter in self.meters.values():
                if meter.resets_at is not None and meter.resets_at <= at:
                    self._end(meter, at, early=False)
            for name, due in self._due.items():
                if due <= at:
                    self._due[name] = self._when(name, at)
                    self._happenings[name][1](at)
            self._plan_ahead()

    def burn(self, model: str, tokens: float, now: float) -> None:
        """A request of *model* used so many tokens."""
        self.start(model, now)
        for meter in self.applying(model):
            meter.burn(tokens, now)

    def start(self, model: str, now: float) -> None:
        """The first use sets the clocks of the windows that count *model*, before anything is counted."""
        waiting = [meter for meter in self.applying(model) if meter.resets_at is None]
        for meter in waiting:
            meter.start(now)
        if waiting:
            self._plan_ahead()

    def applying(self, model: str) -> Sequence[Meter]:
        """The windows that count *model*."""
        known = self._applying.get(model)
        if known is None:
            counting = [meter for meter in self.meters.values() if meter.limit.counts(model)]
            known = self._applying[model] = counting
        return known

    def refusing(self, model: str) -> list[Meter]:
        """The windows that have no room for *model*, the one that returns last at the end."""
        spent = [meter for meter in self.applying(model) if meter.full]
        return sorted(spent, key=lambda meter: (meter.resets_at or 0.0, not meter.limit.family))

    def could_serve(self, model: str) -> bool:
        """Whether a request of *model* would be served now, chance aside."""
        return self.login == "ok" and not self.refusing(model)

    @property
    def unchanged_until(self) -> float:
        """Nobody logs in before then, whatever happens (epoch seconds)."""
        return min(self._due["login"], self._due["revoked"] + self._passing(SOONEST_LOGIN))

    def _end(self, meter: Meter, now: float, *, early: bool) -> None:
        if meter.resets_at is not None:
            self.ledger.append(Spell(self.account.id, meter.limit.window, now, meter.used_percent, early))
        if self.chance.random() < self.faults.mixtures:
            until = now + self._passing(self.chance.uniform(SHORTEST_ECHO, LONGEST_ECHO))
            meter.echo = Echo(min(meter.fraction, 0.99), until)
        meter.reset(now)

    def _reset_early(self, now: float) -> None:
        for meter in self.meters.values():
            self._end(meter, now, early=True)

    def _drift(self, now: float) -> None:
        moved = self._passing(self.chance.uniform(DRIFT_BACK, DRIFT_AHEAD))
        for meter in self.meters.values():
            if meter.limit.anchored and meter.resets_at is not None:
                meter.resets_at = max(meter.resets_at + moved, now + self._passing(MINUTE))

    def _revoke(self, now: float) -> None:
        if self.login == "ok":
            self.login = "revoked"
            self._due["login"] = now + self._passing(self.chance.uniform(SOONEST_LOGIN, LATEST_LOGIN))

    def _log_in(self, now: float) -> None:
        self.login = "ok"
        self.changed_at = now

    def _use_outside(self, now: float) -> None:
        """The owner uses the account elsewhere; with a full window he cannot either."""
        model = ""
        if not self.refusing(model):
            long = next(meter for meter in self.meters.values() if meter.limit.kind != "five_hour")
            pieces = long.limit.length / OUTSIDE_EVERY
            tokens = long.capacity * self.faults.outside / pieces * self.chance.expovariate(1.0)
            self.burn(model, tokens, now)
