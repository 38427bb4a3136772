"""`python -m benchmarks`: measure, and say what was measured."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from attrs import evolve

from benchmarks.measuring import measure
from benchmarks.programs import programs
from benchmarks.report import Report, heading, line, machine, summary, to_json
from benchmarks.scenarios import FULL, SHORT, Scenario, named

LATEST = Path(__file__).parent / "latest.json"


@click.command()
@click.option("--only", multiple=True, help="A scenario; may be given several times.")
@click.option("--short", is_flag=True, help="A few scenarios, for half a minute in all.")
@click.option("--seconds", type=float, help="How long each scenario counts, instead of its own time.")
@click.option("--out", type=click.Path(path_type=Path), default=LATEST, help="Where the JSON goes.")
@click.option("--list", "listed", is_flag=True, help="Name the scenarios, and do nothing else.")
def main(only: Sequence[str], short: bool, seconds: float | None, out: Path, listed: bool) -> None:
    """Measure picks through the real library, beside a floor in C."""
    chosen = _chosen(only, short=short, seconds=seconds)
    if listed:
        click.echo("\n".join(scenario.name for scenario in chosen))
        return
    report = Report(machine(), [])
    click.echo(f"{report.machine}\n{heading()}")
    with tempfile.TemporaryDirectory(prefix="qr-") as directory:
        made = programs(Path(directory))
        for scenario in chosen:
            report = evolve(report, results=[*report.results, measure(scenario, made)])
            click.echo(line(report.results[-1]))
    click.echo(f"\n{summary(report)}")
    out.write_bytes(to_json(report))


def _chosen(only: Sequence[str], *, short: bool, seconds: float | None) -> Sequence[Scenario]:
    try:
        chosen = named(only) if only else SHORT if short else FULL
    except KeyError as unknown:
        raise click.BadParameter(f"there is no scenario {unknown}", param_hint="--only") from None
    return chosen if seconds is None else [evolve(scenario, seconds=seconds) for scenario in chosen]


if __name__ == "__main__":
    main()
