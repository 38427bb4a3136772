"""The bindings as the supervisor keeps them: those in force, those of shadow, and what they reserve."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from qr.actors.feed import Feed
from qr.actors.journal import Journal
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import Decision
from qr.routing.question import Question
from qr.routing.reservations import Reservations
from qr.settings import Settings

__all__ = ["Sessions"]

# A binding's time of use is kept to this many seconds: enough to tell which was used least recently, and a
# busy session does not have its binding written anew for every request.
USED_AT_STEP = 60.0


class Sessions:
    """Which account each agent thread is kept on; written to the journal and told to the feed."""

    def __init__(self, settings: Settings, journal: Journal, feed: Feed) -> None:
        self._journal = journal
        self._feed = feed
        self._settings = settings
        self.reservations = Reservations()
        self.bound = self._table(journal.bindings)
        self._shadow = self._table()

    def _table(self, known: Mapping[tuple[str, str], Binding] = {}) -> Bindings:
        return Bindings(limit=self._settings.max_bindings, ttl=self._settings.binding_ttl, known=known)

    def apply(self, settings: Settings) -> None:
        """Shadow's bindings are dropped when the mode changes (specification, section 4)."""
        mode_changed = settings.rules.mode != self._settings.rules.mode
        self._settings = settings
        self.bound.bound_to(limit=settings.max_bindings, ttl=settings.binding_ttl)
        if mode_changed:
            self._shadow = self._table()

    def settle(self, decision: Decision, reserve: Callable[[str, float], None]) -> None:
        """Write down what became of the session's binding, and count a new session against its account."""
        chosen, session = decision.chosen, decision.question.session
        if chosen is None or session is None:
            return
        if decision.change in ("bound", "stand_in"):
            reserve(chosen.account, self.reservations.bound(chosen.account))
        if decision.binding is not None and chosen.reason != "pinned":
            self._keep(decision, decision.question.provider, session, decision.binding)

    def _keep(self, decision: Decision, provider: str, session: str, binding: Binding) -> None:
        table = self.in_force
        fresh = decision.change is None and decision.at - binding.used_at < USED_AT_STEP
        table.put(provider, session, binding if fresh else replace(binding, used_at=decision.at))
        if not fresh:
            self._tell(table, provider, session)
            self.expire(decision.at)

    def expire(self, now: float) -> None:
        """Let some of those go that are idle for too long, or too many."""
        for provider, session in self.in_force.expire(now):
            self._tell(self.in_force, provider, session)

    def end(self, question: Question, now: float) -> None:
        """Let go what the sessions of *question* were bound to, if they were idle for too long."""
        for session in (question.session, question.parent):
            if session is not None and self.in_force.end(question.provider, session, now):
                self._tell(self.in_force, question.provider, session)

    @property
    def in_force(self) -> Bindings:
        """The table that decisions look into now; shadow has one of its own."""
        return self._shadow if self._settings.rules.mode == "shadow" else self.bound

    def unbind(self, provider: str, key: str) -> bool:
        """Forget a binding; says whether there was one."""
        known = self.in_force.remove(provider, key) is not None
        if known:
            self._tell(self.in_force, provider, key)
        return known

    def restore(self, provider: str, key: str, binding: Binding) -> bool:
        """Give a session the binding back that it had; False: it has another one by now."""
        if self.in_force.get(provider, key) is not None:
            return False
        self.in_force.put(provider, key, binding)
        self._tell(self.in_force, provider, key)
        return True

    def _tell(self, table: Bindings, provider: str, key: str) -> None:
        """What became of a binding: shadow's are shown, and not kept across restarts."""
        if table is self.bound:
            self._journal.binding(provider, key, table.get(provider, key))
        self._feed.publish("binding", f"{provider}:{key}")
