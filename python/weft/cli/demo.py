"""`weft demo`: the main jobs, end to end, on virtual clusters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from weft.cli.output import json_option, print_json, print_warnings
from weft.cli.progress import progress
from weft.cli.tables.layout import plain_table
from weft.demo import network, pair
from weft.demo.demonstration import Demonstration
from weft.demo.known import Known
from weft.demo.network import NetworkDemonstration


@click.command()
@click.option(
    "--out", default="runs/demo", show_default=True, help="Run folder; replaced if it exists."
)
@click.option("--pair", "is_pair", is_flag=True, help="Measure a pair, beside NetPIPE.")
@json_option
def demo(out: str, is_pair: bool, as_json: bool) -> None:
    """Find the limits of a virtual 32-port switch; write a report."""
    with progress() as reporter:
        job = pair.demonstrate if is_pair else network.demonstrate
        result = job(Path(out), reporter)
    if as_json:
        print_json(_document(result))
        return
    print_warnings(result.warnings)
    if isinstance(result, NetworkDemonstration):
        _print_network(result)
    else:
        _print_verdicts(result)
    click.echo(f"report: {result.report.resolve()}")


def _document(result: Demonstration) -> dict[str, object]:
    own = result.to_json() if isinstance(result, NetworkDemonstration) else {}
    return {
        "runs": [str(run.directory) for run in result.runs],
        "report": str(result.report),
        "warnings": result.warnings,
        **own,
    }


def _print_verdicts(result: Demonstration) -> None:
    from weft.report.verdict import verdict

    for run in result.runs:
        click.echo(verdict(run))


def _print_network(result: NetworkDemonstration) -> None:
    """The verdict, then the published values of the switch beside it."""
    from weft.report.verdict import verdict

    console = Console(highlight=False, markup=False)
    console.print(verdict(result.xray), soft_wrap=True)
    console.print(
        f"Measured in {result.measuring_s:.0f} s. Limits in Mb/s: published (wire, full speed), the payload "
        f"of that at scale {result.scale:g}, and measured:",
        soft_wrap=True,
    )
    console.print(_known_table(result.known))
    for difference in result.found.differences:
        console.print(f"not as published: {difference}", soft_wrap=True)
    if full := result.found.full_rate_mbps:
        console.print(
            f"All-to-all, each phase at the rate of its slowest route: {result.overall_mbps:.3g} of "
            f"{full.median:.3g} Mb/s.",
            soft_wrap=True,
        )


def _known_table(known: Iterable[Known]) -> Table:
    table = plain_table("limit", "published", "payload", "measured", "range", "off")
    for one in known:
        numbers = f"{one.full_speed_mbps:.4g}", f"{one.declared_mbps:.3g}"
        table.add_row(one.where, *numbers, *_measured(one))
    return table


def _measured(one: Known) -> tuple[str, str, str]:
    interval, deviation = one.measured_mbps, one.deviation
    if interval is not None and deviation is not None:
        low, high = f"{interval.low:.3g}", f"{interval.high:.3g}"
        spread = f"{low} to {high}" if low != high else ""
        return f"{interval.median:.3g}", spread, f"{100 * deviation:+.1f} %"
    if one.is_felt:
        return "not found", "", ""
    return "never full", f"ports carry {one.offered_mbps:.3g}", ""
