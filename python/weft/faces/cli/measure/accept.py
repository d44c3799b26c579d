"""`weft accept`: whether a cluster meets its requirements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from weft.base.errors import RequestError
from weft.faces.api.accept import accept as carry_out
from weft.faces.api.accept import resume_acceptance
from weft.faces.cli.approval import is_agreed, yes_option
from weft.faces.cli.options import ON, nodes_option, on_help, ports_option, scale_option
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.acceptance import print_acceptance
from weft.faces.cli.tables.progress import progress
from weft.measure.execute.progress import Reporter
from weft.operate.acceptance.accept import side_effects_of_acceptance
from weft.operate.acceptance.vendor.junit import write_junit


@click.command(epilog="Example: weft accept --on lab:bad-cable")
@click.option("--on", "testbed", metavar=ON, help=on_help("What to accept, such as ssh:n[1-64]"))
@click.option(
    "--expect",
    metavar="FILE",
    help="Requirements.  [default: what the fabric declares, and equal nodes]",
)
@click.option(
    "--fabric", metavar="FABRIC", help="The declared network: a catalogue name or a file."
)
@click.option("--out", metavar="DIR", help="Folder for all runs.  [default: runs/accept-TIME]")
@click.option("--resume", metavar="DIR", help="Continue an acceptance that was cut short.")
@yes_option
@scale_option
@nodes_option
@ports_option
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the verdicts as JUnit XML, too.",
)
@click.option("--title", metavar="TEXT", help="Heading of the page, such as 'Cluster A, phase 1'.")
@click.option("--customer", metavar="TEXT", help="Customer, as told on the page.")
@click.option("--order", metavar="TEXT", help="Number of the order, as told on the page.")
@json_option
@click.pass_context
def accept(
    context: click.Context,
    testbed: str | None,
    expect: str | None,
    fabric: str | None,
    out: str | None,
    resume: str | None,
    yes: bool,
    scale: float | None,
    nodes: int | None,
    ports: str | None,
    junit: Path | None,
    title: str | None,
    customer: str | None,
    order: str | None,
    as_json: bool,
) -> None:
    """Check and measure a cluster; a verdict on each requirement.

    Exit code 0 if all are met, 1 if one is not met or not decided, 2 if the request is wrong. Measurements are kept,
    each in a run folder of its own, with a page for the vendor.
    """
    if resume is not None:
        given = (testbed, expect, fabric, out, nodes, ports, title, customer, order)
        if any(given) or scale is not None:
            raise RequestError(
                "--resume takes testbed and requirements from the folder",
                "leave out all but --junit and --json",
            )
        agreed = is_agreed(resume, side_effects_of_acceptance(resume), yes)
        result = resume_acceptance(resume, yes=agreed, showing=showing)
    elif testbed is None:
        raise RequestError("a testbed is needed", "for example `weft accept --on lab:bad-cable`")
    else:
        result = carry_out(
            testbed,
            expect=expect,
            fabric=fabric,
            out=out,
            scale=scale,
            nodes=nodes,
            ports=ports,
            title=title,
            customer=customer,
            order=order,
            showing=showing,
        )
    found = result.found
    if junit is not None:
        write_junit(found, junit)
    if as_json:
        print_json(found.to_json() | {"faults": result.faults, "page": str(result.page)})
    else:
        print_acceptance(found)
        click.echo(f"\nfor the vendor: {result.page}")
    context.exit(0 if found.passed else 1)


@contextmanager
def showing(what: str) -> Iterator[Reporter]:
    """Show what is being done, and the progress."""
    click.echo(f"{what} ...", err=True)
    with progress("phases") as reporter:
        yield reporter
