"""`qr explain`: why the last pick of a session came out as it did, or who would be picked now."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from qr.cli.client import ask, owner_socket
from qr.cli.serve import settings_option
from qr.cli.words import decision_line, moment

__all__ = ["explain"]

Json = Mapping[str, Any]


@click.command()
@click.argument("session", required=False)
@click.option("--provider", help="Without SESSION: only this provider.")
@click.option("--model", help="Without SESSION: for exactly this model; needs --provider.")
@settings_option
@click.option("--json", "as_json", is_flag=True, help="The answer of the API.")
def explain(
    session: str | None, provider: str | None, model: str | None, settings_file: Path | None, *, as_json: bool
) -> None:
    """
    Explain the last pick of SESSION, or who would serve a new session now.

    SESSION is the session's fingerprint as the dashboard shows it (the beginning of its key).
    """
    socket = owner_socket(settings_file)
    answer = _last_of(socket, session) if session else _next(socket, provider, model)
    if as_json:
        click.echo(json.dumps(answer))
    elif session:
        _show_decision(Console(), answer)
    else:
        _show_next(Console(), answer)


def _last_of(socket: Path, session: str) -> Json:
    found = ask(socket, "/decisions", {"session": session, "limit": 1})["decisions"]
    if not found:
        raise click.ClickException(f"no decision for session {session} is kept; `qr status` shows what is.")
    return ask(socket, "/decision", {"number": found[0]["number"]})


def _next(socket: Path, provider: str | None, model: str | None) -> Json:
    query = {"provider": provider, "model": model}
    return ask(socket, "/next", {key: value for key, value in query.items() if value})


def _show_decision(console: Console, answer: Json) -> None:
    console.print(decision_line(answer["decision"]))
    console.print(_candidates(answer["explained"], answer["now"]))


def _show_next(console: Console, answer: Json) -> None:
    for one in answer["answers"]:
        who = one["account_label"] or one["account"] or "nobody: the host would decide"
        asked = one["model"] or (f"{one['family']} models" if one["family"] else "other models")
        console.print(
            f"[bold]{one['provider']}[/bold], {escape(asked)}: {escape(who)} ({one['reason_text']})"
        )
        console.print(_candidates(one["explained"], answer["now"]))


def _candidates(explained: Sequence[Json], now: float) -> Table:
    table = Table("account", "said of it", "resets", "left", "host priority", box=None, pad_edge=False)
    for one in explained:
        parts = one["parts"]
        left = parts["long_remaining_percent"]
        table.add_row(
            escape(one["label"] or one["account"]),
            one["verdict_text"],
            moment(parts["long_resets_at"], now),
            "unknown" if left is None else f"{left:.0f} %",
            str(parts["host_priority"]),
        )
    return table
