"""`weft vpn`: the cost of a tunnel, compared with the path below it."""

from __future__ import annotations

import ipaddress
import sys

import click

from weft.base.errors import RequestError
from weft.faces.cli.options import ON, nodes_option, on_help, ports_option, scale_option
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.progress import progress
from weft.faces.cli.tables.vpn import print_comparison, print_observed
from weft.measure.execute.lab_scale.load import load_of_pair
from weft.measure.execute.lab_scale.settle import announce, settle_lab
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.open import open_testbed
from weft.operate.vpn.job import ChosenBatch, observe_job
from weft.operate.vpn.measure import VpnRequest, measure_vpn


@click.command(epilog="Example: weft vpn --on ssh:a,b --through 10.8.0.1,10.8.0.2")
@click.option("--on", "spec", required=True, metavar=ON, help=on_help("The nodes, such as ssh:a,b"))
@click.option(
    "--through",
    required=True,
    metavar="A,B",
    help="Their addresses in the tunnel, in the order of the nodes.",
)
@click.option(
    "--blocks",
    default=8,
    show_default=True,
    type=click.IntRange(4, 100),
    help="How often both are measured; fewer where 150 s are over.",
)
@click.option(
    "--watch",
    "watch_s",
    default=0,
    metavar="SECONDS",
    type=click.IntRange(0, 86400),
    help="Then wait for outages of the path, and time the tunnel's recovery.",
)
@click.option("--out", metavar="DIR", help="Folder for vpn.json, with all trials, or job.json.")
@click.option(
    "--wanted",
    type=click.Choice(["path", "tunnel"]),
    help="What COMMAND should use; exit status 1 if it did not.",
)
@scale_option
@nodes_option
@ports_option
@json_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def vpn(
    spec: str,
    through: str,
    blocks: int,
    watch_s: int,
    out: str | None,
    scale: float | None,
    nodes: int | None,
    ports: str | None,
    wanted: ChosenBatch | None,
    as_json: bool,
    command: tuple[str, ...],
) -> None:
    """Compare a tunnel with the path below it.

    Raw path and tunnel between two nodes are measured in paired blocks: round trip, throughput, processor time, MTU.
    Shows which VPN it is, its cost compared with that of its headers, and its limit: link, processor or loss.

    With -- COMMAND, nothing is measured: COMMAND runs on the first node, and weft counts the bytes that both nodes
    exchange during that time, through the tunnel and outside it.
    """
    places = _places(through)
    if wanted and not command:
        raise RequestError("--wanted is of a job", "give the job after --: -- mpirun ./app")
    with progress() as reporter:
        lab = settle_lab(spec, scale, load_of_pair, reporter)
        announce(lab.notes, reporter)
    with open_testbed(spec, lab.scale, nodes, ports) as testbed:
        if command:
            _observe(testbed, places, command, wanted, out, as_json)
            return
        request = VpnRequest(places, blocks, watch_s=float(watch_s), notes=lab.notes)
        with progress("blocks") as reporter:
            found = measure_vpn(testbed, request, out, reporter)
    if as_json:
        print_json(found.to_json())
    else:
        print_comparison(found)


def _observe(
    testbed: Testbed,
    through: tuple[str, str],
    command: tuple[str, ...],
    wanted: ChosenBatch | None,
    out: str | None,
    as_json: bool,
) -> None:
    found = observe_job(testbed, through, command, wanted, out)
    if as_json:
        print_json(found.to_json())
    else:
        print_observed(found)
    if found.status or found.is_wrong:
        sys.exit(1)


def _places(through: str) -> tuple[str, str]:
    """The addresses of the tunnel's ends; raises RequestError."""
    example = "for example 10.8.0.1,10.8.0.2"
    places = [one.strip() for one in through.split(",")]
    if len(places) != 2:
        raise RequestError(f"--through {through!r}: two addresses are needed", example)
    try:
        for one in places:
            ipaddress.ip_address(one)
    except ValueError as error:
        raise RequestError(f"--through {through!r}: {error}", example) from None
    return places[0], places[1]
