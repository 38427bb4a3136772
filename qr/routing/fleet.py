"""The accounts as the supervisor knows them, with their standings kept ready."""

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field

from qr.routing.account import AccountView
from qr.routing.ranking import ready_key
from qr.routing.request import Candidate, Offer
from qr.routing.rules import Rules
from qr.routing.standing import Contender, Standing, standing

__all__ = ["Fleet"]

# Standings are kept per model. A host serves a handful of models; clients that invent names without end must
# not grow the memory, and a standing costs some ten microseconds to work out again.
MAX_MODELS = 64

FOREVER = float("inf")


@define
class Table:
    """Standings for one model, by account id; all hold from `looked_at` until `valid_until` at least."""

    standings: dict[str, Standing] = field(factory=dict)
    looked_at: float = -FOREVER
    """Asked for last at this time. An earlier one tells that the clock was set back."""
    valid_until: float = FOREVER
    offer: Offer | None = None
    """The one that was asked for last."""
    pool: Sequence[Contender] = ()
    """Its candidates, each with its standing, but for those that have changed since."""
    changed: set[str] = field(factory=set)
    """The accounts whose standing in the pool holds no longer."""

    def put(self, account: str, found: Standing) -> None:
        self.standings[account] = found
        self.valid_until = min(self.valid_until, found.valid_until)

    def reserve(self, account: str, percent: float) -> None:
        found = self.standings.get(account)
        if found is not None:
            self.standings[account] = found.reserving(percent)
            self.changed.add(account)

    def forget(self, account: str) -> None:
        if self.standings.pop(account, None) is not None:
            self.changed.add(account)

    def drop_outdated(self, now: float) -> None:
        back = now < self.looked_at
        for account in [name for name, found in self.standings.items() if back or found.valid_until <= now]:
            self.forget(account)
        self.valid_until = min((found.valid_until for found in self.standings.values()), default=FOREVER)

    def missing(self, offer: Offer) -> Iterable[str]:
        """The accounts of *offer* whose standing may not be there."""
        return self.changed & offer.places.keys() if offer is self.offer else offer.places

    def fill(self, offer: Offer, rules: Rules) -> None:
        """Make *offer* the pool; all its standings are there. Decisions keep the lists of before."""
        if offer is not self.offer:
            self.pool = [self._contender(candidate, rules) for candidate in offer.candidates]
        else:
            pool = self.pool = [*self.pool]
            for place in map(offer.places.__getitem__, self.changed & offer.places.keys()):
                pool[place] = self._contender(offer.candidates[place], rules)
        self.offer = offer
        self.changed.clear()

    def _contender(self, candidate: Candidate, rules: Rules) -> Contender:
        standing = self.standings[candidate.id]
        return Contender(candidate, standing, ready_key(candidate, standing, rules))


class Fleet:
    """Views by account id, reservations, and standings that are worked out only when something changed."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._views: dict[str, AccountView] = {}
        self._reserved: dict[str, float] = {}
        self._tables: dict[str, Table] = {}

    def __iter__(self) -> Iterator[AccountView]:
        return iter(self._views.values())

    def __len__(self) -> int:
        return len(self._views)

    def __contains__(self, account: str) -> bool:
        return account in self._views

    @property
    def rules(self) -> Rules:
        return self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        self._rules = rules
        self._tables.clear()

    def get(self, account: str) -> AccountView | None:
        return self._views.get(account)

    def put(self, view: AccountView) -> None:
        self._views[view.id] = view
        self._forget(view.id)

    def remove(self, account: str) -> None:
        self._views.pop(account, None)
        self._reserved.pop(account, None)
        self._forget(account)

    def reserve(self, account: str, percent: float) -> None:
        """Count *percent* in all on top of what *account* has used, until it is told otherwise."""
        if self.reserved(account) != percent:
            self._reserved[account] = percent
            for table in self._tables.values():
                table.reserve(account, percent)

    def reserved(self, account: str) -> float:
        return self._reserved.get(account, 0.0)

    def standing(self, account: str, provider: str, model: str, now: float) -> Standing:
        """Where *account* stands for *model*; an account that is not known stands as `unknown`."""
        return self._ready((account,), provider, model, now).standings[account]

    def pool(self, offer: Offer, provider: str, model: str, now: float) -> Sequence[Contender]:
        """The candidates of *offer* in their order, and where each stands for *model*."""
        table = self._current(model, now)
        if table.offer is not offer or table.changed:
            self._ready(table.missing(offer), provider, model, now).fill(offer, self._rules)
        return table.pool

    def _ready(self, accounts: Iterable[str], provider: str, model: str, now: float) -> Table:
        table = self._current(model, now)
        for account in accounts:
            if account not in table.standings:
                table.put(account, self._work_out(account, provider, model, now))
        return table

    def _current(self, model: str, now: float) -> Table:
        table = self._table(model)
        if not table.looked_at <= now < table.valid_until:
            table.drop_outdated(now)
        table.looked_at = now
        return table

    def _table(self, model: str) -> Table:
        table = self._tables.get(model)
        if table is None:
            if len(self._tables) >= MAX_MODELS:
                self._tables.pop(next(iter(self._tables)))
            table = self._tables[model] = Table()
        return table

    def _work_out(self, account: str, provider: str, model: str, now: float) -> Standing:
        view = self._views.get(account)
        if view is None:
            return Standing(account, provider, distrust="unknown")
        return standing(view, model, self._rules, self.reserved(account), now)

    def _forget(self, account: str) -> None:
        for table in self._tables.values():
            table.forget(account)
