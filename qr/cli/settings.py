"""`qr settings`: look at settings before they take effect."""

import json
from pathlib import Path

import click

from qr.settings import SettingsError, as_dict, dump, load_settings

__all__ = ["settings"]


@click.group()
def settings() -> None:
    """Check a settings file."""


@settings.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The settings, or their problems, as one JSON object.")
def check(file: Path, *, as_json: bool) -> None:
    """Name every problem of FILE by line and key; show the settings if there is none."""
    try:
        found = load_settings(file)
    except SettingsError as error:
        _refused(error, as_json=as_json)
    else:
        click.echo(
            json.dumps({"valid": True, "settings": as_dict(found)}) if as_json else dump(found), nl=as_json
        )


def _refused(error: SettingsError, *, as_json: bool) -> None:
    problems = [{"line": one.line, "key": one.key, "message": one.message} for one in error.problems]
    click.echo(json.dumps({"valid": False, "problems": problems}) if as_json else str(error), err=not as_json)
    raise SystemExit(1)
