"""The messages of the live feed, the same for the WebSocket and for `/events`: one ask, one answer.

Nothing is kept for a listener: what it has seen stands in its ask. Changes are rendered once for all that
listen, as what they are now rather than what they were.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
import trio
from attrs import define, field, frozen

from qr.actors.feed import Change
from qr.web.desk import Desk
from qr.web.nextpick import next_pick
from qr.web.render.decisions import decision_shape
from qr.web.render.sessions import session_shape
from qr.web.shapes.accounts import Account
from qr.web.shapes.decisions import DecisionShape, Next, Session
from qr.web.shapes.feed import Ask, Changed, Changes, SettingsInForce, Snapshot
from qr.web.shapes.service import Health
from qr.web.turns import give_way, unhurried

__all__ = ["FRAME", "POLL", "Answer", "Messages"]

# Bytes of accounts or changes in one message. A WebSocket's frame stays below 64 KB with all that is around
# them, so that a client that stops reading never holds up a write of ours for long.
FRAME: Final = 40_000

# An HTTP answer may be larger: in the host each request costs a comparison of the key.
POLL: Final = 400_000

# Decisions in one message: more than anybody reads in a quarter of a second.
MOST_DECISIONS: Final = 50

# Rendered changes that are kept, of some hundred bytes each: what happens at a thousand picks a second until
# the last of fifty pages has been told.
KEPT: Final = 2048


@frozen
class Answer:
    """A message as JSON."""

    body: bytes
    complete: bool
    """False: the listener asks again at once."""


@define(eq=False)
class Messages:
    """Answers asks."""

    desk: Desk
    _rendered: OrderedDict[int, bytes] = field(factory=OrderedDict)
    _turn: trio.Lock = field(factory=trio.Lock)
    """One answer is worked on at a time: in each of its two turns a pick waits for at most one page."""

    async def answer(self, ask: Ask, budget: int) -> Answer:
        """
        What is newer than *ask* says, or a snapshot when that cannot be told.

        Args:
            ask: what the listener has seen.
            budget: bytes of accounts or changes; what does not fit is asked for again.

        """
        async with self._turn:
            await give_way()
            changes = self._since(ask)
            if changes is None or ask.next is not None:
                return await self._snapshot(ask, budget, resumed=changes is not None)
            return await self._changes(ask, changes, budget)

    def current(self, ask: Ask) -> bool:
        """Whether *ask* has seen all there is, so that it can be answered later."""
        return (
            ask.epoch == self.desk.epoch and ask.after == self._number and ask.next is None and not ask.also
        )

    def _since(self, ask: Ask) -> list[Change] | None:
        if ask.epoch != self.desk.epoch or ask.after is None:
            return None
        return self.desk.house.feed.since(ask.after)

    async def _snapshot(self, ask: Ask, budget: int, *, resumed: bool) -> Answer:
        """A first part, or the one that follows the cursor of *ask* when what it began with still holds."""
        desk = self.desk
        # Read before any pause: what changes while accounts are rendered is told afterwards.
        newest = self._number
        cursor = ask.next if resumed else None
        rest = sorted(view.id for view in desk.fleet if cursor is None or view.id > cursor)
        accounts = _fitting(map(self._account, rest), budget)
        shown = [account async for account in unhurried(accounts, msgspec.Raw)]
        health, upcoming = await self._also(ask)
        end = rest[len(shown) - 1] if len(shown) < len(rest) else None
        await give_way()
        message = Snapshot(
            epoch=desk.epoch,
            number=ask.after if cursor is not None and ask.after is not None else newest,
            now=desk.now,
            first=cursor is None,
            next=end,
            accounts=shown,
            settings=desk.settings_in_force(),
            decisions=desk.decision_numbers(),
            load=desk.load(),
            status=desk.status.get(),
            health=health,
            next_pick=upcoming,
        )
        return Answer(msgspec.json.encode(message), complete=end is None)

    def _account(self, account: str) -> bytes:
        view = self.desk.fleet.get(account)
        return msgspec.json.encode(self.desk.account(view) if view else None)

    async def _changes(self, ask: Ask, changes: Sequence[Change], budget: int) -> Answer:
        desk = self.desk
        newest = self._number
        kept = list(_newest_decisions(changes))
        fitting = _fitting(map(self._encoded, kept), budget)
        shown = [change async for change in unhurried(fitting, msgspec.Raw)]
        more = len(shown) < len(kept)
        health, upcoming = await self._also(ask)
        await give_way()
        message = Changes(
            epoch=desk.epoch,
            number=kept[len(shown) - 1].number if more else newest,
            now=desk.now,
            more=more,
            skipped=len(changes) - len(kept),
            changes=shown,
            settings=desk.settings_in_force(),
            decisions=desk.decision_numbers(),
            load=desk.load(),
            status=desk.status.get(),
            health=health,
            next_pick=upcoming,
        )
        return Answer(msgspec.json.encode(message), complete=not more)

    @property
    def _number(self) -> int:
        return self.desk.house.feed.number

    async def _also(self, ask: Ask) -> tuple[Health | None, Next | None]:
        health = self.desk.health() if "health" in ask.also else None
        return health, await next_pick(self.desk, None, None) if "next" in ask.also else None

    def _encoded(self, change: Change) -> bytes:
        found = self._rendered.get(change.number)
        if found is None:
            found = self._rendered[change.number] = msgspec.json.encode(self._changed(change))
            if len(self._rendered) > KEPT:
                self._rendered.popitem(last=False)
        return found

    def _changed(self, change: Change) -> Changed:
        value: Account | DecisionShape | Session | SettingsInForce | None = None
        if change.kind == "account":
            view = self.desk.fleet.get(change.key)
            value = self.desk.account(view) if view else None
        elif change.kind == "decision":
            numbered = self.desk.house.decisions.get(int(change.key))
            value = decision_shape(numbered, self.desk.names) if numbered else None
        elif change.kind == "binding":
            value = self._session(change.key)
        elif change.kind == "settings":
            value = self.desk.settings_in_force()
        return Changed(change.number, change.kind, change.key, value)

    def _session(self, name: str) -> Session | None:
        provider, _, key = name.partition(":")
        binding = self.desk.bindings.get(provider, key)
        if binding is None:
            return None
        last = self.desk.house.decisions.last.get(key)
        return session_shape(provider, key, binding, self.desk.settings.binding_ttl, last)


def _fitting(encoded: Iterable[bytes], budget: int) -> Iterator[bytes]:
    """As many as fit, and at least one if there is one; what does not fit is not encoded."""
    for one in encoded:
        yield one
        budget -= len(one)
        if budget <= 0:
            return


def _newest_decisions(changes: Sequence[Change]) -> Iterator[Change]:
    """*changes* without the decisions that nobody could follow any more."""
    unread = sum(change.kind == "decision" for change in changes) - MOST_DECISIONS
    for change in changes:
        if change.kind == "decision" and unread > 0:
            unread -= 1
        else:
            yield change
