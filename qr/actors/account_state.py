"""One account's state, and how it changes: pure functions from a state and a fact to the next state."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from qr.actors.breaker import Breaker, BreakerRules
from qr.actors.reports import Attempt
from qr.actors.schedule import Schedule
from qr.quota.attribution import attributed_window
from qr.quota.belief import believed_windows
from qr.quota.evidence import Snapshot, merge, redated, shifted
from qr.quota.failures import Failure
from qr.quota.readings import Observation, Reading
from qr.quota.windows import Windows
from qr.routing.account import AccountView, Login

__all__ = [
    "AccountState",
    "Entry",
    "failed",
    "listed",
    "observed",
    "paused",
    "restored",
    "stepped",
    "succeeded",
    "trial_given",
    "view_of",
]

Source = Literal["listing", "candidate"]


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What the host's directory, or an offer of it, says of an account."""

    id: str
    provider: str
    label: str = ""
    auth_index: str | None = None
    disabled: bool = False
    changed_at: float = 0.0
    """When the credential was last written: a dead login may live again after that. 0: nobody said."""
    listed: bool = True
    """In the host's directory; False: only known from being offered (API keys are never listed)."""
    api_key: bool = False
    has_base_url: bool = False
    runtime_only: bool = False


class AccountState(msgspec.Struct, frozen=True, gc=False):
    """All that an account actor owns. Times are epoch seconds."""

    entry: Entry
    snapshot: Snapshot = Snapshot()
    breaker: Breaker = Breaker()
    paused: bool = False
    dead_since: float | None = None
    """The login is dead since then; None: it works, as far as is known."""
    dead_confirmed: bool = False
    """A poll said so too."""
    schedule: Schedule = Schedule()
    passive_at: float | None = None
    """When served traffic last told what is left."""
    poll_error: str | None = None
    """Why the last poll brought nothing; None when it did."""
    unpolled: str | None = None
    """Why the account is not to be polled, by what a poll was answered, until its credential changes."""
    last_error: str | None = None
    """The class of the last failure, for the operator; None after a success."""
    version: int = 0

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def login(self) -> Login:
        return "ok" if self.dead_since is None else "dead"


def observed(state: AccountState, seen: Observation, now: float) -> AccountState:
    """An answer said something of the windows; one from the future counts as of now."""
    if seen.observed_at > now:
        seen = replace(seen, observed_at=now)
    return replace(state, snapshot=merge(state.snapshot, seen))


def succeeded(state: AccountState, started_at: float, now: float) -> AccountState:
    """An attempt that began at *started_at* was served."""
    if state.dead_since is None and state.last_error is None and state.breaker.open_until is None:
        return state
    alive = state.dead_since is None or started_at > state.dead_since
    return replace(
        state,
        breaker=state.breaker.success(started_at, now),
        dead_since=None if alive else state.dead_since,
        dead_confirmed=state.dead_confirmed and not alive,
        last_error=None,
    )


def failed(
    state: AccountState, failure: Failure, attempt: Attempt, now: float, rules: BreakerRules, jitter: float
) -> AccountState:
    """
    An attempt failed (specification, section 5, "Failures").

    Args:
        state: before.
        failure: what the provider's answer meant.
        attempt: when it began, and when its answer arrived.
        now: epoch seconds.
        rules: of the circuit breaker.
        jitter: 0 to 1, spreads the breaker's delays.

    """
    if failure.cls == "request_fault":
        return state
    state = replace(state, last_error=failure.cls)
    if failure.cls == "auth_permanent":
        return replace(state, dead_since=state.dead_since or now)
    if failure.cls == "quota_exhausted":
        window = failure.window or attributed_window(failure.until, believed_windows(state.snapshot), now)
        if window is not None:
            return _exhausted(state, window, failure.until, attempt.observed_at, now)
    broken = state.breaker.failure(attempt.started_at, now, rules, jitter=jitter, retry_at=failure.until)
    return replace(state, breaker=broken)


def _exhausted(
    state: AccountState, window: str, until: float | None, observed_at: float, now: float
) -> AccountState:
    reading = Reading(window, resets_at=until, refused=True)
    return observed(state, Observation(observed_at, "failure", (reading,), successful=False), now)


def trial_given(state: AccountState, now: float, rules: BreakerRules) -> AccountState:
    """The one trial of a half-open circuit was given out."""
    return replace(state, breaker=state.breaker.trial_given(now, rules))


def listed(state: AccountState, entry: Entry) -> AccountState:
    """
    The directory said something of the account; a new credential gives everything another chance.

    It is a new one when its date is another one: an earlier one where the clock was set back meanwhile.
    """
    if entry.changed_at in (0.0, state.entry.changed_at):
        return replace(state, entry=entry)
    return replace(state, entry=entry, dead_since=None, dead_confirmed=False, unpolled=None)


def paused(state: AccountState, *, on: bool) -> AccountState:
    return replace(state, paused=on)


def restored(state: AccountState, now: float) -> AccountState:
    """The state after a restart at *now*, however the clock was set meanwhile: nothing lies in the future."""
    return replace(
        state,
        snapshot=redated(state.snapshot, now),
        breaker=state.breaker.restored(now, BreakerRules()),
        schedule=state.schedule.restored(now),
        passive_at=None if state.passive_at is None else min(state.passive_at, now),
        dead_since=None if state.dead_since is None else min(state.dead_since, now),
    )


def stepped(state: AccountState, seconds: float, now: float) -> AccountState:
    """
    The machine's clock was set by *seconds*, to *now*: evidence keeps its age.

    After a step forward nothing moves, as the machine may have slept through that time. What was told between
    two steps that were noticed as one can lie in the future even so, and is taken as after a restart.
    """
    return restored(state if seconds > 0 else _moved(state, seconds), now)


def _moved(state: AccountState, seconds: float) -> AccountState:
    return replace(
        state,
        snapshot=shifted(state.snapshot, seconds),
        breaker=state.breaker.shifted(seconds),
        schedule=state.schedule.shifted(seconds),
        passive_at=None if state.passive_at is None else state.passive_at + seconds,
        dead_since=None if state.dead_since is None else state.dead_since + seconds,
    )


def view_of(
    state: AccountState,
    windows: Windows,
    now: float,
    *,
    next_poll_at: float | None = None,
    unpolled: str | None = None,
) -> AccountView:
    """What the supervisor is told of *state*, whose *windows* are believed."""
    return AccountView(
        id=state.id,
        provider=state.entry.provider,
        label=state.entry.label,
        auth_index=state.entry.auth_index,
        plan=state.snapshot.plan.name if state.snapshot.plan else None,
        disabled=state.entry.disabled,
        paused=state.paused,
        login=state.login,
        circuit=state.breaker.state(now),
        circuit_until=state.breaker.open_until,
        trial_until=state.breaker.trial_until,
        windows=windows,
        observed_at=max((window.observed_at for window in windows.values()), default=0.0),
        last_error=state.last_error,
        polled_at=state.schedule.polled_at,
        poll_error=state.poll_error,
        next_poll_at=next_poll_at,
        unpolled=unpolled,
        version=state.version,
    )
