"""Accounts as they are shown, and the evidence behind their numbers."""

from collections.abc import Iterator, Mapping

from attrs import Factory, frozen

from qr.quota.evidence import Evidence as Kept
from qr.quota.evidence import Snapshot
from qr.quota.windows import Window
from qr.routing.account import AccountView, Circuit
from qr.routing.rules import Rules
from qr.routing.sessions import fingerprint
from qr.routing.standing import Standing
from qr.web.render.windows import in_order, window_shape
from qr.web.render.words import error_text, said_text, verdict_text, window_title
from qr.web.shapes.accounts import (
    Account,
    AccountState,
    ActorLife,
    CircuitState,
    ErrorName,
    Evidence,
    Listed,
    PlanTold,
    Polling,
    ReadPoint,
    Said,
    WindowEvidence,
)

__all__ = ["Around", "account_shape", "account_state", "by_label", "evidence_shape"]


@frozen
class Around:
    """What stands beside an account's own view. Times are epoch seconds."""

    standing: Standing
    """For a model of no family."""
    rules: Rules
    now: float
    sessions: int = 0
    reserved_percent: float = 0.0
    restarts: int = 0
    last_death: str | None = None
    refresh_possible_at: float | None = None
    began_at: Mapping[str, float | None] = Factory(dict)
    """When each window was seen to begin anew, by its name."""


def by_label(view: AccountView) -> tuple[str, str, str]:
    """The order of lists of accounts."""
    return view.provider, view.label.casefold() or view.id.casefold(), view.id


def account_shape(view: AccountView, around: Around) -> Account:
    """One account at the time of *around*."""
    state, rules, now = account_state(view, around), around.rules, around.now
    return Account(
        id=view.id,
        fingerprint=fingerprint(view.id),
        provider=view.provider,
        label=view.label or view.id,
        plan=view.plan,
        state=state,
        state_text=_state_text(state, view, around),
        usable=around.standing.usable,
        trusted=around.standing.trusted,
        disabled=view.disabled,
        paused=view.paused,
        login=view.login,
        circuit=CircuitState(_circuit(view, now), view.circuit_until, view.trial_until),
        windows=[
            window_shape(window, rules, now, around.began_at.get(window.name))
            for window in in_order(view.windows.values())
        ],
        manual_priority=rules.manual_priority.get(view.id, 0),
        sessions=around.sessions,
        reserved_percent=around.reserved_percent,
        observed_at=view.observed_at or None,
        last_error=ErrorName(view.last_error, error_text(view.last_error)) if view.last_error else None,
        polling=_polling(view, around),
        actor=ActorLife(around.restarts, around.last_death),
    )


def _circuit(view: AccountView, now: float) -> Circuit:
    """A view says `open` until its next change, also when the time for a trial has come."""
    if view.circuit != "open":
        return view.circuit
    return "open" if view.circuit_until is None or now < view.circuit_until else "half_open"


def _polling(view: AccountView, around: Around) -> Polling:
    return Polling(
        polled=view.unpolled is None,
        why_not=view.unpolled,
        last_at=view.polled_at,
        last_error=view.poll_error,
        next_at=view.next_poll_at,
        refresh_possible_at=None if view.unpolled else around.refresh_possible_at,
    )


STATES: Mapping[str, AccountState] = {
    "disabled": "disabled",
    "login_dead": "login_dead",
    "paid_usage": "paid",
    "circuit_open": "circuit_open",
    "paused": "paused",
    "unknown": "unknown",
    "reset_pending": "reset_pending",
    "stale": "stale",
}


def account_state(view: AccountView, around: Around) -> AccountState:
    """The worst that is true of the account, in the order of a decision's own verdicts."""
    standing = around.standing
    if standing.exhausted and not standing.gone:
        return "exhausted"
    if standing.verdict is not None:
        return STATES.get(standing.verdict, "unknown")
    if standing.headroom < around.rules.new_session_min_remaining:
        return "low"
    if _circuit(view, around.now) == "half_open":
        return "half_open"
    return "warned" if standing.warned else "ok"


def _state_text(state: AccountState, view: AccountView, around: Around) -> str:
    if state == "exhausted":
        return f"used up: {window_title(around.standing.exhausted or '')}"
    if state == "warned":
        return f"the provider warns: {_warned(view, around.now)}"
    texts = {
        "ok": "all is well",
        "low": "too little is left for new sessions",
        "half_open": "one trial request decides whether it is well again",
        "paid": verdict_text("paid_usage"),
    }
    return texts.get(state) or verdict_text(state)


def _warned(view: AccountView, now: float) -> str:
    return ", ".join(window_title(one.name) for one in in_order(view.windows.values()) if one.warned(now))


def evidence_shape(account: str, snapshot: Snapshot, believed: Mapping[str, Window], now: float) -> Evidence:
    """
    What was read of each window of *account*, newest first.

    Args:
        account: its id.
        snapshot: what its actor keeps.
        believed: its windows as they are shown.
        now: epoch seconds.

    """
    listed, plan = snapshot.listing, snapshot.plan
    return Evidence(
        now=now,
        account=account,
        fingerprint=fingerprint(account),
        windows=[
            WindowEvidence(name, window_title(name), _readings(known, believed.get(name)), list(_said(known)))
            for name, known in sorted(snapshot.evidence.items())
        ],
        listed=Listed(listed.at, list(listed.names)) if listed else None,
        all_clear_at=snapshot.all_clear.at if snapshot.all_clear else None,
        plan=PlanTold(plan.at, plan.name) if plan else None,
    )


def _readings(known: Kept, shown: Window | None) -> list[ReadPoint]:
    points = {point for anchor in known.anchors for point in (anchor.first, anchor.last)}
    now_shown = (shown.observed_at, shown.used_percent) if shown else None
    return [
        ReadPoint(
            at=point.at,
            used_percent=point.used_percent,
            resets_at=point.resets_at,
            unstarted=point.unstarted,
            paid=point.paid,
            source=point.source,
            believed=(point.at, point.used_percent) == now_shown,
        )
        for point in sorted(points, key=lambda point: (-point.at, point.used_percent))
    ]


def _said(known: Kept) -> Iterator[Said]:
    if known.status:
        text = said_text("status", known.status.status)
        yield Said("status", known.status.at, known.status.status, None, text)
    if known.refusal:
        yield Said("refusal", known.refusal.at, None, known.refusal.until, said_text("refusal", None))
    if known.mark:
        yield Said("mark", known.mark.at, None, known.mark.until, said_text("mark", None))
    if known.unmarked:
        said = known.unmarked
        yield Said("unmarked", said.at, said.status, None, said_text("unmarked", said.status))
