"""The supervisor: the one owner of the bindings, the reservations and the directory of accounts.

It decides each pick at once on the views that it holds, and never waits for an account. All that it needs to
start again stands in the journal.
"""

import random
from collections import Counter

import structlog
import trio

from qr.actors.account import Surroundings
from qr.actors.account_state import AccountState
from qr.actors.backoff import Brake
from qr.actors.brakes import Brakes
from qr.actors.current import Current
from qr.actors.decisions import Decisions
from qr.actors.directory import Directory
from qr.actors.door import Door
from qr.actors.feed import Feed
from qr.actors.historian import Historian
from qr.actors.journal import Journal
from qr.actors.mailbox import Mailbox
from qr.actors.messages import (
    Apply,
    Braked,
    Freed,
    Listing,
    Observe,
    Pause,
    Pick,
    Refresh,
    Report,
    Restore,
    Step,
    SupervisorMessage,
    Throttle,
    Unbind,
    Wake,
)
from qr.actors.noticeboard import Noticeboard
from qr.actors.polling import Ask
from qr.actors.rooms import Mailboxes, Rooms
from qr.actors.sessions import Sessions
from qr.clock import Clock
from qr.routing.account import AccountView
from qr.routing.decision import Decision, decide
from qr.routing.fleet import Fleet

__all__ = ["Supervisor"]

# What waits is taken in at once: a turn of the event loop costs as much as a decision. So many messages are a
# millisecond, after which others have their turn.
BATCH = 16

log = structlog.get_logger(__name__)


class Supervisor:
    """One life of the supervisor; the door, the mailboxes, the journal and the feed outlive it."""

    def __init__(
        self,
        door: Door,
        journal: Journal,
        feed: Feed,
        decisions: Decisions,
        current: Current,
        clock: Clock,
        ask: Ask,
        freed: Mailbox[Freed],
        mailboxes: Mailboxes,
    ) -> None:
        self._door = door
        self._journal = journal
        self._feed = feed
        self._decisions = decisions
        self._current = current
        self._clock = clock
        self._ask = ask
        self._freed = freed
        self._mailboxes = mailboxes
        self._board = Noticeboard(lambda: door.tell(Wake()))
        self._brakes: Brakes | None = None
        self._generation = current.generation
        self.fleet = Fleet(current.settings.rules)
        self.sessions = Sessions(current.settings, journal, feed)
        self.historian = Historian(journal)
        self.reasons = Counter[str]()
        """How often each reason was given, in this life."""
        self.directory: Directory | None = None
        """From the moment that it runs."""

    async def run(self, seed: int = 0) -> None:
        """Live until killed or cancelled; then whoever waits for a pick is told."""
        try:
            async with trio.open_nursery() as nursery:
                self._begin(nursery, seed)
                while True:
                    self.handle(await self._door.mailbox.next())
                    for message in self._door.mailbox.waiting(BATCH):
                        self.handle(message)
        finally:
            self._door.close()

    def _begin(self, nursery: trio.Nursery, seed: int) -> None:
        brakes = self._brakes = Brakes(self._braked, random.Random(seed))  # noqa: S311 - spreads delays
        around = Surroundings(
            self._pin, self._door.tell, self._ask, self._clock, lambda: self._current.settings, brakes.of
        )
        rooms = Rooms(nursery, around, seed, self._mailboxes)
        self.directory = Directory(
            self.fleet, rooms, self._journal, self._feed, self.historian, self.sessions.reservations
        )
        self.directory.restore(self._clock.now(), reset_jitter=self.fleet.rules.reset_jitter)
        self._door.open = True

    def _pin(self, view: AccountView, state: AccountState) -> None:
        """Into the journal at once: a supervisor that dies before it has read the board loses nothing."""
        self._journal.account(view.id, state)
        self._board.pin(view)

    def handle(self, message: SupervisorMessage) -> None:
        """Take in one message. Nothing in here waits, and no message can end the supervisor."""
        try:
            self._follow_settings()
            if type(message) is Pick:
                self._pick(message)
            else:
                self._take(message)
        except Exception as error:  # noqa: BLE001 - a bug costs one message, never a request and never the actor
            self._failed(message, error)

    def _failed(self, message: SupervisorMessage, error: Exception) -> None:
        self.reasons["error"] += 1
        log.error("message failed", kind=type(message).__name__, cause=type(error).__name__)
        if isinstance(message, Pick):
            self._door.unanswered += 1
            message.give(None)
        elif isinstance(message, Unbind | Restore | Refresh):
            message.reply.give(None)

    def _pick(self, pick: Pick) -> None:
        now = self._clock.now()
        self._known.offered(pick.question, now)
        self.sessions.end(pick.question, now)
        decision = decide(pick.question, self.sessions.in_force, self.fleet, now)
        try:
            self._settle(decision)
        finally:
            # Whoever has the answer finds the binding made, and the decision explained.
            pick.give(decision)

    def _settle(self, decision: Decision) -> None:
        self.reasons[decision.reason] += 1
        self.sessions.settle(decision, self.fleet.reserve)
        if decision.account is not None:
            self._known.give_trial(decision.account, decision.at)
        number = self._decisions.add(decision).number
        self._feed.publish("decision", str(number))

    def _take(self, message: SupervisorMessage) -> None:
        match message:
            case Wake():
                self._known.changed(self._board.take())
                self.sessions.expire(self._clock.now())
            case Report(attempt=attempt):
                self._known.reported(attempt.account, attempt.provider, self._clock.now())
                self._known.rooms.tell(attempt.account, message)
            case Observe(account=account) | Pause(account=account):
                self._known.rooms.tell(account, message)
            case Listing(entries=entries):
                self._known.listed(entries, self._clock.now())
            case Unbind(provider=provider, key=key):
                message.reply.give(self.sessions.unbind(provider, key))
            case Restore(provider=provider, key=key, binding=binding):
                message.reply.give(self.sessions.restore(provider, key, binding))
            case Refresh(account=account):
                if not self._known.rooms.tell(account, message):
                    message.reply.give(None)
            case Throttle(provider=provider, on=on):
                self._throttle(provider, on=on)
            case Freed():
                self._freed.post(message)
            case Step(seconds=seconds):
                self._stepped(message, seconds)
            case Apply():
                """Seen by the generation of the settings already."""

    def brake(self, provider: str) -> Brake:
        """How the polls of *provider* are slowed down now."""
        return self._brakes.of(provider) if self._brakes is not None else Brake()

    def _throttle(self, provider: str, *, on: bool) -> None:
        if self._brakes is not None:
            self._brakes.throttle(provider, self._clock.now(), on=on)

    def _braked(self, provider: str, brake: Brake) -> None:
        self._known.rooms.tell_all(Braked(brake), provider)

    def _stepped(self, step: Step, seconds: float) -> None:
        if self._brakes is not None and seconds < 0:
            self._brakes.stepped(seconds)
        self._known.rooms.tell_all(step)

    @property
    def _known(self) -> Directory:
        if self.directory is None:
            raise RuntimeError("the supervisor does not run yet")
        return self.directory

    def _follow_settings(self) -> None:
        if self._generation == self._current.generation:
            return
        self._generation = self._current.generation
        settings = self._current.settings
        self.fleet.rules = settings.rules
        self.sessions.apply(settings)
        self._known.rooms.tell_all(Apply(settings))
        self._journal.generation(self._generation)
        self._feed.publish("settings", "settings")
