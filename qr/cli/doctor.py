"""`qr doctor`: everything that a user can get wrong, each with its remedy."""

from pathlib import Path

import click

from qr.cli.plugin import show_findings
from qr.cli.serve import settings_option
from qr.doctor import examine

__all__ = ["doctor"]


@click.command()
@settings_option
@click.option(
    "--plugins",
    "plugin_directory",
    type=click.Path(path_type=Path),
    help="The host's plugins.dir, to look at the installed library too.",
)
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def doctor(settings_file: Path | None, plugin_directory: Path | None, *, as_json: bool) -> None:
    """Look at the settings, directories, lock, socket, library, host link, clock and versions."""
    show_findings(examine(settings_file, plugin_directory), as_json=as_json)
