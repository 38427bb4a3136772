"""Talks to the running service through its owner's socket: no token for who owns the state directory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import httpx

from qr.cli.serve import settings_or_exit
from qr.web.service import OWNER_SOCKET

__all__ = ["ask", "owner_socket"]

# A healthy service answers within milliseconds; one that is busy for longer than this is in trouble.
PATIENCE = 5.0

Answer = dict[str, Any]


def owner_socket(settings_file: Path | None) -> Path:
    """Where the service of these settings can be asked."""
    return settings_or_exit(settings_file).state_dir / OWNER_SOCKET


def ask(socket: Path, path: str, query: Mapping[str, str | int] | None = None) -> Answer:
    """
    The JSON answer of the API to a GET of *path*.

    Raises:
        click.ClickException: nobody answers, or the API has a problem; says what to do.
    """
    transport = httpx.HTTPTransport(uds=str(socket))
    try:
        with httpx.Client(
            transport=transport, base_url="http://localhost/api/v1", timeout=PATIENCE
        ) as client:
            response = client.get(path, params=query)
            answer: Answer = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise click.ClickException(
            f"no service answers on {socket}: start `qr serve`, or name its settings with --settings."
        ) from error
    if response.is_error:
        raise click.ClickException(f"{answer.get('title')}: {answer.get('detail')}")
    return answer
