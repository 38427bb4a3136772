"""`qr watch`: the live feed in the terminal."""

import json
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import trio
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text
from trio_websocket import ConnectionClosed, HandshakeError, WebSocketConnection, wrap_client_stream

from qr.cli.client import owner_socket
from qr.cli.serve import settings_option
from qr.cli.words import accounts_table, decision_line, status_text

__all__ = ["Picture", "watch"]

# Decisions on the screen: what fits below a handful of accounts.
SHOWN = 12

# Seconds between two attempts to reach a service that is not there.
RETRY = 1.0

# The feed's frames are below 64 KB.
MAX_MESSAGE = 128 * 1024

Json = Mapping[str, Any]


class Picture:
    """What the feed has told so far; each message makes it newer."""

    def __init__(self) -> None:
        self.epoch: str | None = None
        self.number = 0
        self.part: str | None = None
        self.now = 0.0
        self.status: Json = {"level": "info", "text": "Waiting for the service …", "notes": []}
        self.accounts: dict[str, Json] = {}
        self.decisions: deque[Json] = deque(maxlen=SHOWN)

    def question(self) -> str:
        """What to ask next; an empty one is answered with a snapshot."""
        if self.epoch is None:
            return "{}"
        return json.dumps({"after": self.number, "epoch": self.epoch, "next": self.part})

    def take(self, message: Json) -> None:
        """Apply one message of the feed; kinds that are not known change nothing."""
        if message.get("kind") == "snapshot":
            self._restart(message)
        elif message.get("kind") == "changes":
            self._change(message["changes"])
        else:
            return
        self.epoch, self.number = message["epoch"], message["number"]
        self.now, self.status = message["now"], message["status"]
        self.part = message.get("next")

    def _restart(self, message: Json) -> None:
        if message.get("first", True):
            self.accounts.clear()
        self.accounts.update((account["id"], account) for account in message["accounts"])

    def _change(self, changes: list[Json]) -> None:
        for change in changes:
            if change["kind"] == "decision" and change["value"]:
                self.decisions.appendleft(change["value"])
            elif change["kind"] == "account" and change["value"]:
                self.accounts[change["key"]] = change["value"]
            elif change["kind"] == "account":
                self.accounts.pop(change["key"], None)

    def lost(self, why: str) -> None:
        """The service is gone; what is shown is as old as it is."""
        self.epoch = None
        self.status = {"level": "error", "text": why, "notes": []}

    def shown(self) -> Group:
        lines = [decision_line(decision) for decision in self.decisions]
        accounts = accounts_table(list(self.accounts.values()), self.now)
        return Group(status_text(self.status), Text(), accounts, Text(), *lines)


@click.command()
@settings_option
def watch(settings_file: Path | None) -> None:
    """Show accounts and decisions as they change, until interrupted."""
    socket = owner_socket(settings_file)
    try:
        trio.run(_watch, socket)
    except* KeyboardInterrupt:
        raise SystemExit(0) from None


async def _watch(socket: Path) -> None:
    picture = Picture()
    with Live(picture.shown(), console=Console(), refresh_per_second=4, screen=True) as live:
        while True:
            try:
                await _follow(socket, picture, live)
            except* (OSError, ConnectionClosed, HandshakeError, trio.BrokenResourceError):
                picture.lost(f"No service answers on {socket}: it is tried again.")
                live.update(picture.shown())
            await trio.sleep(RETRY)


async def _follow(socket: Path, picture: Picture, live: Live) -> None:
    async with trio.open_nursery() as nursery:
        stream = await trio.open_unix_socket(str(socket))
        connection: WebSocketConnection = await wrap_client_stream(
            nursery, stream, "localhost", "/live", max_message_size=MAX_MESSAGE
        )
        async with connection:
            while True:
                await connection.send_message(picture.question())
                picture.take(json.loads(await connection.get_message()))
                live.update(picture.shown())
