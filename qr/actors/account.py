"""The account actor: the one owner of what is known about one account.

What it knows: the evidence of its windows, its circuit, its login, how its polls went (`AccountState`).
When it looks: at what traffic reports, and by polls of its own that it schedules by the clock, by the resets
that it knows and by what traffic has told already. How it recovers: each trouble ends by evidence (a reading,
a success, a new credential) or by time (a reset, a half-open circuit, a backoff), and a death is followed by
a new actor that starts from what the last one published.
"""

import random
from collections.abc import Callable

import structlog
import trio
from attrs import field, frozen
from msgspec.structs import replace

from qr.actors.account_state import (
    AccountState,
    Entry,
    failed,
    listed,
    paused,
    stepped,
    succeeded,
    trial_given,
    view_of,
)
from qr.actors.backoff import Brake
from qr.actors.breaker import BreakerRules
from qr.actors.mailbox import Mailbox
from qr.actors.messages import (
    AccountMessage,
    Apply,
    Braked,
    Freed,
    Observe,
    Pause,
    Polled,
    Refresh,
    Refreshing,
    Report,
    Step,
    SupervisorMessage,
    Throttle,
    Trial,
)
from qr.actors.polling import Ask, auth_entry, due, freed, polled, taken_in, why_unpolled
from qr.actors.schedule import refresh_at
from qr.clock import Clock
from qr.quota.belief import believed_windows
from qr.quota.warnings import transitions
from qr.quota.windows import Windows
from qr.routing.account import AccountView
from qr.routing.sessions import fingerprint
from qr.settings import Settings

__all__ = ["CAPACITY", "AccountActor", "Surroundings"]

# Reports wait here while a dead actor is replaced: at the highest rate that one account is used with, some
# ten a second, this covers the longest delay before a restart. Beyond that reports are lost, as they may
# always be.
CAPACITY = 256

NEVER = float("inf")

log = structlog.get_logger(__name__)


@frozen
class Surroundings:
    """What every account actor is given."""

    publish: Callable[[AccountView, AccountState], None]
    """Takes the account's view and state on every change."""
    tell: Callable[[SupervisorMessage], bool]
    """The supervisor's door."""
    ask: Ask
    """Polls an account."""
    clock: Clock
    settings: Callable[[], Settings]
    """The settings in force."""
    brake: Callable[[str], Brake] = field(default=lambda _: Brake())
    """The brake of a provider's polls."""


class AccountActor:
    """One life of the actor of one account."""

    def __init__(
        self,
        state: AccountState,
        mailbox: Mailbox[AccountMessage],
        around: Surroundings,
        chance: random.Random,
    ) -> None:
        self._state = state
        self._mailbox = mailbox
        self._around = around
        self._chance = chance
        self._settings = around.settings()
        self._brake = around.brake(state.entry.provider)
        self._windows = self._believed()
        self._moved = trio.Event()
        """Set when the next poll is due at another time than the one that is waited for."""
        self._waited_for: float | None = None
        """When the next poll is due, as far as the task that polls knows; None: it polls now."""
        self._refresh = False
        """An operator asked for a poll."""

    async def run(self) -> None:
        """Live until cancelled."""
        self._tell()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._poll_when_due)
            while True:
                self.handle(await self._mailbox.next())

    def handle(self, message: AccountMessage) -> None:
        """Take in one message; publish if it changed anything."""
        before, now = self._state, self._around.clock.now()
        self._state = self._next(message, now)
        if self._state != before or isinstance(message, Apply | Braked | Step):
            known, self._windows = self._windows, self._believed()
            self._log_marks(known, now)
            self._tell()

    def _next(self, message: AccountMessage, now: float) -> AccountState:
        match message:
            case Report():
                return self._reported(message, now)
            case Observe(observation=observation):
                return taken_in(self._state, observation, self._settings, now, self._chance.random())
            case Polled(result=result):
                return polled(self._state, result, self._settings, now, self._chance.random())
            case Entry():
                return listed(self._state, message)
            case Pause(on=on):
                return paused(self._state, on=on)
            case Trial():
                return trial_given(self._state, now, self._breaker_rules)
            case Step(seconds=seconds):
                # The same time of the clock is another moment now.
                self._moved.set()
                return stepped(self._state, seconds, now)
            case Refresh():
                self._refreshed(message, now)
            case Apply(settings=settings):
                self._settings = settings
            case Braked(brake=brake):
                self._brake = brake
        return self._state

    def _reported(self, report: Report, now: float) -> AccountState:
        state, attempt = self._state, report.attempt
        if report.observation is not None:
            state = taken_in(state, report.observation, self._settings, now, self._chance.random())
        if report.failure is not None:
            jitter = self._chance.random()
            return failed(state, report.failure, attempt, now, self._breaker_rules, jitter)
        if report.observation is not None and report.observation.readings:
            state = replace(state, passive_at=max(state.passive_at or 0.0, report.observation.observed_at))
        return succeeded(state, min(attempt.started_at, now), now)

    @property
    def _breaker_rules(self) -> BreakerRules:
        settings = self._settings
        return BreakerRules(settings.breaker_failures, settings.breaker_window, settings.breaker_open)

    async def _poll_when_due(self) -> None:
        while True:
            await self._poll_is_due()
            self._refresh, self._waited_for = False, None
            result = await self._around.ask(auth_entry(self._state.entry))
            self._brake_all(throttled=result.failure is not None and result.failure.cls == "rate_limited")
            known, now = self._windows, self._around.clock.now()
            self.handle(Polled(result))
            self._free_host(known, now)

    async def _poll_is_due(self) -> None:
        """Wait for the next poll's time, which every change may move."""
        while True:
            self._moved = trio.Event()
            now = self._around.clock.now()
            self._waited_for = at = self._due_at(now)
            if self._refresh or at <= now:
                return
            with trio.move_on_after(at - now):
                await self._moved.wait()

    def _due_at(self, now: float) -> float:
        """When the next poll is due; never, as things are, when it is not polled."""
        next_one = due(self._state, self._windows, self._settings, self._brake, now)
        return NEVER if next_one is None else next_one.at

    def _brake_all(self, *, throttled: bool) -> None:
        """A usage endpoint that says 429 slows down the whole provider, and one that answers ends that."""
        if throttled or self._brake.hits:
            self._around.tell(Throttle(self._state.entry.provider, on=throttled))

    def _refreshed(self, refresh: Refresh, now: float) -> None:
        """Poll now if that is possible; say when it is."""
        refused = why_unpolled(self._state)
        at = refresh_at(self._state.schedule, now=now, brake=self._brake)
        self._refresh = self._refresh or (refused is None and at <= now)
        refresh.reply.give(Refreshing(started=refused is None and at <= now, possible_at=at, refused=refused))
        self._moved.set()

    def _free_host(self, known: Windows, now: float) -> None:
        """A reading proved that the window which caused the host's cooldown is free."""
        auth_index = self._state.entry.auth_index
        if auth_index and freed(known, self._windows, now):
            self._around.tell(Freed(self._state.id, auth_index))

    def _believed(self) -> Windows:
        return believed_windows(self._state.snapshot, reset_jitter=self._settings.rules.reset_jitter)

    def _tell(self) -> None:
        self._state = replace(self._state, version=self._state.version + 1)
        now = self._around.clock.now()
        at = self._due_at(now)
        if at != self._waited_for:
            self._moved.set()
        view = view_of(
            self._state,
            self._windows,
            now,
            next_poll_at=at if at < NEVER else None,
            unpolled=why_unpolled(self._state) if at == NEVER else None,
        )
        self._around.publish(view, self._state)

    def _log_marks(self, known: Windows, now: float) -> None:
        """One line for each transition of a warning mark, by fingerprint: never a label, e-mail or id."""
        for window, warned in transitions(known, self._windows, now):
            event = "warning mark set" if warned else "warning mark cleared"
            log.info(event, account=fingerprint(self._state.id), window=window)
