"""`qr demo`: all of it in one command."""

import click
import trio

from qr import logs
from qr.abi.build import BuildError
from qr.lab.demo import run_demo

__all__ = ["demo"]


@click.command()
@click.option("--for", "seconds", type=click.FloatRange(min=1), help="Stop after so many seconds.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8318, show_default=True, help="0: any free one."
)
def demo(seconds: float | None, port: int) -> None:
    """Show simulated accounts and agents, the real plugin library, and a live page."""
    logs.configure("error")
    try:
        code = trio.run(lambda: run_demo(seconds=seconds, port=port))
    except (OSError, BuildError) as error:
        raise click.ClickException(str(error)) from error
    raise SystemExit(code)
