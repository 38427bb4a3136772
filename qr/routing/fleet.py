"""The accounts as the supervisor knows them, with their standings kept ready."""

from collections.abc import Iterator

from qr.routing.account import AccountView
from qr.routing.rules import Rules
from qr.routing.standing import Standing, standing

__all__ = ["Fleet"]

# Standings are kept per model. A host serves a handful of models; clients that invent names without end must
# not grow the memory, and a standing costs some ten microseconds to work out again.
MAX_MODELS = 64


class Fleet:
    """Views by account id, reservations, and standings that are worked out only when something changed."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._views: dict[str, AccountView] = {}
        self._reserved: dict[str, float] = {}
        self._standings: dict[str, dict[str, Standing]] = {}

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
        self._standings.clear()

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
        self._reserved[account] = percent
        self._forget(account)

    def reserved(self, account: str) -> float:
        return self._reserved.get(account, 0.0)

    def standing(self, account: str, provider: str, model: str, now: float) -> Standing:
        """Where *account* stands for *model*; an account that is not known stands as `unknown`."""
        known = self._of_model(model)
        found = known.get(account)
        if found is None or now >= found.valid_until:
            found = known[account] = self._work_out(account, provider, model, now)
        return found

    def _of_model(self, model: str) -> dict[str, Standing]:
        known = self._standings.get(model)
        if known is None:
            if len(self._standings) >= MAX_MODELS:
                self._standings.pop(next(iter(self._standings)))
            known = self._standings[model] = {}
        return known

    def _work_out(self, account: str, provider: str, model: str, now: float) -> Standing:
        view = self._views.get(account)
        if view is None:
            return Standing(account, provider, distrust="unknown")
        return standing(view, model, self._rules, self.reserved(account), now)

    def _forget(self, account: str) -> None:
        for known in self._standings.values():
            known.pop(account, None)
