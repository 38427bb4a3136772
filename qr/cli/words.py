"""How times and percents are written in the terminal: local clock time and countdown, used and left."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.markup import escape
from rich.table import Table
from rich.text import Text

__all__ = ["accounts_table", "countdown", "decision_line", "moment", "status_text", "used"]

COLOURS = {"ok": "green", "info": "cyan", "warning": "yellow", "error": "red"}

# The states of an account or window that want a colour; all others are shown as they are.
STATES = {
    "ok": "green",
    "warned": "yellow",
    "low": "yellow",
    "half_open": "yellow",
    "stale": "yellow",
    "reset_pending": "cyan",
    "exhausted": "red",
    "login_dead": "red",
    "circuit_open": "red",
    "paid": "magenta",
}

Json = Mapping[str, Any]


def countdown(seconds: float) -> str:
    """
    A length of time in its two largest units.

    >>> countdown(93784), countdown(59), countdown(-5)
    ('1 d 2 h', '59 s', 'now')
    """
    if seconds <= 0:
        return "now"
    parts: list[str] = []
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, seconds = divmod(int(seconds), length)
        if count or parts:
            parts.append(f"{count} {unit}")
    return " ".join(part for part in parts[:2] if not part.startswith("0 "))


def moment(at: float | None, now: float) -> str:
    """Local clock time and countdown; unknown is said to be unknown."""
    if at is None:
        return "unknown"
    local = datetime.fromtimestamp(at).astimezone()
    day = "" if local.date() == datetime.fromtimestamp(now).astimezone().date() else f"{local:%a %d %b} "
    return f"{day}{local:%H:%M} (in {countdown(at - now)})" if at > now else f"{day}{local:%H:%M} (passed)"


def used(window: Json) -> Text:
    """How much of a window is used and left, in the colour of its state."""
    percent = window["used_percent"]
    text = "unknown" if percent is None else f"{percent:.0f} % used, {window['remaining_percent']:.0f} % left"
    return Text(text, STATES.get(window["state"], ""))


def status_text(status: Json) -> Text:
    """All is well, or what wants attention and what to do."""
    text = Text(status["text"], COLOURS.get(status["level"], ""))
    for note in status["notes"]:
        text.append(f"\n  {note['text']}", COLOURS.get(note["level"], ""))
        if note["advice"]:
            text.append(f"\n    → {note['advice']}", "dim")
    return text


def accounts_table(accounts: Sequence[Json], now: float) -> Table:
    """One row for each window of each account."""
    table = Table("account", "state", "window", "use", "resets", "read", "sessions", box=None, pad_edge=False)
    for account in accounts:
        name, sessions = escape(account["label"] or account["id"]), str(account["sessions"])
        state = Text(account["state_text"], STATES.get(account["state"], ""))
        for window in account["windows"] or [None]:
            table.add_row(name, state, *_window_cells(window, now), sessions)
            name = sessions = ""
            state = Text()
    return table


def _window_cells(window: Json | None, now: float) -> tuple[str | Text, ...]:
    if window is None:
        return "-", "nothing read yet", "", ""
    age = window["age_seconds"]
    read = "unknown" if age is None else f"{countdown(age)} ago" if age >= 1 else "just now"
    stale = " (stale)" if window["stale"] else ""
    return window["title"], used(window), moment(window["resets_at"], now), read + stale


def decision_line(decision: Json) -> Text:
    """One decision: when, whom it chose, and why in words."""
    at = datetime.fromtimestamp(decision["at"]).astimezone()
    who = decision["account_label"] or decision["account"] or "the host decides"
    line = Text(f"{at:%H:%M:%S}  {decision['model'] or 'any model'} → ")
    line.append(who, "bold" if decision["handled"] else "dim")
    line.append(f"  {decision['reason_text']}", "dim")
    return line
