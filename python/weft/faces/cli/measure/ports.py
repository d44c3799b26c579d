"""`weft ports`: which ports a job needs, and the firewall rules that allow it."""

from __future__ import annotations

import click

from weft.faces.cli.duration import Duration
from weft.faces.cli.options import ON, on_help
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.job_ports import print_answer
from weft.operate.job_ports.ask import PortsQuestion, ask


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="Example: weft ports --on lab:pair --check -- mpirun -n 2 --host n1,n2 ./app",
)
@click.option(
    "--on",
    "spec",
    default="",
    metavar=ON,
    help=on_help("The job's nodes, such as ssh:a,b or lab:pair", "those after --host"),
)
@click.option(
    "--ports", default="", metavar="RANGE", help="Keep the job to ports, such as 40000-40063."
)
@click.option("--check", is_flag=True, help="Run it again in a lab with all else dropped.")
@click.option("--each", is_flag=True, help="The same, also without each rule in turn.")
@click.option(
    "--limit",
    type=Duration(),
    help="End a run of the job that takes longer.",
)
@click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NODES:COMMAND",
    help="A daemon on nodes of the lab: '*: slurmd -D -N {node}'.",
)
@click.option(
    "--ready", default="", metavar="COMMAND", help="What succeeds once the lab's services run."
)
@click.option(
    "--rules",
    type=click.Choice(["nftables", "iptables"]),
    default="nftables",
    show_default=True,
    help="Which firewall's words.",
)
@json_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def ports(
    spec: str,
    ports: str,
    check: bool,
    each: bool,
    limit: float | None,
    services: tuple[str, ...],
    ready: str,
    rules: str,
    as_json: bool,
    command: tuple[str, ...],
) -> None:
    """Find the ports that a job needs, and firewall rules.

    COMMAND runs once, watched on all of its nodes: on this machine, or on the first host of a lab, whose hosts log into
    each other by ssh. Exit code 1 if the job or a check fails.
    """
    answer = ask(
        PortsQuestion(
            command=command,
            on=spec,
            ports=ports,
            check=check,
            each=each,
            limit_s=limit,
            services=services,
            ready=ready,
        )
    )
    if as_json:
        print_json(answer)
    else:
        print_answer(answer, rules)
    raise click.exceptions.Exit(0 if answer.is_good else 1)
