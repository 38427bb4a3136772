"""What a run comes to: what was wasted, refused, moved and polled."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from attrs import asdict, define, field, frozen

from qr.lab.host import Attempt, Outcome
from qr.lab.meters import Meter
from qr.lab.prompt_cache import LIFETIME, READ, WRITTEN
from qr.lab.provider import Provider
from qr.lab.subscription import Subscription
from qr.lab.traffic import Request

__all__ = ["Figures", "Measures", "Result", "together"]


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


@frozen
class Figures:
    """What one provider's half of a run comes to; tokens are of quota."""

    requests: int
    unserved: int
    picks: int
    handled: int
    causes: Mapping[str, int]
    unavoidable: int
    granted: float
    lost: float
    resets: int
    moves: int
    tokens: int
    paid_again: float
    polls: int
    fairness: float
    events: int
    digest: str


def together(identity: Mapping[str, object], halves: Sequence[Figures], account_hours: float) -> Result:
    """
    The result of a run from its halves.

    Args:
        identity: the scenario's own fields.
        halves: one for each provider, always in the same order.
        account_hours: accounts times hours.

    """

    def total(name: str) -> int:
        return sum(getattr(half, name) for half in halves)

    causes = sum((Counter(half.causes) for half in halves), Counter[str]())
    return Result(
        **identity,  # type: ignore[arg-type]  # the scenario's fields are the result's first
        requests=total("requests"),
        unserved=total("unserved"),
        picks=total("picks"),
        handled=total("handled"),
        refusals=causes["quota"],
        unavoidable=total("unavoidable"),
        other_refusals={cause: count for cause, count in sorted(causes.items()) if cause != "quota"},
        wasted_percent=100.0 * total("lost") / (total("granted") or 1.0),
        resets=total("resets"),
        moves=total("moves"),
        moves_cost_percent=100.0 * total("paid_again") / (total("tokens") or 1),
        polls_per_account_hour=total("polls") / account_hours,
        fairness=sum(half.fairness for half in halves) / len(halves),
        events=total("events"),
        digest=sha256("".join(half.digest for half in halves).encode()).hexdigest(),
    )


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
        accounts = self.provider.subscriptions
        return any(self.provider.could_serve(account, request.model, now) for account in accounts)

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

    def figures(self, *, events: int, digest: str) -> Figures:
        """What the run came to, once it is over."""
        granted, lost, resets = self._waste()
        return Figures(
            requests=self.requests,
            unserved=self.unserved,
            picks=self.picks,
            handled=self.handled,
            causes=dict(self.causes),
            unavoidable=self.unavoidable,
            granted=granted,
            lost=lost,
            resets=resets,
            moves=self.moves,
            tokens=self.tokens.total(),
            paid_again=self.paid_again,
            polls=self.polls,
            fairness=self._fairness(),
            events=events,
            digest=digest,
        )

    def _waste(self) -> tuple[float, float, int]:
        """Tokens of long quota that were granted, those that expired unused, and the resets."""
        granted, lost, resets = 0.0, 0.0, 0
        for known in self.provider.subscriptions.values():
            for spell in known.ledger:
                meter = known.meters[spell.window]
                if _long(meter) and not spell.early:
                    resets += 1
                    granted += meter.capacity
                    lost += meter.capacity * spell.remaining_percent / 100.0
        return granted, lost, resets

    def _fairness(self) -> float:
        """Jain's index over what each account used of its long window."""
        shares = [self.tokens[name] / _capacity(known) for name, known in self.provider.subscriptions.items()]
        squares = sum(share**2 for share in shares)
        return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def _long(meter: Meter) -> bool:
    return meter.limit.kind != "five_hour" and not meter.limit.family


def _capacity(known: Subscription) -> float:
    """Tokens of the account's long window."""
    return max(meter.capacity for meter in known.meters.values() if _long(meter))
