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


def _wasted(result: Result) -> str:
    """In a run of some hours no long window may have ended."""
    return f"{result.wasted_percent:.1f} %" if result.resets else "-"


def _decided(result: Result) -> str:
    if result.policy in BASELINES or not result.picks:
        return "-"
    return f"{100 * result.handled / result.picks:.1f} %"


Column = tuple[str, Callable[[Result], str]]

# One run, in words and in the order of importance.
ROWS: Sequence[Column] = (
    ("requests", lambda result: f"{result.requests:,}"),
    ("not served", lambda result: f"{result.unserved:,}"),
    ("refusals met", lambda result: f"{result.refusals:,}"),
    ("  of them unavoidable", lambda result: f"{result.unavoidable:,}"),
    ("quota wasted at resets", lambda result: f"{_wasted(result)} of {result.resets} long windows"),
    ("requests moved", lambda result: f"{result.moves:,}"),
    ("  cost in cache", lambda result: f"{result.moves_cost_percent:.2f} % of tokens"),
    ("picks decided", lambda result: f"{result.handled:,} of {result.picks:,}"),
    ("polls per account and hour", lambda result: f"{result.polls_per_account_hour:.1f}"),
    ("fairness (1 is even)", lambda result: f"{result.fairness:.3f}"),
    ("events", lambda result: f"{result.events:,}"),
    ("digest", lambda result: result.digest[:16]),
)

# Several side by side: one line each, in a terminal of 80 columns.
COLUMNS: Sequence[Column] = (
    ("policy", lambda result: result.policy),
    ("unserved", lambda result: f"{result.unserved:,}"),
    ("refused", lambda result: f"{result.refusals:,}"),
    ("avoidable", lambda result: f"{result.refusals - result.unavoidable:,}"),
    ("wasted", _wasted),
    ("moved", lambda result: f"{result.moves:,}"),
    ("cost", lambda result: f"{result.moves_cost_percent:.1f} %"),
    ("decided", _decided),
    ("fairness", lambda result: f"{result.fairness:.3f}"),
)

LEGEND = """\
unserved   requests that no account served
refused    times that a provider refused for want of quota; avoidable: another
           account had room
wasted     of all quota in weeks and months that ended, what was not used
moved      requests served by another account than the one before in the thread
cost       of all tokens, those paid again since a cached prompt was left behind
decided    of all picks, those that the router decided; the host did the others
fairness   how evenly the accounts' long windows were used; 1 is even
host_default and round_robin are the host alone: by turns within its highest
tier, and by turns through all accounts."""


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
        _show(results)


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


def _show(results: Sequence[Result]) -> None:
    console, alone = Console(highlight=False), len(results) == 1
    if alone:
        console.print(_list(results[0]))
    else:
        console.print(f"{_traffic(results[0])}\n", _table(results), f"\n{LEGEND}", sep="\n")


def _list(result: Result) -> Table:
    table = Table("", result.policy, box=None, pad_edge=False)
    for name, show in ROWS:
        table.add_row(name, show(result))
    return table


def _traffic(result: Result) -> str:
    """What all of them had to serve."""
    return (
        f"{result.requests:,} requests of {result.sessions} sessions in {result.days:g} days, "
        f"{result.accounts} accounts, faults: {result.faults}, seed {result.seed}"
    )


def _table(results: Sequence[Result]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name, _ in COLUMNS:
        table.add_column(name, justify="left" if name == "policy" else "right", no_wrap=True)
    for result in results:
        table.add_row(*(show(result) for _, show in COLUMNS))
    return table
