"""`qr plugin`: compile, install and check the library that the host loads."""

import json
from collections.abc import Sequence
from pathlib import Path

import click
from attrs import asdict

from qr.abi.build import TARGETS, BuildError, host_target
from qr.abi.build import build as compile_library
from qr.abi.check import Finding
from qr.abi.check import check as check_library
from qr.abi.install import PLUGIN_ID, InstallError, library_path
from qr.abi.install import install as install_library
from qr.cli.serve import settings_option, settings_or_exit
from qr.web.host import packaged_registration

__all__ = ["plugin", "show_findings"]


@click.group()
def plugin() -> None:
    """Build, install and check the plugin library."""


@plugin.command()
@click.option("--all", "everything", is_flag=True, help="For all platforms, not only for this machine.")
def build(*, everything: bool) -> None:
    """Compile the library (needs the `build` extra: pip install 'quota-router[build]')."""
    try:
        for target in TARGETS.values() if everything else [host_target()]:
            click.echo(str(compile_library(target)))
    except BuildError as error:
        raise click.ClickException(str(error)) from error


@plugin.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--id", "plugin_id", default=PLUGIN_ID, show_default=True, help="The plugin's id in the host.")
@click.option("--target", type=click.Choice(list(TARGETS)), help="The host's platform; default: this one.")
@click.option("--replace", is_flag=True, help="Remove other files of the same plugin.")
@settings_option
def install(
    directory: Path, plugin_id: str, target: str | None, settings_file: Path | None, *, replace: bool
) -> None:
    """Install the library below DIR, the host's `plugins.dir`."""
    settings = settings_or_exit(settings_file)
    try:
        done = install_library(
            directory,
            settings.socket,
            plugin_id,
            target=TARGETS[target] if target else None,
            pick_deadline_ms=round(settings.pick_deadline * 1000),
            pages=packaged_registration(plugin_id),
            replace=replace,
        )
    except (InstallError, BuildError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"Installed {done.library}\nand {done.sidecar}.\n\nThe host's config.yaml needs:\n\n{done.config}"
    )
    click.echo("Restart the host if it had loaded an earlier library.")


@plugin.command()
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--id", "plugin_id", default=PLUGIN_ID, show_default=True, help="The plugin's id in the host.")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def check(directory: Path, plugin_id: str, *, as_json: bool) -> None:
    """Load the library installed below DIR as the host would: register, pick, unload."""
    library = library_path(directory, plugin_id, host_target())
    findings = check_library(directory if directory.is_file() else library)
    show_findings(findings, as_json=as_json)


def show_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Print findings, each that is wrong with its remedy; exit code 1 if any is."""
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings]))
    for finding in [] if as_json else findings:
        mark = click.style("ok  ", fg="green") if finding.ok else click.style("FAIL", fg="red")
        click.echo(f"{mark} {finding.step}: {finding.seen}")
        if finding.remedy and not finding.ok:
            click.echo(f"     → {finding.remedy}")
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)
