"""`weft run`: carry out a plan on a testbed."""

from __future__ import annotations

import math
import sys

import click
import cloup

from weft.cli.options.applications import load_settings
from weft.cli.options.nodes import nodes_option, ports_option
from weft.cli.output import json_option, print_json, print_warnings
from weft.cli.progress import progress
from weft.cli.tables.dry_run import print_outlook
from weft.errors import RequestError
from weft.execute.mpi.toolchain import KINDS
from weft.execute.request import RunRequest, commands_of_run, foresee_run, resume_run, start_run
from weft.nodeset import fold
from weft.run.folder import Run


def _finite(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """Click's ranges let through what is no number."""
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a number of seconds")
    return value


@cloup.command()
@cloup.argument("plan", required=False)
@cloup.option_group(
    "Where and what",
    cloup.option("--on", "testbed", metavar="TESTBED", help="What to run on, such as lab:pair."),
    cloup.option("--out", metavar="DIR", help="Run folder to write.  [default: runs/PLAN-TIME]"),
    cloup.option(
        "--resume",
        metavar="DIR",
        help="Continue a run: measure only what is missing. Runs the commands that its run.json names, "
        "and asks before; not for folders of other users.",
    ),
    cloup.option("--yes", is_flag=True, help="With --resume: run those commands unasked."),
    cloup.option("--dry-run", is_flag=True, help="List what would be used; start nothing."),
)
@cloup.option_group(
    "The testbed",
    cloup.option("--scale", type=float, help="Multiply every rate of a fabric.  [default: 1.0]"),
    nodes_option,
    ports_option,
    cloup.option("--cpus", metavar="LIST", help="Processor of each node's agent, such as 0,1."),
    cloup.option(
        "--patience",
        "patience_s",
        default=10.0,
        show_default=True,
        type=click.FloatRange(min=0.1),
        callback=_finite,
        help="Seconds without progress after which a peer has failed.",
    ),
)
@cloup.option_group(
    "The plan",
    cloup.option("--launches", type=int, help="Number of launches, each with fresh agents."),
    cloup.option("--transport", metavar="NAME", help="Transport of all steps, such as unix."),
    cloup.option("--mpi", type=click.Choice(list(KINDS)), help="Which MPI --transport mpi uses."),
    cloup.option(
        "--interfaces",
        metavar="LIST",
        help="Policies of several pairs: independent,striped,shared.",
    ),
    cloup.option(
        "--set",
        "settings",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a key, such as steps.pingpong.sizes.max='64 KiB'.",
    ),
)
@cloup.option_group(
    "Simulated applications",
    cloup.option("--gamma", metavar="LOW:HIGH[:STEP]", help="Application loads of a stream."),
    cloup.option("--users", metavar="LOW:HIGH[:STEP]", help="Numbers of users of a web server."),
    cloup.option("--page", metavar="SIZE", help="The page that they request, such as 5KB."),
)
@json_option
@click.pass_context
def run(
    context: click.Context,
    /,
    plan: str | None,
    testbed: str | None,
    out: str | None,
    resume: str | None,
    yes: bool,
    scale: float | None,
    nodes: int | None,
    ports: str | None,
    launches: int | None,
    cpus: str | None,
    transport: str | None,
    interfaces: str | None,
    mpi: str | None,
    settings: tuple[str, ...],
    patience_s: float,
    dry_run: bool,
    as_json: bool,
    **loads: str | None,
) -> None:
    """Run PLAN (a catalogue name or a TOML file) on a testbed.

    \b
    lab:FABRIC     a virtual cluster on this machine
    sim:FABRIC     a simulated network
    node:MACHINE   two simulated nodes
    local:         two processes on this machine
    ssh:NODES  slurm:[OPTIONS]  hosts:FILE  template:COMMAND:NODES  mpirun:NODES
    """
    if resume is not None:
        asked = (plan, testbed, out, scale is not None, nodes, ports, launches, cpus, settings)
        _refuse_beside_resume(*asked, transport, interfaces, mpi, dry_run, *loads.values())
        approved = _approved_commands(resume, yes)
        with progress() as reporter:
            result = resume_run(resume, reporter, patience_s, approved)
    else:
        plan, testbed = _named(plan, testbed)
        overrides = _overrides(transport, interfaces, mpi)
        overrides += [_split_setting(setting) for setting in settings]
        overrides += [("launches", str(launches))] if launches is not None else []
        overrides += load_settings(plan, loads)
        scale = 1.0 if scale is None else scale
        request = RunRequest(
            plan, testbed, out, scale, overrides, _split_cpus(cpus), patience_s, nodes, ports
        )
        if dry_run:
            print_outlook(foresee_run(request), as_json)
            return
        with progress() as reporter:
            result = start_run(request, reporter)
    _say(result, as_json)
    context.exit(0 if result.meta.status == "complete" else 1)


def _approved_commands(folder: str, yes: bool) -> list[str]:
    """The commands that a run names, where the user agrees to run them; on a terminal they are asked."""
    commands = commands_of_run(folder)
    if not commands or yes:
        return commands
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return []
    listed = "".join(f"\n  {command}" for command in commands)
    question = f"{folder}: its run.json has this machine run{listed}\nRun it?"
    return commands if click.confirm(question, err=True) else []


def _refuse_beside_resume(*asked: object) -> None:
    """A run that is resumed has its plan and testbed."""
    if any(asked):
        raise RequestError(
            "--resume takes the plan, its settings and the testbed from the run",
            "leave out all but --resume, --yes, --patience and --json",
        )


def _named(plan: str | None, testbed: str | None) -> tuple[str, str]:
    """The plan and the testbed, both of which a new run needs."""
    if plan is None or testbed is None:
        raise RequestError(
            "a plan and a testbed are needed", "for example `weft run signature --on lab:pair`"
        )
    return plan, testbed


def _say(result: Run, as_json: bool) -> None:
    """Where the run is, and what became of it."""
    if as_json:
        warnings = [vars(warning) for warning in result.meta.warnings]
        print_json(
            {"run": str(result.directory), "status": result.meta.status, "warnings": warnings}
        )
    else:
        print_warnings(result.meta.warnings)
        if lost := dict.fromkeys(entry["node"] for entry in result.meta.lost):
            click.echo(f"lost nodes: {fold(lost)}", err=True)
        click.echo(f"{result.directory}: {result.meta.status}", err=True)


def _overrides(
    transport: str | None, interfaces: str | None, mpi: str | None
) -> list[tuple[str, str]]:
    """What --transport, --interfaces and --mpi change of all steps of a plan."""
    policies = interfaces and str([one.strip() for one in interfaces.split(",")])
    chosen = {
        "steps.*.transport": transport,
        "steps.*.interfaces": policies,
        "steps.*.options.mpi": mpi,
    }
    return [(key, value) for key, value in chosen.items() if value]


def _split_setting(setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not equals or not key:
        raise RequestError(f"--set {setting}: not KEY=VALUE", "for example --set launches=3")
    return key.strip(), value.strip()


def _split_cpus(cpus: str | None) -> list[int] | None:
    if cpus is None:
        return None
    try:
        return [int(cpu) for cpu in cpus.split(",")]
    except ValueError:
        raise RequestError(
            f"--cpus {cpus}: not a list of processors", "for example --cpus 0,1"
        ) from None
