"""`weft check`: whether plans can run on these nodes, and what differs between them."""

from __future__ import annotations

import click
from rich.console import Console

from weft.base.quantity import number
from weft.faces.cli.options import ON, nodes_option, on_help, ports_option
from weft.faces.cli.output import json_option, plain, print_json
from weft.faces.cli.tables.guests import print_needs
from weft.faces.cli.tables.layout import plain_table, terminal, titled
from weft.faces.cli.tables.progress import progress
from weft.measure.testbed.open import open_testbed
from weft.measure.testbed.vm.needs import needs
from weft.operate.preflight.assess import CheckVerdict, judge
from weft.operate.preflight.mpi import describe_mpi
from weft.operate.preflight.probe import look
from weft.operate.preflight.record import ClusterRecord

GUESTS = "vm:"
"""Without a fabric: checks what virtual machines need on this machine."""
HEADINGS = {
    "failure": "prevents plans from running",
    "difference": "differs between nodes that should be equal",
    "warning": "costs speed or steadiness",
}


@click.command(epilog="Example: weft check --on ssh:node[01-32]")
@click.option(
    "--on", "spec", required=True, metavar=ON, help=on_help("What to check, such as ssh:n[1-8]")
)
@click.option("--scale", default=1.0, show_default=True, help="Multiply a lab's rates.")
@nodes_option
@ports_option
@json_option
def check(spec: str, scale: float, nodes: int | None, ports: str | None, as_json: bool) -> None:
    """Check a testbed before a run: nodes, interfaces, paths.

    It changes nothing. `--on vm:` checks what virtual machines need here. Exit code 0 if plans can run there, 1 if they
    cannot.
    """
    if spec == GUESTS:
        raise click.exceptions.Exit(_check_guests(as_json))
    with open_testbed(spec, scale, nodes, ports) as testbed, progress("steps") as reporter:
        verdict = judge(look(testbed, reporter))
    if as_json:
        print_json(verdict.to_json())
    else:
        _print_verdict(verdict)
    raise click.exceptions.Exit(0 if verdict.can_run else 1)


def _check_guests(as_json: bool) -> int:
    """Check what virtual machines need; returns the exit code."""
    found = needs()
    can_run = all(need.found for need in found if need.required)
    if as_json:
        print_json({"can_run": can_run, "needs": [plain(need) for need in found]})
        return 0 if can_run else 1
    print_needs(found, terminal())
    click.echo("guests can run" if can_run else "guests cannot run")
    return 0 if can_run else 1


def _print_verdict(verdict: CheckVerdict) -> None:
    console = terminal(soft_wrap=True)
    record = verdict.record
    console.print(
        f"{len(record.alive)} of {len(record.nodes)} nodes answer, {_connected(record)}; "
        + ("plans can run" if verdict.can_run else "plans cannot run")
    )
    _print_paths(record, console)
    if record.alive:
        console.print(describe_mpi(record.mpi))
    for kind, heading in HEADINGS.items():
        found = [finding for finding in verdict.findings if finding.kind == kind]
        if found:
            titled(console, heading)
            for finding in found:
                console.print(f" {finding.message} [{finding.code}]")
                console.print(f"   {finding.hint}", style="dim")
    if not verdict.findings:
        console.print("no findings")


def _connected(record: ClusterRecord) -> str:
    good = sum(not path.connect_error for path in record.paths)
    return f"{good} of {len(record.paths)} paths connect"


def _print_paths(record: ClusterRecord, console: Console) -> None:
    """For each network, the range of the measured values."""
    rows = []
    for network in range(record.networks):
        paths = [path for path in record.paths if path.network == network]
        trips = [path.round_trip_us for path in paths if path.round_trip_us is not None]
        mtus = [path.mtu_bytes for path in paths if path.mtu_bytes is not None]
        if trips:
            ends = [number(min(trips)), number(max(trips))]
            sizes = [str(min(mtus)), str(max(mtus))] if mtus else ["", ""]
            rows.append([str(network + 1), str(len(paths)), *ends, *sizes])
    if rows:
        headings = ["network", "paths", "us, fastest", "slowest", "MTU, least", "most"]
        title = "round trips of small datagrams, and the largest packets that arrive unfragmented"
        titled(console, title, plain_table(*headings, rows=rows))
