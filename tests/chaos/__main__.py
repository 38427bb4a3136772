"""`python -m tests.chaos`: storms without the test runner. Exit code 1 when anything was violated."""

import json
import os
import sys
from collections.abc import Callable

import click

from tests.chaos.outcome import Outcome
from tests.chaos.soak import Soak
from tests.chaos.storm import run_storm
from tests.chaos.virtual import run_virtual
from tests.places import short_place

Storm = Callable[[int, int], Outcome]


@click.group()
def main() -> None:
    """Kill the service in every way while picks go on."""


def storm(command: Callable[..., None]) -> Callable[..., None]:
    """The options that all storms have."""
    for option in (
        click.option("--seed", type=int, default=1, show_default=True),
        click.option("--picks", type=click.IntRange(1000), default=10_000, show_default=True),
        click.option("--json", "as_json", is_flag=True, help="For a program."),
    ):
        command = option(command)
    return command


@main.command()
@storm
def chain(seed: int, picks: int, as_json: bool) -> None:
    """One storm over the whole chain: the real library, a real process, its disk."""
    with short_place() as place:
        tell(run_storm(seed, picks, place), as_json=as_json)


@main.command()
@storm
def virtual(seed: int, picks: int, as_json: bool) -> None:
    """One storm under a virtual clock."""
    with short_place() as place:
        tell(run_virtual(seed, picks, place), as_json=as_json)


@main.command()
@click.option("--for", "seconds", type=click.FloatRange(min=1), default=60.0, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The first one.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
def soak(seconds: float, seed: int, jobs: int) -> None:
    """Storms with one seed after the other, several at a time."""
    all_of_them = Soak(seed, seconds, jobs)
    all_of_them.run()
    click.echo(str(all_of_them))
    sys.exit(bool(all_of_them.failures))


def tell(outcome: Outcome, *, as_json: bool) -> None:
    click.echo(json.dumps(outcome.values()) if as_json else str(outcome))
    sys.exit(bool(outcome.violations))


if __name__ == "__main__":
    main()
