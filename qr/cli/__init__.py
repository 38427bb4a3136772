"""The command line. Exit codes: 0 done, 1 failed, 2 wrong usage."""

from importlib import import_module

import click

from qr import __version__

__all__ = ["main"]

# A command's module is imported when it is asked for: `qr decide` needs no web server.
COMMANDS = {
    "decide": "qr.cli.cases:decide",
    "demo": "qr.cli.demo:demo",
    "doctor": "qr.cli.doctor:doctor",
    "explain": "qr.cli.explain:explain",
    "plugin": "qr.cli.plugin:plugin",
    "read-signal": "qr.cli.cases:read_signal",
    "serve": "qr.cli.serve:serve",
    "settings": "qr.cli.settings:settings",
    "simulate": "qr.cli.simulate:simulate",
    "status": "qr.cli.status:status",
    "watch": "qr.cli.watch:watch",
}


class Commands(click.Group):
    """The commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quota-router")
def main() -> None:
    """Decide which Claude or Codex subscription serves each request, and show why."""
