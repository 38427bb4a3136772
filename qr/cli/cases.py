"""`qr read-signal` and `qr decide`: what is read in a captured signal, what is decided in a situation."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from qr.cases import CaseError, decide_case, read_case, signal_of_case

__all__ = ["decide", "read_signal"]

files = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
as_json = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line, in the order of the files."
)

Answer = dict[str, Any]


@click.command("read-signal")
@files
@as_json
def read_signal(files: Iterable[Path], *, as_json: bool) -> None:
    """
    What the router reads in captured responses and requests.

    A file is a JSON object with `kind` and `input`; `claude_headers`, `claude_usage`, `codex_headers`,
    `codex_usage`, `failure` and `session_headers` are known kinds.
    """
    _each(files, signal_of_case, _show_signal, as_json=as_json)


@click.command()
@files
@as_json
def decide(files: Iterable[Path], *, as_json: bool) -> None:
    """
    The decision for situations.

    A file is a JSON object with `now`, `settings`, `accounts`, `bindings` and `request` (the host's own
    `scheduler.pick`).
    """
    _each(files, decide_case, _show_decision, as_json=as_json)


def _each(
    files: Iterable[Path],
    read: Callable[[Mapping[str, Any]], Answer],
    show: Callable[[Console, Answer], None],
    *,
    as_json: bool,
) -> None:
    """Every file gets its answer or its error; one that is wrong does not cost the others theirs."""
    failed = False
    for file in files:
        try:
            answer = read(read_case(file))
        except CaseError as error:
            failed = True
            _show_error(file, str(error), as_json=as_json)
            continue
        if as_json:
            click.echo(json.dumps(answer, ensure_ascii=False))
        else:
            click.secho(str(file), bold=True)
            show(Console(), answer)
    if failed:
        raise SystemExit(1)


def _show_error(file: Path, error: str, *, as_json: bool) -> None:
    text = error if error.startswith(str(file)) else f"{file}: {error}"
    click.secho(text, fg="red", err=True)
    if as_json:
        click.echo(json.dumps({"error": text}, ensure_ascii=False))


def _show_signal(console: Console, answer: Answer) -> None:
    if not answer:
        console.print("  nothing is learnt")
    elif all(isinstance(value, dict) for value in answer.values()):
        table = Table("window", "used", "resets at", "status")
        for name, window in answer.items():
            used = window["used_percent"]
            table.add_row(
                name, "?" if used is None else f"{used:g} %", *_words(window["resets_at"], window["status"])
            )
        console.print(table)
    else:
        _show_pairs(console, answer)


def _show_decision(console: Console, answer: Answer) -> None:
    _show_pairs(console, {key: value for key, value in answer.items() if key != "candidates"})
    table = Table("candidate", "verdict")
    for account, verdict in answer["candidates"].items():
        table.add_row(account, verdict)
    console.print(table)


def _show_pairs(console: Console, pairs: Mapping[str, Any]) -> None:
    for key, value in pairs.items():
        console.print(f"  {key}: {_words(value)[0]}", markup=False, highlight=False)


def _words(*values: object) -> list[str]:
    return ["-" if value is None else str(value) for value in values]
