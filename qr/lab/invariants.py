"""What must hold at every step of every run, whatever the faults; checked against what providers told."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from attrs import define, field

from qr.lab.bounds import outgrown, rooms
from qr.lab.events import Events
from qr.lab.machine import MachineClock
from qr.lab.meters import Meter
from qr.lab.subscription import Subscription
from qr.lab.told import Told
from qr.quota.windows import HOUR, applies, remaining_percent
from qr.routing.account import AccountView
from qr.routing.bindings import Binding
from qr.routing.decision import Decision
from qr.system import House

__all__ = ["Invariants"]

# Polls of one account: twelve regular ones an hour, two around each of a few resets, some to confirm.
POLLS_PER_HOUR = 40

# What has grown or died stays so, and what grows by one with each step is found within a thousand, long
# before it is a burden. To look takes as long as some ten steps do.
SWEEP_EVERY = 1000


@define(eq=False)
class Invariants:
    """Watches one house."""

    house: House
    events: Events
    machine: MachineClock
    """What the house goes by; all times here are the world's."""
    _told: Told = field(init=False)
    _bindings: dict[tuple[str, str], Binding] = field(factory=dict)
    """As the last decision left them."""
    _served_by: dict[tuple[str, str], str] = field(factory=dict)
    _polls: Mapping[str, deque[float]] = field(factory=lambda: defaultdict(deque))
    _views: Mapping[str, AccountView] = field(factory=dict)
    """As a pick finds them."""
    _fed: int = 0
    """The last change in the feed that was looked at."""
    _steps: int = 0

    def __attrs_post_init__(self) -> None:
        self._told = Told(self.machine)

    def told(self, known: Subscription, meters: Iterable[Meter], now: float) -> None:
        """An answer told of these windows of an account."""
        self._told.add(known.account.id, meters, now)

    def polled(self, account: str, now: float) -> None:
        """Polls never exceed their budget."""
        polls = self._polls[account]
        polls.append(now)
        while polls[0] <= now - HOUR:
            polls.popleft()
        self._hold(len(polls) <= POLLS_PER_HOUR, f"{len(polls)} polls of one account within an hour")

    def settled(self) -> None:
        """Look at every account that has changed, and now and then at what may not grow."""
        for view in self._changed():
            self._seen(view)
        self._hold(not self.house.supervisor.reasons["error"], "a message failed")
        self._steps += 1
        if self._steps % SWEEP_EVERY == 0:
            self.sweep()

    def sweep(self) -> None:
        """Look at what leaves a trace, and need not be looked at in every step."""
        lives = (*self.house.lives.values(), *(room.life for room in rooms(self.house)))
        died = [life.name for life in lives if life.restarts]
        self._hold(not died, f"an actor failed: {', '.join(died)}")
        too_large = outgrown(self.house)
        self._hold(not too_large, f"something has outgrown its bound: {'; '.join(too_large)}")

    def _changed(self) -> Iterable[AccountView]:
        """Every change of an account is told to the feed; when that has forgotten some, look at all."""
        fleet, feed, seen = self.house.supervisor.fleet, self.house.feed, self._fed
        if feed.number == seen:
            return ()
        self._fed = feed.number
        changes = feed.since(seen)
        if changes is None:
            return list(fleet)
        views = (fleet.get(change.key) for change in changes if change.kind == "account")
        return [view for view in views if view is not None]

    def _seen(self, view: AccountView) -> None:
        if self.machine.unnoticed:
            # What was told before a step back lies in the future now, and counts as infinitely old. Once the
            # step is noticed, every account tells anew what it is.
            return
        for name, window in view.windows.items():
            used = window.used_percent
            self._hold(window.observed_at <= self.machine.now(), f"{name} was observed in the future")
            if used is not None:
                self._hold(remaining_percent(used) + used == 100.0, f"{name}: remaining and used are not 100")
                self._hold(self._told.holds(view, window), f"{name} shows {used} %, which no answer told")

    def picking(self) -> None:
        """A pick is about to be decided on the views as they are now."""
        self._views = {view.id: view for view in self.house.supervisor.fleet}

    def decided(self, decision: Decision) -> None:
        """Check a decision against what was known when it was made."""
        if self.machine.unnoticed:
            # Standings are kept by the clock, and for some seconds they may be those of another time.
            return
        if decision.account is not None and self._exhausted(decision.account, decision):
            usable = [one for one in decision.pool if self._usable(one.id, decision)]
            self._hold(not usable, "an exhausted account was chosen while a usable one was offered")
        if decision.reason == "no_trusted_quota":
            ranked = [one.id for one in decision.pool if one.standing.usable and one.standing.trusted]
            self._hold(not ranked, "nobody was chosen although somebody could be ranked")
        self._followed(decision)

    def _followed(self, decision: Decision) -> None:
        """No session moves without a cause, and each comes home."""
        session = decision.question.session
        if session is None or decision.account is None:
            return
        name = decision.question.provider, session
        before, last = self._bindings.get(name), self._served_by.get(name)
        if before is not None:
            rebound = decision.reason.startswith("rebind:")
            home = decision.account == before.account
            moved = decision.account != last
            caused = home or rebound or decision.reason == "paid_usage" or "failover:" in decision.reason
            self._hold(not moved or caused, f"a session moved, and the reason was {decision.reason}")
            offered = before.account in decision.question.offer.places
            away = not home and offered and self._usable(before.account, decision)
            self._hold(not away, "a session did not come home")
        if decision.binding is not None:
            self._bindings[name] = decision.binding
        self._served_by[name] = decision.account

    def _usable(self, account: str, decision: Decision) -> bool:
        view, now = self._views.get(account), decision.at
        if view is None or view.disabled or view.paused or view.login == "dead":
            return False
        return not (view.circuit_closed_to(now) or self._exhausted(account, decision))

    def _exhausted(self, account: str, decision: Decision) -> bool:
        view = self._views.get(account)
        return view is not None and any(
            applies(name, decision.question.model)
            and (window.exhausted(decision.at) or window.served_by_credits(decision.at))
            for name, window in view.windows.items()
        )

    def _hold(self, holds: bool, invariant: str) -> None:
        if not holds:
            raise self.events.violated(invariant)
