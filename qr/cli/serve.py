"""`qr serve`: the service."""

from pathlib import Path

import click
import structlog
import trio

from qr import logs
from qr.service import begin, run_until_signal
from qr.settings import Settings, SettingsError, load_settings
from qr.system import build, listen
from qr.web.service import Service
from qr.web.service import serve as open_web

__all__ = ["serve", "settings_option", "settings_or_exit"]

settings_option = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    help="The settings file (YAML). Without one, the defaults and the environment hold.",
)

log = structlog.get_logger(__name__)


@click.command()
@settings_option
def serve(settings_file: Path | None) -> None:
    """
    Answer the host's plugin and show what happens, until interrupted.

    Nothing listens beyond loopback unless the settings say so.
    """
    settings = settings_or_exit(settings_file)
    logs.configure(settings.log_level)
    begin()
    try:
        listening = listen(settings)
        house = build(settings)
        web = open_web(house, settings)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    for notice in house.notices:
        log.warning("state", notice=notice)
    click.echo(f"Dashboard: {_address(web)}", err=True)
    trio.run(lambda: run_until_signal(house, listening, *web))


def _address(web: Service) -> str:
    """An address that logs in; a token of the operator's own is known to him, and printed nowhere."""
    return web.url if web.access.own else web.login_url


def settings_or_exit(file: Path | None) -> Settings:
    """The settings, or every problem of them and exit code 1."""
    try:
        return load_settings(file)
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
