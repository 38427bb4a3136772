"""`qr status`: how the running service and its accounts are."""

import json
from pathlib import Path

import click
from rich.console import Console

from qr.cli.client import ask, owner_socket
from qr.cli.serve import settings_option
from qr.cli.words import accounts_table, status_text

__all__ = ["status"]


@click.command()
@settings_option
@click.option("--json", "as_json", is_flag=True, help="The answers of the API as one JSON object.")
def status(settings_file: Path | None, *, as_json: bool) -> None:
    """Show whether all is well, and what each account has left."""
    socket = owner_socket(settings_file)
    health, accounts = ask(socket, "/health"), ask(socket, "/accounts")
    if as_json:
        click.echo(json.dumps({"health": health, "accounts": accounts["accounts"]}))
        return
    console = Console()
    console.print(status_text(health["status"]))
    console.print()
    console.print(accounts_table(accounts["accounts"], accounts["now"]))
