"""What must hold at every step of every run, whatever the faults; checked against what providers told."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from attrs import define, field, frozen

from qr.lab.bounds import outgrown, rooms
from qr.lab.events import Events
from qr.lab.meters import Meter
from qr.lab.provider import FIRST_BYTE, Pace
from qr.lab.subscription import Subscription
from qr.quota.windows import HOUR, Window, applies, remaining_percent
from qr.routing.account import AccountView
from qr.routing.bindings import Binding
from qr.routing.decision import Decision
from qr.system import House

__all__ = ["Invariants"]

# What the provider showed of a window is remembered for so many answers: the records of an account's busiest
# minute may still be on their way.
SHOWN = 512

# Percents are told in whole numbers, or in two decimals of a fraction.
ROUNDING = 1.0

# Claude's resets wobble by two seconds; Codex' may be told ten minutes off (evidence, section 7.1).
RESET_OFF = {"claude": 2.0, "codex": 601.0}

# A headers' observation is as old as their arrival, the state behind them as the request's.
HEADERS_LATER = Pace().served[1] * FIRST_BYTE + 1.0

# Polls of one account: twelve regular ones an hour, two around each of a few resets, some to confirm.
POLLS_PER_HOUR = 40

# What has grown or died stays so, and what grows by one with each step is found within a thousand, long
# before it is a burden. To look takes as long as some ten steps do.
SWEEP_EVERY = 1000


@frozen
class Shown:
    """What an answer told of a window."""

    at: float
    used_percent: float
    resets_at: float


@define(eq=False)
class Invariants:
    """Watches one house."""

    house: House
    events: Events
    _bindings: dict[tuple[str, str], Binding] = field(factory=dict)
    """As the last decision left them."""
    _served_by: dict[tuple[str, str], str] = field(factory=dict)
    _shown: Mapping[tuple[str, str], deque[Shown]] = field(
        factory=lambda: defaultdict(lambda: deque(maxlen=SHOWN))
    )
    _polls: Mapping[str, deque[float]] = field(factory=lambda: defaultdict(deque))
    _views: Mapping[str, AccountView] = field(factory=dict)
    """As a pick finds them."""
    _fed: int = 0
    """The last change in the feed that was looked at."""
    _steps: int = 0

    def told(self, known: Subscription, meters: Iterable[Meter], now: float) -> None:
        """An answer told of these windows of an account."""
        for meter in meters:
            resets_at = now + meter.length if meter.resets_at is None else meter.resets_at
            percent = min(100.0, 100.0 * meter.shown(now))
            self._shown[known.account.id, meter.limit.window].append(Shown(now, percent, resets_at))

    def polled(self, account: str, now: float) -> None:
        """Polls never exceed their budget."""
        polls = self._polls[account]
        polls.append(now)
        while polls[0] <= now - HOUR:
            polls.popleft()
        self._hold(len(polls) <= POLLS_PER_HOUR, f"{len(polls)} polls of one account within an hour")

    def settled(self, now: float) -> None:
        """Look at every account that has changed, and now and then at what may not grow."""
        for view in self._changed():
            self._seen(view, now)
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
        self._fed = feed.number
        changes = feed.since(seen)
        if changes is None:
            return list(fleet)
        views = (fleet.get(change.key) for change in changes if change.kind == "account")
        return [view for view in views if view is not None]

    def _seen(self, view: AccountView, now: float) -> None:
        for name, window in view.windows.items():
            used = window.used_percent
            self._hold(window.observed_at <= now, f"{name} was observed in the future")
            if used is not None:
                self._hold(remaining_percent(used) + used == 100.0, f"{name}: remaining and used are not 100")
                self._hold(self._was_shown(view, window), f"{name} shows {used} %, which no answer told")

    def _was_shown(self, view: AccountView, window: Window) -> bool:
        """No window is assumed to be reset, and none is newer than its evidence."""
        for shown in reversed(self._shown[view.id, window.name]):
            if shown.at > window.observed_at:
                continue
            if shown.at < window.observed_at - HEADERS_LATER:
                return False
            same_reset = window.resets_at is None or (
                abs(window.resets_at - shown.resets_at) <= RESET_OFF[view.provider]
            )
            if same_reset and abs(shown.used_percent - (window.used_percent or 0.0)) <= ROUNDING:
                return True
        return False

    def picking(self) -> None:
        """A pick is about to be decided on the views as they are now."""
        self._views = {view.id: view for view in self.house.supervisor.fleet}

    def decided(self, decision: Decision) -> None:
        """Check a decision against what was known when it was made."""
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
            offered = before.account in decision.question.ids
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
