"""`weft demo`: the main tasks, from start to finish, on virtual clusters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from rich.table import Table

from weft.faces.cli.output import json_option, print_json, print_warnings
from weft.faces.cli.tables.layout import plain_table, terminal
from weft.faces.cli.tables.progress import progress
from weft.operate.demo import network, pair
from weft.operate.demo.demonstration import Demonstration
from weft.operate.demo.known import FoundLimit
from weft.operate.demo.network import NetworkDemonstration


@click.command(epilog="Example: weft demo")
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
    from weft.understand.report.verdict import verdict

    for run in result.runs:
        click.echo(verdict(run))


def _print_network(result: NetworkDemonstration) -> None:
    """The verdict, then the published values of the switch for comparison."""
    from weft.understand.report.verdict import verdict

    click.echo(verdict(result.xray))
    click.echo(
        f"Measured in {result.measuring_s:.0f} s. Limits in Mb/s: published (wire, full speed), the payload "
        f"of that at scale {result.scale:g}, and measured:"
    )
    terminal().print(_known_table(result.known))
    for difference in result.found.differences:
        click.echo(f"not as published: {difference}")
    if full := result.found.full_rate_mbps:
        click.echo(
            f"All-to-all, each phase at the rate of its slowest route: {result.overall_mbps:.3g} of "
            f"{full.median:.3g} Mb/s."
        )


def _known_table(known: Iterable[FoundLimit]) -> Table:
    rows = [
        [one.where, f"{one.full_speed_mbps:.4g}", f"{one.declared_mbps:.3g}", *_measured(one)]
        for one in known
    ]
    return plain_table("limit", "published", "payload", "measured", "range", "off", rows=rows)


def _measured(one: FoundLimit) -> tuple[str, str, str]:
    interval, deviation = one.measured_mbps, one.deviation
    if interval is not None and deviation is not None:
        low, high = f"{interval.low:.3g}", f"{interval.high:.3g}"
        spread = f"{low} to {high}" if low != high else ""
        return f"{interval.median:.3g}", spread, f"{100 * deviation:+.1f} %"
    if one.is_felt:
        return "not found", "", ""
    return "never full", f"ports carry {one.offered_mbps:.3g}", ""
