"""What sessions were told, and whether it is kept."""

from collections import Counter
from collections.abc import Collection

from attrs import define, field

__all__ = ["Ledger"]


@define
class Promise:
    """Where a session is at home."""

    homes: set[str]
    """One account; several when nobody outside can know: a crash may have forgotten a binding that was too
    young to be kept, or an earlier question was given up, and bound the session all the same."""
    since: float
    """When the answer that bound it had come, by any clock that is never set."""
    life: int
    """Of the service: in which the question of the last answer began."""
    former: set[str] = field(factory=set)
    """Where it was at home before it left for good: a crash may have forgotten that it did."""


@define(eq=False)
class Ledger:
    """Every answer is entered here; what must not be is a violation."""

    everybody: frozenset[str]
    """The accounts."""
    wavering: set[str] = field(factory=set)
    """Accounts that were in trouble at some time: their sessions may be elsewhere for a while."""
    mortal: set[str] = field(factory=set)
    """Accounts whose login died at some time: their sessions may have left them for good."""
    promises: dict[str, Promise] = field(factory=dict)
    horizons: list[float] = field(factory=list)
    """Of each end of the service: what was bound before must have survived it."""
    counts: Counter[str] = field(factory=Counter)
    """Of answers: `bound`, `kept`, `away` for a cause, `left` their home for good, `forgotten` by a crash."""
    violations: list[str] = field(factory=list)
    _unheard: set[str] = field(factory=set)
    """Sessions without an answer so far, whose question may have been decided all the same."""

    @property
    def life(self) -> int:
        """How often the service has ended; asked for before a question is."""
        return len(self.horizons)

    def ended(self, horizon: float) -> None:
        """The service has ended; the next one must know what was bound before *horizon*."""
        self.horizons.append(horizon)

    def answered(
        self,
        session: str,
        account: str,
        offered: Collection[str],
        life: int,
        at: float,
        *,
        anew: bool | None = None,
    ) -> None:
        """
        *account* serves *session*; one question at a time for each session, as with real agents.

        *anew*: whether the service says that it bound the session now; None: that cannot be seen.
        """
        promise = self.promises.get(session)
        if promise is None:
            maybe = (self.everybody - set(offered)) | self.wavering if session in self._unheard else set()
            self.promises[session] = Promise({account, *maybe}, at, life)
            self.counts["bound"] += 1
            return
        if self._may_be_forgotten(promise):
            self.counts["kept" if account in promise.homes else "forgotten"] += 1
            promise.homes |= {account, *promise.former}
            promise.since = at
        elif anew:
            self._bound_anew(promise, account, at)
        else:
            self._remembered(promise, account, offered, told=anew is not None)
        promise.life = life

    def unanswered(self, session: str, offered: Collection[str]) -> None:
        """The host decides; or nobody did in time, and the service may have bound the session meanwhile."""
        promise = self.promises.get(session)
        if promise is None:
            self._unheard.add(session)
        elif self._may_be_forgotten(promise):
            promise.homes.update(offered)

    def _may_be_forgotten(self, promise: Promise) -> bool:
        return any(horizon <= promise.since for horizon in self.horizons[promise.life :])

    def _bound_anew(self, promise: Promise, account: str, at: float) -> None:
        if not promise.homes & (self.wavering | self.mortal):
            self.violations.append(f"a session of {sorted(promise.homes)} was bound anew, to {account}")
        self.counts["left"] += 1
        promise.former |= promise.homes
        promise.homes, promise.since = {account}, at

    def _remembered(self, promise: Promise, account: str, offered: Collection[str], *, told: bool) -> None:
        certain = promise.homes <= set(offered) and not promise.homes & (self.wavering | self.mortal)
        if account in promise.homes:
            self.counts["kept"] += 1
            promise.homes = {account} if certain else promise.homes
        elif certain:
            self.violations.append(f"a session moved from {sorted(promise.homes)} to {account}")
        elif promise.homes & self.mortal and not told:
            self.counts["left"] += 1
            promise.homes.add(account)
        else:
            self.counts["away"] += 1

    def at_last(self, session: str, account: str | None) -> None:
        """The storm is over and everybody is well: every session is at home."""
        promise = self.promises[session]
        if account not in promise.homes and not self._may_be_forgotten(promise):
            self.violations.append(f"after the storm a session of {sorted(promise.homes)} is on {account}")
