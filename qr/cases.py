"""Situations and captured signals in files: what `qr decide` and `qr read-signal` are given.

The forms are those of the project's own tests (`tests/evidence`), so that a bug report can carry one.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cattrs
import msgspec
from attrs import Factory, frozen
from cattrs.errors import BaseValidationError

from qr.quota.belief import UNTOLD_REFUSAL
from qr.quota.signals import SignalError, read_signal
from qr.quota.windows import Status, Window
from qr.routing.account import AccountView, Circuit, Login
from qr.routing.bindings import Binding, Bindings
from qr.routing.decision import Decision, decide
from qr.routing.explanation import verdicts
from qr.routing.fleet import Fleet
from qr.routing.question import understand
from qr.routing.request import decode_pick
from qr.routing.sessions import binding_key, session_keys
from qr.settings import SettingsError, parse_settings

__all__ = ["CaseError", "decide_case", "read_case", "signal_of_case"]

# Captured answers and situations are a few kilobytes; a larger file is something else.
MAX_BYTES = 4 * 1024 * 1024


class CaseError(Exception):
    """A file is no case: says what is wrong, where, and what a case needs."""


@frozen
class CaseWindow:
    """A window as a situation gives it: `exhausted` and `warned` hold until its reset."""

    used_percent: float | None = None
    resets_at: float | None = None
    observed_at: float = 0.0
    status: Status | None = None
    warned: bool = False
    exhausted: bool = False
    paid: bool = False

    def window(self, name: str) -> Window:
        until = self.resets_at or self.observed_at + UNTOLD_REFUSAL
        return Window(
            name=name,
            used_percent=self.used_percent,
            resets_at=self.resets_at,
            observed_at=self.observed_at,
            status=self.status,
            warned_until=(self.resets_at or float("inf")) if self.warned else None,
            exhausted_until=until if self.exhausted else None,
            paid=self.paid,
            paid_until=until if self.paid else None,
        )


@frozen
class CaseAccount:
    """An account of the router's directory."""

    id: str
    provider: str
    disabled: bool = False
    paused: bool = False
    login: Login = "ok"
    breaker: Circuit = "closed"
    windows: Mapping[str, CaseWindow] = Factory(dict)

    def view(self) -> AccountView:
        return AccountView(
            id=self.id,
            provider=self.provider,
            disabled=self.disabled,
            paused=self.paused,
            login=self.login,
            circuit=self.breaker,
            windows={name: given.window(name) for name, given in self.windows.items()},
        )


@frozen
class CaseBinding:
    """A binding, by the clear form of its session."""

    session: str
    account: str
    caller_scope: str | None = None
    stand_in: str | None = None


@frozen
class Case:
    """A situation and one pick."""

    now: float
    request: dict[str, Any]
    settings: dict[str, Any] = Factory(dict)
    accounts: tuple[CaseAccount, ...] = ()
    bindings: tuple[CaseBinding, ...] = ()


converter = cattrs.Converter(forbid_extra_keys=False)


def read_case(path: Path) -> dict[str, Any]:
    """
    The JSON object in *path*.

    Raises:
        CaseError: there is none.

    """
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}.") from error
    if len(text) > MAX_BYTES:
        raise CaseError(f"{path}: larger than {MAX_BYTES} bytes; a case is a small JSON object.")
    try:
        case = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{path}: not JSON: {error}.") from error
    if not isinstance(case, dict):
        raise CaseError(f"{path}: a case is a JSON object, this is a {type(case).__name__}.")
    return case


def signal_of_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """
    What the router reads in the signal that *case* gives as `kind` and `input`.

    Raises:
        CaseError: the kind is unknown, or the input has not its form.

    """
    kind, given = case.get("kind"), case.get("input")
    if not isinstance(kind, str) or not isinstance(given, dict):
        raise CaseError("a signal needs `kind` (a text) and `input` (an object).")
    if kind == "session_headers":
        headers, metadata = given.get("headers"), given.get("metadata")
        session, parent = session_keys(
            headers if isinstance(headers, dict) else {}, metadata if isinstance(metadata, dict) else {}
        )
        return {"session_key": session, "parent_key": parent}
    try:
        return read_signal(kind, given)
    except SignalError as error:
        raise CaseError(str(error)) from error


def decide_case(given: Mapping[str, Any]) -> dict[str, Any]:
    """
    The decision for the situation in *given*, as the command prints it.

    Raises:
        CaseError: something is missing or has the wrong form.

    """
    try:
        case = converter.structure(dict(given), Case)
        rules = parse_settings(json.dumps(case.settings), source="settings").rules
        question = understand(decode_pick(msgspec.json.encode(case.request)))
    except BaseValidationError as error:
        raise CaseError("; ".join(cattrs.transform_error(error, path="case"))) from error
    except (SettingsError, msgspec.DecodeError) as error:
        raise CaseError(str(error)) from error
    fleet = Fleet(rules)
    for account in case.accounts:
        fleet.put(account.view())
    return _shown(decide(question, _table(case, question.providers), fleet, case.now))


def _table(case: Case, asked: tuple[str, ...]) -> Bindings:
    """The bindings of a case name no provider: it is their account's, or else anyone that asks."""
    table = Bindings(limit=len(case.bindings) * (len(asked) + 1), ttl=float("inf"))
    providers = {account.id: account.provider for account in case.accounts}
    for given in case.bindings:
        known = providers.get(given.account)
        for provider in (known,) if known else asked:
            key = binding_key(given.caller_scope or "", given.session)
            table.put(provider, key, Binding(given.account, given.stand_in))
    return table


def _shown(decision: Decision) -> dict[str, Any]:
    binding, would = decision.binding, decision.would
    return {
        "handled": decision.handled,
        "account": decision.account,
        "reason": decision.reason,
        "binding": binding.account if binding else None,
        "stand_in": binding.stand_in if binding else None,
        "would": {"account": would.account, "reason": would.reason} if would else None,
        "candidates": verdicts(decision),
    }
