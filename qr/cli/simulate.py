"""`qr simulate`: a week in seconds, with the real actors against simulated providers."""

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from qr import logs
from qr.lab.events import Violation
from qr.lab.measures import Result
from qr.lab.simulate import BASELINES, Scenario, compare
from qr.routing.policies import POLICIES

__all__ = ["simulate"]

KNOWN = (*POLICIES, *BASELINES)

# What a person compares, in words and in the order of importance.
ROWS: Sequence[tuple[str, Callable[[Result], str]]] = (
    ("requests", lambda result: f"{result.requests:,}"),
    ("not served", lambda result: f"{result.unserved:,}"),
    ("refusals met", lambda result: f"{result.refusals:,}"),
    ("  of them unavoidable", lambda result: f"{result.unavoidable:,}"),
    ("quota wasted at resets", lambda result: f"{result.wasted_percent:.1f} % of {result.resets} windows"),
    ("requests moved", lambda result: f"{result.moves:,}"),
    ("  cost in cache", lambda result: f"{result.moves_cost_percent:.2f} % of tokens"),
    ("picks decided", lambda result: f"{result.handled:,} of {result.picks:,}"),
    ("polls per account and hour", lambda result: f"{result.polls_per_account_hour:.1f}"),
    ("fairness (1 is even)", lambda result: f"{result.fairness:.3f}"),
    ("events", lambda result: f"{result.events:,}"),
    ("digest", lambda result: result.digest[:16]),
)


@click.command()
@click.option("--days", type=click.FloatRange(min=0.01, max=60), default=7.0, show_default=True)
@click.option("--accounts", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--sessions", type=click.IntRange(1, 100_000), default=400, show_default=True)
@click.option("--policy", type=click.Choice(KNOWN), default="reset_first", show_default=True)
@click.option("--compare", "compared", help="Policies side by side, separated by commas.")
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same run.")
@click.option("--faults", type=click.Choice(["none", "some", "wild"]), default="some", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a run.")
def simulate(compared: str | None, *, as_json: bool, policy: str, **scenario: Any) -> None:  # noqa: ANN401 - as named
    """
    Run simulated accounts and agents through the real router in virtual time.

    An invariant that does not hold ends the run with its seed and the last events.
    """
    logs.configure("error")
    policies = _policies(compared) if compared else [policy]
    try:
        results = _run(policies, Scenario(**scenario))
    except Violation as violation:
        raise click.ClickException(str(violation)) from violation
    if as_json:
        for result in results:
            click.echo(json.dumps(result.as_dict()))
    else:
        Console().print(_table(results))


def _policies(compared: str) -> list[str]:
    policies = [name.strip() for name in compared.split(",") if name.strip()]
    unknown = [name for name in policies if name not in KNOWN]
    if unknown or not policies:
        raise click.BadParameter(f"no such policy: {', '.join(unknown)}; there are {', '.join(KNOWN)}")
    return policies


def _run(policies: Sequence[str], scenario: Scenario) -> list[Result]:
    shown = sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=not shown) as progress:
        task = progress.add_task("simulating", total=1.0)
        return compare(policies, scenario, lambda done: progress.update(task, completed=done))


def _table(results: Sequence[Result]) -> Table:
    table = Table("", *(result.policy for result in results), box=None, pad_edge=False)
    for name, show in ROWS:
        table.add_row(name, *(show(result) for result in results))
    return table
