"""What a run comes to: what was wasted, refused, moved and polled."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from attrs import asdict, define, field, frozen

from qr.lab.host import Attempt, Outcome
from qr.lab.meters import Meter
from qr.lab.prompt_cache import LIFETIME, READ, WRITTEN
from qr.lab.provider import Provider
from qr.lab.traffic import Request
from qr.quota.windows import HOUR

__all__ = ["Measures", "Result"]


@frozen
class Result:
    """One run. Percents are 0 to 100; two runs with the same seed are equal."""

    policy: str
    seed: int
    days: float
    accounts: int
    sessions: int
    faults: str
    requests: int
    unserved: int
    """Requests that no account served."""
    picks: int
    handled: int
    """Picks that the plugin decided."""
    refusals: int
    """Refusals for want of quota."""
    unavoidable: int
    """Those among them that a perfect router would have met too: nobody had room."""
    other_refusals: Mapping[str, int]
    """By cause: the provider's, not quota's."""
    wasted_percent: float
    """Of all long quota that was reset: what expired unused."""
    resets: int
    """Of long windows, at their time."""
    moves: int
    """Requests served by another account than the one before in their thread."""
    moves_cost_percent: float
    """Of all tokens: what was paid again because a cached prompt was left behind."""
    polls_per_account_hour: float
    fairness: float
    """Jain's index over the accounts' use of their long windows, 1 is even; the mean of the providers."""
    events: int
    digest: str

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


@define(eq=False)
class Measures:
    """Counts as a run goes on."""

    provider: Provider
    causes: Counter[str] = field(factory=Counter)
    unavoidable: int = 0
    requests: int = 0
    unserved: int = 0
    picks: int = 0
    handled: int = 0
    moves: int = 0
    polls: int = 0
    tokens: Counter[str] = field(factory=Counter)
    """By account."""
    paid_again: float = 0.0
    _last: dict[str, tuple[str, float]] = field(factory=dict)
    """Who served a thread last, and when."""

    def attempted(self, request: Request, attempt: Attempt) -> None:
        """A provider was asked."""
        self.picks += 1
        self.handled += attempt.handled
        answer = attempt.answer
        if answer.cause:
            self.causes[answer.cause] += 1
            if answer.cause == "quota" and not self._anybody(request, attempt.at):
                self.unavoidable += 1
        else:
            self.tokens[attempt.account] += answer.tokens
            self._served(request, attempt)

    def _anybody(self, request: Request, now: float) -> bool:
        known = self.provider.subscriptions.values()
        own = [one.account.id for one in known if one.account.provider == request.provider]
        return any(self.provider.could_serve(account, request.model, now) for account in own)

    def _served(self, request: Request, attempt: Attempt) -> None:
        thread = request.names.thread
        account, at = self._last.get(thread, (attempt.account, attempt.at))
        if account != attempt.account:
            self.moves += 1
            if attempt.at - at < LIFETIME and not attempt.cached:
                self.paid_again += request.context * (WRITTEN - READ)
        self._last[thread] = attempt.account, attempt.at

    def ended(self, outcome: Outcome) -> None:
        """A client's request has ended."""
        self.requests += 1
        self.unserved += outcome.served is None

    def result(self, identity: Mapping[str, object], *, seconds: float, events: int, digest: str) -> Result:
        """The whole run, once it is over."""
        accounts = len(self.provider.subscriptions)
        wasted, resets = self._waste()
        others = {cause: count for cause, count in sorted(self.causes.items()) if cause != "quota"}
        return Result(
            **identity,  # type: ignore[arg-type]  # the run's own names and numbers
            requests=self.requests,
            unserved=self.unserved,
            picks=self.picks,
            handled=self.handled,
            refusals=self.causes["quota"],
            unavoidable=self.unavoidable,
            other_refusals=others,
            wasted_percent=wasted,
            resets=resets,
            moves=self.moves,
            moves_cost_percent=100.0 * self.paid_again / max(self.tokens.total(), 1),
            polls_per_account_hour=self.polls / accounts / (seconds / HOUR),
            fairness=self._fairness(),
            events=events,
            digest=digest,
        )

    def _waste(self) -> tuple[float, int]:
        lost = granted = resets = 0.0
        for known in self.provider.subscriptions.values():
            for spell in known.ledger:
                meter = known.meters[spell.window]
                if _long(meter) and not spell.early:
                    resets += 1
                    granted += meter.capacity
                    lost += meter.capacity * spell.remaining_percent / 100.0
        return (100.0 * lost / granted if granted else 0.0), int(resets)

    def _fairness(self) -> float:
        shares: Mapping[str, list[float]] = defaultdict(list)
        for known in self.provider.subscriptions.values():
            capacity = max(meter.capacity for meter in known.meters.values() if _long(meter))
            shares[known.account.provider].append(self.tokens[known.account.id] / capacity)
        return sum(map(_jain, shares.values())) / max(len(shares), 1)


def _long(meter: Meter) -> bool:
    return meter.limit.kind != "five_hour" and not meter.limit.family


def _jain(shares: Iterable[float]) -> float:
    known = list(shares)
    squares = sum(share**2 for share in known)
    return sum(known) ** 2 / (len(known) * squares) if squares else 1.0
