"""Who asks in a storm under a virtual clock."""

from collections.abc import Sequence
from random import Random

import trio
from attrs import define, field

from qr.actors.door import Door
from qr.routing.question import Question
from qr.routing.request import Attributes, Candidate, Offer
from tests.chaos.accounts import MODELS, of_provider, provider_of
from tests.chaos.ledger import Ledger

__all__ = ["Agents"]

# Sessions at a time, and picks for each new one that takes the place of the oldest.
SESSIONS, RENEWED = 150, 5

# Of so many sessions one is Codex's.
CODEX_EVERY = 4

# How often some accounts are left out of an offer, as when a request has tried them already.
LEFT_OUT = 0.15

# Requests that are under way at a time in a burst.
BURST = 20


@define(eq=False)
class Agents:
    """Their sessions, and what became of their picks."""

    chance: Random
    ledger: Ledger
    door: Door = field(init=False)
    """Of the house that lives now."""
    asked: int = 0
    handled: int = 0
    longest: float = 0.0

    async def ask(self) -> None:
        """One pick for one of the sessions."""
        session = self.chance.choice(self._sessions())
        names = of_provider(_provider(session))
        if self.chance.random() < LEFT_OUT:
            names = self.chance.sample(names, self.chance.randint(1, len(names)))
        await self._ask(session, names)

    async def burst(self) -> None:
        """Many at once, each session once."""
        async with trio.open_nursery() as nursery:
            for session in self.chance.sample(self._sessions(), BURST):
                nursery.start_soon(self._ask, session, of_provider(_provider(session)))

    async def come_home(self) -> None:
        """Every session that ever was asks once more, where everybody is well."""
        for name in list(self.ledger.promises):
            session = int(name)
            self.ledger.at_last(name, await self._ask(session, of_provider(_provider(session))))

    async def is_served_by(self, name: str) -> bool:
        """Whether *name* serves one that names no session."""
        return await self._pick(None, [name], provider_of(name)) == name

    def _sessions(self) -> range:
        """Those that ask now: old ones end and new ones begin."""
        return range(self.asked // RENEWED, self.asked // RENEWED + SESSIONS)

    async def _ask(self, session: int, names: Sequence[str]) -> str | None:
        return await self._pick(str(session), names, _provider(session))

    async def _pick(self, session: str | None, names: Sequence[str], provider: str) -> str | None:
        candidates = tuple(Candidate(name, provider, 0, Attributes("oauth")) for name in names)
        question = Question((provider,), MODELS[provider], session, offer=Offer(candidates))
        self.asked += 1
        life, began = self.ledger.life, trio.current_time()
        decision = await self.door.pick(question)
        self.longest = max(self.longest, trio.current_time() - began)
        if decision is None or decision.account is None:
            return None
        self.handled += 1
        if decision.account not in names:
            self.ledger.violations.append(f"{decision.account} was not offered")
        if session is not None:
            at, anew = trio.current_time(), decision.change == "bound"
            self.ledger.answered(session, decision.account, names, life, at, anew=anew)
        return decision.account


def _provider(session: int) -> str:
    return "claude" if session % CODEX_EVERY else "codex"
