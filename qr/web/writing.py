"""The routes that change something: each says what it did, and how to take it back."""

from collections.abc import Mapping
from typing import Any, TypeVar

import trio

from qr.actors.mailbox import Reply
from qr.actors.messages import Pause, Refresh, Restore, SupervisorMessage, Unbind
from qr.actors.schedule import REFRESH_GAP
from qr.routing.bindings import Binding
from qr.web.changing import Proposal, propose, put_in_force
from qr.web.desk import Desk
from qr.web.problems import ProblemError
from qr.web.render.settings import change_shapes
from qr.web.routes import Route
from qr.web.shapes.asks import (
    AskAccount,
    SessionKey,
    SetBinding,
    SetMode,
    SetPolicy,
    SetPriority,
    SetValues,
)
from qr.web.shapes.service import Action, Change, Checked, Lasts, Undo

__all__ = ["WRITING"]

T = TypeVar("T")

# Seconds for which the effect of an action is waited for: a supervisor that restarts is back long before.
PATIENCE = 2.0


def _tell(desk: Desk, message: SupervisorMessage) -> None:
    if not desk.house.door.tell(message):
        raise _busy()


def _busy() -> ProblemError:
    return ProblemError("busy", "The supervisor did not get to it; try again.", retry_after=1)


def _label(desk: Desk, account: str) -> str:
    if account not in desk.fleet:
        raise ProblemError("unknown_account", "No account has this id.")
    return desk.names.label(account)


async def pause(desk: Desk, ask: AskAccount) -> Action:
    return await _paused(desk, ask.account, on=True)


async def resume(desk: Desk, ask: AskAccount) -> Action:
    return await _paused(desk, ask.account, on=False)


async def _paused(desk: Desk, account: str, *, on: bool) -> Action:
    label = _label(desk, account)
    changes = not _is_paused(desk, account, on=on)
    if changes:
        _tell(desk, Pause(account, on))
        await _until_paused(desk, account, on=on)
        desk.status.forget()
    said = "is paused: it gets no request until it is resumed" if on else "is in service again"
    back = Undo("Resume", "POST", "/accounts/resume", {"account": account})
    forth = Undo("Pause", "POST", "/accounts/pause", {"account": account})
    return Action(f"{label} {said}.", changes, undo=(back if on else forth) if changes else None)


def _is_paused(desk: Desk, account: str, *, on: bool) -> bool:
    view = desk.fleet.get(account)
    return view is None or view.paused == on


async def _until_paused(desk: Desk, account: str, *, on: bool) -> None:
    feed = desk.house.feed
    with trio.move_on_after(PATIENCE):
        while not _is_paused(desk, account, on=on):
            await feed.wait(feed.number)
        return
    raise _busy()


async def refresh(desk: Desk, ask: AskAccount) -> Action:
    label = _label(desk, ask.account)
    message = Refresh(ask.account)
    _tell(desk, message)
    answer = await _answered(message.reply)
    if answer.refused is not None:
        raise ProblemError("not_offered", f"{label} is not polled: {answer.refused}.")
    if not answer.started:
        wait = max(answer.possible_at - desk.now, 1.0)
        raise ProblemError(
            "too_soon",
            f"{label} was polled just now, or its provider asked to wait.",
            retry_after=wait,
            possible_at=answer.possible_at,
        )
    done = f"{label} is being polled; what it brings arrives over the feed."
    return Action(done, changed=True, possible_at=desk.now + REFRESH_GAP)


async def unbind(desk: Desk, ask: SessionKey) -> Action:
    before = desk.bindings.get(ask.provider, ask.key)
    message = Unbind(ask.provider, ask.key)
    _tell(desk, message)
    if not await _answered(message.reply) or before is None:
        raise ProblemError("unknown_session", "No session is bound under this key.")
    body = {
        "provider": ask.provider,
        "key": ask.key,
        "account": before.account,
        "stand_in": before.stand_in,
        "bound_at": before.bound_at,
        "used_at": before.used_at,
    }
    done = f"Session {ask.key[:8]} is unbound: its next request chooses an account anew."
    return Action(done, changed=True, undo=Undo("Bind again", "POST", "/sessions/restore", body))


async def restore(desk: Desk, ask: SetBinding) -> Action:
    label, now = _label(desk, ask.account), desk.now
    stand_in = ask.stand_in if ask.stand_in is not None and ask.stand_in in desk.fleet else None
    binding = Binding(ask.account, stand_in, min(ask.bound_at, now), min(ask.used_at, now))
    message = Restore(ask.provider, ask.key, binding)
    _tell(desk, message)
    if not await _answered(message.reply):
        raise ProblemError("session_bound_anew", "The session has chosen an account since; it keeps that.")
    undo = Undo("Unbind", "POST", "/sessions/unbind", {"provider": ask.provider, "key": ask.key})
    return Action(f"Session {ask.key[:8]} is bound to {label} again.", changed=True, undo=undo)


async def _answered(reply: Reply[T]) -> T:
    with trio.move_on_after(PATIENCE):
        answer = await reply.wait()
        if answer is not None:
            return answer
    raise _busy()


async def check(desk: Desk, ask: SetValues) -> Checked:
    proposal = propose(desk, ask.values)
    patch = {key: value for key, value in ask.values.items() if key in _changed(proposal)}
    return Checked(not proposal.problems, proposal.problems, change_shapes(proposal.changes), patch)


def _changed(proposal: Proposal) -> set[str]:
    return {change.key for change in proposal.changes.keys}


async def patch_settings(desk: Desk, ask: SetValues) -> Action:
    return _set(desk, propose(desk, ask.values), temporary=ask.temporary)


async def put_settings(desk: Desk, ask: SetValues) -> Action:
    return _set(desk, propose(desk, ask.values, whole=True), temporary=ask.temporary)


async def set_mode(desk: Desk, ask: SetMode) -> Action:
    return _set(desk, propose(desk, {"mode": ask.mode}), temporary=ask.temporary)


async def set_policy(desk: Desk, ask: SetPolicy) -> Action:
    return _set(desk, propose(desk, {"policy": ask.policy}), temporary=ask.temporary)


async def set_priority(desk: Desk, ask: SetPriority) -> Action:
    _label(desk, ask.account)
    table = {**desk.rules.manual_priority, ask.account: ask.priority}
    values = {"manual_priority": {account: own for account, own in table.items() if own}}
    return _set(desk, propose(desk, values), temporary=ask.temporary)


def _set(desk: Desk, proposal: Proposal, *, temporary: bool) -> Action:
    if desk.owner == "host" and not temporary:
        raise ProblemError(
            "settings_belong_to_host",
            "Set them in the host's config.yaml under plugins.configs.quota-router, or in the host's pages; "
            "with `temporary` they hold until the host loads its configuration again.",
        )
    put_in_force(desk, proposal)
    changes = change_shapes(proposal.changes)
    lasts: Lasts = "until_host_reload" if desk.owner == "host" else "until_restart"
    return Action(_done(changes), bool(changes), lasts, _undo(changes, temporary=temporary), changes)


def _done(changes: list[Change]) -> str:
    if not changes:
        return "Nothing was different: the settings in force stay in force."
    said = ", ".join(f"{change.key} is {_in_words(change.new)}" for change in changes)
    return f"In force now: {said}."


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {own}" for key, own in value.items()) or "empty"
    return "not set" if value is None else str(value)


def _undo(changes: list[Change], *, temporary: bool) -> Undo | None:
    """None too when a secret changed: its old value is not told. An empty text is what was not set."""
    old: dict[str, Any] = {change.key: "" if change.old is None else change.old for change in changes}
    if not changes or any("***" in str(value) for value in old.values()):
        return None
    body: dict[str, Any] = {"values": old, "temporary": True} if temporary else {"values": old}
    return Undo("Set back", "PATCH", "/settings", body)


SETTINGS = ("invalid_settings", "settings_belong_to_host")
ACCOUNT = ("unknown_account", "busy")

WRITING = (
    Route("POST", "/accounts/pause", pause, AskAccount, Action, "Give an account no requests", ACCOUNT),
    Route("POST", "/accounts/resume", resume, AskAccount, Action, "Put an account into service", ACCOUNT),
    Route("POST", "/accounts/refresh", refresh, AskAccount, Action, "Poll an account now",
          (*ACCOUNT, "not_offered", "too_soon")),
    Route("POST", "/accounts/priority", set_priority, SetPriority, Action, "Set a manual priority",
          ("unknown_account", *SETTINGS)),
    Route("POST", "/sessions/unbind", unbind, SessionKey, Action, "Forget a session's binding",
          ("unknown_session", "busy")),
    Route("POST", "/sessions/restore", restore, SetBinding, Action, "Take an unbinding back",
          ("unknown_account", "session_bound_anew", "busy")),
    Route("POST", "/mode", set_mode, SetMode, Action, "Set the mode", SETTINGS),
    Route("POST", "/policy", set_policy, SetPolicy, Action, "Set the policy", SETTINGS),
    Route("POST", "/settings/check", check, SetValues, Checked, "Check settings, change nothing"),
    Route("PATCH", "/settings", patch_settings, SetValues, Action, "Change the named settings", SETTINGS),
    Route("PUT", "/settings", put_settings, SetValues, Action, "Replace the settings", SETTINGS),
)  # fmt: skip
