"""The account actor: the one owner of what is known about one account."""

import random
from collections.abc import Callable

import structlog
from attrs import evolve

from qr.actors.account_state import (
    AccountState,
    Entry,
    failed,
    listed,
    observed,
    paused,
    stepped,
    succeeded,
    trial_given,
    view_of,
)
from qr.actors.breaker import BreakerRules
from qr.actors.mailbox import Mailbox
from qr.actors.messages import AccountMessage, Apply, Observe, Pause, Report, Step, Trial
from qr.clock import Clock
from qr.quota.warnings import transitions
from qr.routing.account import AccountView
from qr.routing.sessions import fingerprint
from qr.settings import Settings

__all__ = ["CAPACITY", "AccountActor", "Publish"]

# Reports wait here while a dead actor is replaced: at the highest rate that one account is used with, some
# ten a second, this covers the longest delay before a restart. Beyond that reports are lost, as they may
# always be.
CAPACITY = 256

Publish = Callable[[AccountView, AccountState], None]

log = structlog.get_logger(__name__)


class AccountActor:
    """Takes in what is reported of the account, and publishes a view of it on every change."""

    def __init__(
        self,
        state: AccountState,
        mailbox: Mailbox[AccountMessage],
        publish: Publish,
        *,
        settings: Settings,
        clock: Clock,
        chance: random.Random,
    ) -> None:
        self._state = state
        self._mailbox = mailbox
        self._publish = publish
        self._settings = settings
        self._clock = clock
        self._chance = chance

    async def run(self) -> None:
        """Live until cancelled."""
        self._tell()
        while True:
            self.handle(await self._mailbox.next())

    def handle(self, message: AccountMessage) -> None:
        """Take in one message; publish if it changed anything."""
        if isinstance(message, Apply):
            self._settings = message.settings
            return self._tell()
        before, now = self._state, self._clock.now()
        self._state = self._next(message, now)
        if self._state != before:
            self._log_marks(before, now)
            self._tell()
        return None

    def _next(self, message: AccountMessage, now: float) -> AccountState:
        match message:
            case Report():
                return self._reported(message, now)
            case Observe(observation=observation):
                return observed(self._state, observation, now)
            case Entry():
                return listed(self._state, message)
            case Pause(on=on):
                return paused(self._state, on=on)
            case Trial():
                return trial_given(self._state, now, self._breaker_rules)
            case Step(seconds=seconds):
                return stepped(self._state, seconds)
        return self._state

    def _reported(self, report: Report, now: float) -> AccountState:
        state = self._state
        if report.observation is not None:
            state = observed(state, report.observation, now)
        started_at = min(report.attempt.started_at, now)
        if report.failure is None:
            return succeeded(state, started_at, now)
        jitter = self._chance.random()
        return failed(state, report.failure, started_at, now, self._breaker_rules, jitter)

    @property
    def _breaker_rules(self) -> BreakerRules:
        return BreakerRules(
            failures=self._settings.breaker_failures,
            window=self._settings.breaker_window,
            open=self._settings.breaker_open,
        )

    def _tell(self) -> None:
        self._state = evolve(self._state, version=self._state.version + 1)
        jitter = self._settings.rules.reset_jitter
        self._publish(view_of(self._state, self._clock.now(), reset_jitter=jitter), self._state)

    def _log_marks(self, before: AccountState, now: float) -> None:
        """One line for each transition of a warning mark, by fingerprint: never a label, e-mail or id."""
        if self._state.snapshot is before.snapshot:
            return
        for window, warned in transitions(before.snapshot, self._state.snapshot, now):
            event = "warning mark set" if warned else "warning mark cleared"
            log.info(event, account=fingerprint(self._state.id), window=window)
