"""The pick: which candidate serves a request, and why (specification, section 4).

`decide` is a function of its arguments alone and changes nothing: what becomes of the binding stands
in the decision, and the owner of the table writes it there.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from qr.quota.windows import limits
from qr.routing.account import PROVIDERS
from qr.routing.bindings import Binding, Lookup
from qr.routing.fleet import Fleet
from qr.routing.policies import POLICIES
from qr.routing.question import Question
from qr.routing.ranking import choose, last_resort, rankable
from qr.routing.rules import Rules
from qr.routing.standing import Contender, Standing

__all__ = ["Change", "Choice", "Decision", "decide"]

Change = Literal["bound", "stand_in", "home"]

# The troubles that a session does not wait out: it is bound anew.
PERMANENT = ("removed", "disabled", "auth_failed")


class Choice(msgspec.Struct, frozen=True, gc=False):
    """An account, and the reason for it."""

    account: str
    reason: str


class Decision(msgspec.Struct, frozen=True, gc=False):
    """The answer, with all that is needed to explain it later."""

    question: Question
    reason: str
    account: str | None = None
    """None: not handled, the host's own scheduler picks."""
    binding: Binding | None = None
    """The session's binding afterwards; None when it has none."""
    change: Change | None = None
    """What became of the binding: `bound` anew, a `stand_in` found, gone `home`."""
    would: Choice | None = None
    """In shadow: the choice that was kept."""
    at: float = 0.0
    pool: Sequence[Contender] = ()
    """The candidates in their order, and where they stood."""
    ranked: Sequence[Contender] = ()
    """Those that took part in a ranking."""
    home: Standing | None = None
    """Where the bound account stood, when it was not offered."""
    rules: Rules = Rules()

    @property
    def handled(self) -> bool:
        return self.account is not None

    @property
    def chosen(self) -> Choice | None:
        """The choice that was made, also when shadow kept it back."""
        return self.would or (Choice(self.account, self.reason) if self.account is not None else None)


def decide(question: Question, bindings: Lookup, fleet: Fleet, now: float) -> Decision:
    """
    Choose an account for *question*.

    Args:
        question: what the host asks.
        bindings: the table; in shadow, the one of its own.
        fleet: the accounts as they are known, and the rules in force.
        now: epoch seconds.

    """
    pick = _Pick(question, bindings, fleet, now)
    refusal = _left_to_host(question, fleet.rules)
    decision = pick.unhandled(refusal) if refusal else pick.decide()
    return _kept_back(decision) if fleet.rules.mode == "shadow" else decision


def _left_to_host(question: Question, rules: Rules) -> str | None:
    if rules.mode == "off":
        return "off"
    if len(question.providers) > 1:
        return "mixed_providers"
    return None if question.provider in PROVIDERS else "unsupported_provider"


def _kept_back(decision: Decision) -> Decision:
    """Shadow answers "not handled"; what is not handled anyway keeps its own reason."""
    if decision.account is None:
        return decision
    would = Choice(decision.account, decision.reason)
    return replace(decision, account=None, reason="shadow", would=would)


class _Pick:
    """One pick under way: the situation, and the steps of section 4 in their order."""

    def __init__(self, question: Question, bindings: Lookup, fleet: Fleet, now: float) -> None:
        self.question = question
        self.bindings = bindings
        self.fleet = fleet
        self.rules = fleet.rules
        self.now = now
        self.offered = question.offer.places
        self.pool = fleet.pool(question.offer, question.provider, question.model, now)
        self.binding = self.bound(question.session)

    def bound(self, session: str | None) -> Binding | None:
        if session is None:
            return None
        for provider in self.question.providers:
            binding = self.bindings.get(provider, session)
            if binding is not None:
                return binding
        return None

    def decide(self) -> Decision:
        if self.question.pinned:
            return self.pinned(self.question.pinned)
        if self.binding is None:
            return self.newcomer()
        trouble = self.trouble(self.binding.account)
        if trouble is None:
            return self.at_home(self.binding)
        if trouble in PERMANENT:
            return self.rebind(self.binding, trouble)
        if trouble == "exhausted" and self.away_too_long(self.binding):
            return self.rebind(self.binding, "away_too_long")
        return self.failover(self.binding, trouble)

    def pinned(self, account: str) -> Decision:
        if account not in self.offered:
            return self.unhandled("pinned_not_offered")
        return self.answer(account, "pinned", self.binding)

    def newcomer(self) -> Decision:
        parent = self.bound(self.question.parent) if self.rules.inherit_parent else None
        if parent is not None and self.trouble(parent.account) is None:
            return self.bind(parent.account, "inherit")
        return self.bind_first(f"policy:{self.rules.policy}")

    def at_home(self, binding: Binding) -> Decision:
        if binding.stand_in is None or self.still_refuses(binding.account):
            return self.answer(binding.account, "affinity", binding)
        return self.answer(binding.account, "affinity", replace(binding, stand_in=None), "home")

    def rebind(self, binding: Binding, cause: str) -> Decision:
        if binding.stand_in is not None and self.trouble(binding.stand_in) is None:
            return self.bind(binding.stand_in, f"rebind:{cause}")
        return self.bind_first(f"rebind:{cause}")

    def failover(self, binding: Binding, cause: str) -> Decision:
        if binding.stand_in is not None and self.trouble(binding.stand_in) is None:
            return self.answer(binding.stand_in, f"failover:{cause}", binding)
        ranked, paid = self.ranking()
        reason = "paid_usage" if paid else f"failover:{cause}"
        if binding.account in (one.id for one in ranked):
            # Only a last resort ranks accounts that are not usable: then the thread may as well stay.
            return self.answer(binding.account, "paid_usage" if paid else "affinity", binding, ranked=ranked)
        chosen = choose(ranked, self.rules, self.now)
        if chosen is None:
            return self.unhandled("no_trusted_quota")
        return self.answer(chosen.id, reason, replace(binding, stand_in=chosen.id), "stand_in", ranked)

    def bind_first(self, reason: str) -> Decision:
        ranked, paid = self.ranking()
        chosen = choose(ranked, self.rules, self.now)
        if chosen is None:
            return self.unhandled("no_trusted_quota")
        return self.bind(chosen.id, "paid_usage" if paid else reason, ranked)

    def bind(self, account: str, reason: str, ranked: Sequence[Contender] = ()) -> Decision:
        if self.question.session is None:
            return self.answer(account, reason, None, ranked=ranked)
        binding = Binding(account, bound_at=self.now, used_at=self.now)
        return self.answer(account, reason, binding, "bound", ranked)

    def ranking(self) -> tuple[Sequence[Contender], bool]:
        """Who may be ranked, and whether only paid credits serve them: the last resort, if allowed."""
        policy = POLICIES[self.rules.policy]
        if ranked := rankable(self.pool, policy):
            return ranked, False
        paid = [one for one in self.pool if one.standing.only_paid and self.rules.paid_usage == "allow"]
        # Whom credits serve goes before whom nothing serves.
        return (paid, True) if paid else (last_resort(self.pool, policy), False)

    def trouble(self, account: str) -> str | None:
        """The first cause that keeps requests from *account*, in the words of a decision; None: usable."""
        if account in self.offered:
            return self.standing(account).trouble
        if account not in self.fleet:
            return "removed"
        return self.standing(account).trouble or "not_offered"

    def standing(self, account: str) -> Standing:
        place = self.offered.get(account)
        if place is not None:
            return self.pool[place].standing
        return self.fleet.standing(account, self.question.provider, self.question.model, self.now)

    def away_too_long(self, binding: Binding) -> bool:
        until = self.standing(binding.account).away_until
        limit = self.rules.failover_max
        return limit is not None and until is not None and until - self.now > limit

    def still_refuses(self, account: str) -> bool:
        """Whether any window that limits some model refuses: the cause of a failover is then not over."""
        view = self.fleet.get(account)
        return view is not None and any(
            limits(name) and (window.exhausted(self.now) or window.served_by_credits(self.now))
            for name, window in view.windows.items()
        )

    def unhandled(self, reason: str) -> Decision:
        return self.answer(None, reason, self.binding)

    def answer(
        self,
        account: str | None,
        reason: str,
        binding: Binding | None,
        change: Change | None = None,
        ranked: Sequence[Contender] = (),
    ) -> Decision:
        return Decision(
            question=self.question,
            reason=reason,
            account=account,
            binding=binding,
            change=change,
            at=self.now,
            pool=self.pool,
            ranked=ranked,
            home=self.home(),
            rules=self.rules,
        )

    def home(self) -> Standing | None:
        if self.binding is None or self.binding.account in self.offered:
            return None
        return self.standing(self.binding.account)
