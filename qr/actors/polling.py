"""How an account's polls change what is known of it: pure, like `account_state`."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from qr.actors.account_state import AccountState, Entry, observed
from qr.actors.backoff import Brake
from qr.actors.schedule import Due, PollRules, is_doubted, next_poll
from qr.quota.belief import NEARLY_FULL, believed_windows
from qr.quota.readings import Observation
from qr.quota.windows import Windows
from qr.settings import Settings
from qr.upstream.credentials import AuthEntry, why_not_polled
from qr.upstream.results import PollResult

__all__ = ["Ask", "auth_entry", "due", "freed", "poll_rules", "polled", "taken_in", "why_unpolled"]

Ask = Callable[[AuthEntry], Awaitable[PollResult]]
"""Polls an account once; raises nothing but cancellation."""


def poll_rules(settings: Settings) -> PollRules:
    return PollRules(settings.poll_interval, settings.reset_probe, settings.max_passive_skips)


def auth_entry(entry: Entry) -> AuthEntry:
    """The account as the credentials' source knows it."""
    return AuthEntry(
        id=entry.id,
        provider=entry.provider,
        auth_index=entry.auth_index or "",
        account_type="apikey" if entry.api_key else "oauth",
        runtime_only=entry.runtime_only,
        has_base_url=entry.has_base_url,
    )


def why_unpolled(state: AccountState) -> str | None:
    """
    Why the account is not polled; None when it is.

    A login that traffic declared dead is asked once more: only what a poll confirms is left alone until the
    credential changes.
    """
    if not state.entry.listed:
        return "the host does not list it, so its credential cannot be had"
    if state.entry.disabled:
        return "it is disabled in the host"
    if state.dead_since is not None and state.dead_confirmed:
        return "its login is dead; polled again when the credential changes"
    return state.unpolled or why_not_polled(state.entry)


def due(state: AccountState, windows: Windows, settings: Settings, brake: Brake, now: float) -> Due | None:
    """When the account, believed to have *windows*, is polled next, and why; None: not, as things are."""
    if why_unpolled(state) is not None:
        return None
    rules = poll_rules(settings)
    return next_poll(
        state.id, state.schedule, windows, rules, now=now, passive_at=state.passive_at, brake=brake
    )


def taken_in(
    state: AccountState, seen: Observation, settings: Settings, now: float, jitter: float
) -> AccountState:
    """An observation of any source; one that is not believed yet is to be read again soon."""
    state = observed(state, seen, now)
    if all((reading.used_percent or 0.0) < NEARLY_FULL for reading in seen.readings):
        return state
    windows = believed_windows(state.snapshot, reset_jitter=settings.rules.reset_jitter)
    if not is_doubted(seen, windows):
        return state
    return replace(state, schedule=state.schedule.doubted(now, poll_rules(settings), jitter=jitter))


def polled(
    state: AccountState, result: PollResult, settings: Settings, now: float, jitter: float
) -> AccountState:
    """A poll of the account ended."""
    if result.observation is not None:
        return _answered(state, result.observation, settings, now, jitter)
    state = replace(
        state,
        poll_error=result.error,
        schedule=state.schedule.failed(now, retry_after=result.retry_after, jitter=jitter),
    )
    if not result.pollable or (result.failure is not None and result.failure.scope_missing):
        return replace(state, unpolled=result.error)
    if result.failure is not None and result.failure.cls == "auth_permanent":
        return replace(state, dead_since=state.dead_since or now, dead_confirmed=True)
    return state


def _answered(
    state: AccountState, seen: Observation, settings: Settings, now: float, jitter: float
) -> AccountState:
    """The credential works: a login that was thought dead is not."""
    alive = replace(
        state, schedule=state.schedule.succeeded(now), poll_error=None, dead_since=None, dead_confirmed=False
    )
    return taken_in(alive, seen, settings, now, jitter)


def freed(before: Windows, after: Windows, now: float) -> bool:
    """Whether something refused before, and a reading now proves that nothing does."""
    return any(window.exhausted(now) for window in before.values()) and not any(
        window.exhausted(now) or window.passed(now) or window.used_percent is None
        for window in after.values()
    )
