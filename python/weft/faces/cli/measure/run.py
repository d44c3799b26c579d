"""`weft run`: carry out a plan on a testbed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import cloup
import msgspec
from msgspec import Struct
from rich.table import Table

from weft.base.errors import RequestError
from weft.faces.api.request import quick_plan, run_request
from weft.faces.cli.approval import is_agreed
from weft.faces.cli.duration import Duration
from weft.faces.cli.options import nodes_option, ports_option, split_settings
from weft.faces.cli.output import json_option, print_json, print_run
from weft.faces.cli.tables.guests import print_guests
from weft.faces.cli.tables.layout import terminal
from weft.faces.cli.tables.progress import progress
from weft.faces.cli.tables.run.prediction import print_held, print_prediction
from weft.faces.cli.tables.run.stops import print_differences
from weft.measure.execute.dry_run import Outlook
from weft.measure.execute.gate import deeds_of_run
from weft.measure.execute.lab_scale.settle import at_carried_scale
from weft.measure.execute.mpi.toolchain import KINDS
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import (
    Forecaster,
    RunRequest,
    foresee_run,
    predict_run,
    resume_run,
    start_run,
)
from weft.measure.testbed.base import Testbed
from weft.measure.tools import TOOLS, check_tool, run_tool
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.runs.predicted import RunPrediction
from weft.understand.summary.predictions import held


class RunArguments(Struct, frozen=True):
    """What the options say."""

    plan: str | None = None
    testbed: str | None = None
    out: str | None = None
    resume: str | None = None
    yes: bool = False
    dry_run: bool = False
    scale: float | None = None
    nodes: int | None = None
    ports: str | None = None
    cpus: str | None = None
    patience_s: float = 10.0
    launches: int | None = None
    until: str | None = None
    against: str | None = None
    transport: str | None = None
    mpi: str | None = None
    interfaces: str | None = None
    settings: tuple[str, ...] = ()
    gamma: str | None = None
    users: str | None = None
    page: str | None = None
    server: str | None = None
    trace: str | None = None
    victim: str | None = None
    congestors: tuple[str, ...] = ()
    quick: bool = False
    file: str | None = None
    to: str | None = None
    overwrite: bool = False
    compress: str | None = None
    tool: str | None = None
    predict: tuple[str, ...] = ()
    as_json: bool = False


@cloup.command(epilog="Example: weft run signature --on lab:pair --out runs/pair")
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
    cloup.option(
        "--scale",
        type=float,
        help="Multiply every rate of a fabric.  [default: 1; of a lab what this machine carries]",
    ),
    nodes_option,
    ports_option,
    cloup.option("--cpus", metavar="LIST", help="Processor of each node's agent, such as 0,1."),
    cloup.option(
        "--patience",
        "patience_s",
        default=RunArguments().patience_s,
        show_default=True,
        type=Duration(least_s=0.1),
        help="Without progress for so long a peer has failed; a number counts seconds.",
    ),
)
@cloup.option_group(
    "The plan",
    cloup.option(
        "--quick", is_flag=True, help="Of xray: only which node or uplink is not like the others."
    ),
    cloup.option("--launches", type=int, help="Number of launches, each with fresh agents."),
    cloup.option(
        "--until",
        metavar="WHEN",
        help="End each size by itself: 'decided', '±2 %', '60 s' or 'launches=5'; '±2 %, 60 s'.",
    ),
    cloup.option(
        "--against",
        metavar="RUN",
        help="End each size when it is known whether it differs from an earlier run.",
    ),
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
    "Beside it",
    cloup.option(
        "--tool",
        type=click.Choice(list(TOOLS)),
        help="Run a tool of others on the same nodes afterwards, and import its results into DIR-TOOL.",
    ),
)
@cloup.option_group(
    "Applications",
    cloup.option("--gamma", metavar="LOW:HIGH[:STEP]", help="Application loads of a stream."),
    cloup.option("--users", metavar="LOW:HIGH[:STEP]", help="Numbers of users of a web server."),
    cloup.option("--page", metavar="SIZE", help="The page that they request, such as 5KB."),
    cloup.option(
        "--server",
        type=click.Choice(["apache", "nginx"]),
        help="Which web server; default: what is installed.",
    ),
    cloup.option(
        "--trace",
        metavar="PATH",
        help="What the plan `trace` replays: a file of GOAL, or the folder of a trace of Chakra.",
    ),
    cloup.option(
        "--victim",
        metavar="NAME",
        help="What the plan `interference` slows down: a collective, halo or ring.",
    ),
    cloup.option(
        "--congestor",
        "congestors",
        metavar="NAME",
        multiple=True,
        help="By what: incast, alltoall, broadcast, permutation, or mixed: all at once. May be repeated.",
    ),
)
@cloup.option_group(
    "A file to all nodes",
    cloup.option(
        "--file",
        metavar="FILE",
        help="What the plan `cast` casts: a file or disk of the first node.",
    ),
    cloup.option(
        "--to",
        metavar="FILE",
        help="Where the others write it; {node} is a node's name.  [default: the same path; on this machine in the "
        "run folder]",
    ),
    cloup.option("--overwrite", is_flag=True, help="Replace another file, or all on a disk."),
    cloup.option(
        "--compress", type=click.Choice(["zstd", "lz4"]), help="How chunks are compressed."
    ),
)
@cloup.option_group(
    "A prediction",
    cloup.option(
        "--predict",
        metavar="FROM",
        multiple=True,
        help="Say before the run what it will take, and hold it against what is measured: from a run on the same "
        "network (once for each), the folder of a twin, or a fabric.",
    ),
)
@json_option
@click.pass_context
def run(context: click.Context, /, **given: object) -> None:
    """Run PLAN (a catalogue name or a TOML file) on a testbed.

    \b
    lab:FABRIC     a virtual cluster on this machine
    sim:FABRIC     a simulated network
    node:MACHINE   two simulated nodes
    local:         two processes on this machine
    ssh:NODES  slurm:[OPTIONS]  hosts:FILE  template:COMMAND:NODES  mpirun:NODES
    """
    asked = msgspec.convert(given, RunArguments)
    if asked.resume is None and asked.dry_run and asked.predict:
        _print_foreseen(_foreseen(asked), asked.as_json)
        return
    if asked.resume is None and asked.dry_run:
        _print_outlook(foresee_run(_request(asked)), asked.as_json)
        return
    result = _started(asked) if asked.resume is None else _resumed(asked, asked.resume)
    found = held(result)
    print_run(result, asked.as_json, found)
    if result.meta.against and not asked.as_json:
        print_differences(terminal(), result.meta)
    if not asked.as_json:
        print_held(found, terminal())
    context.exit(0 if result.meta.status == "complete" else 1)


def _started(asked: RunArguments) -> RunFolder:
    request = _request(asked)
    afterwards = _tool_run(request, asked.tool) if asked.tool else None
    with progress() as reporter:
        predicting = _predictor(asked, reporter, _show) if asked.predict else None
        request = at_carried_scale(request, reporter)
        return start_run(request, reporter, predicting, afterwards)


def _tool_run(request: RunRequest, name: str) -> Callable[[Testbed, RunFolder], None]:
    tool = check_tool(name, load_plan(request.plan, request.overrides), request.testbed)

    def measure(testbed: Testbed, run: RunFolder) -> None:
        click.echo(f"{name}: {run_tool(tool, testbed, run).directory}", err=True)

    return measure


def _foreseen(asked: RunArguments) -> RunPrediction:
    """What is predicted of a run, which is not begun."""
    request = _request(asked)
    with progress() as reporter:
        return predict_run(request, _predictor(asked, reporter, lambda prediction: None))


def _predictor(
    asked: RunArguments, reporter: Reporter, show: Callable[[RunPrediction], None]
) -> Forecaster:
    from weft.faces.api.predict import predictor  # takes long to import

    return predictor(asked.predict, show, reporter.describe)


def _show(prediction: RunPrediction) -> None:
    """Before a run, so where messages go."""
    print_prediction(prediction, terminal(is_stderr=True))


def _print_foreseen(prediction: RunPrediction, as_json: bool) -> None:
    if as_json:
        print_json(prediction)
    else:
        print_prediction(prediction, terminal())


def _resumed(asked: RunArguments, folder: str) -> RunFolder:
    """A run that is resumed has its plan and testbed."""
    usable = RunArguments(
        resume=folder, yes=asked.yes, patience_s=asked.patience_s, as_json=asked.as_json
    )
    if asked != usable:
        raise RequestError(
            "--resume takes the plan, its settings and the testbed from the run",
            "leave out all but --resume, --yes, --patience and --json",
        )
    deeds = deeds_of_run(Path(folder))
    approved = deeds if is_agreed(folder, deeds, asked.yes) else []
    with progress() as reporter:
        return resume_run(folder, reporter, asked.patience_s, approved)


def _request(asked: RunArguments) -> RunRequest:
    if asked.plan is None or asked.testbed is None:
        raise RequestError(
            "a plan and a testbed are needed", "for example `weft run signature --on lab:pair`"
        )
    request = run_request(
        quick_plan(asked.plan) if asked.quick else asked.plan,
        asked.testbed,
        out=asked.out,
        scale=asked.scale,
        nodes=asked.nodes,
        ports=asked.ports,
        cpus=asked.cpus,
        patience_s=asked.patience_s,
        launches=asked.launches,
        until=asked.until,
        against=asked.against,
        transport=asked.transport,
        mpi=asked.mpi,
        interfaces=asked.interfaces,
        settings=split_settings(asked.settings),
        gamma=asked.gamma,
        users=asked.users,
        page=asked.page,
        server=asked.server,
        trace=asked.trace,
        victim=asked.victim,
        congestors=asked.congestors,
        file=asked.file,
        to=asked.to,
        overwrite=asked.overwrite,
        compress=asked.compress,
    )
    return replace(request, command=["weft", *sys.argv[1:]])


def _print_outlook(outlook: Outlook, as_json: bool) -> None:
    """Which node would listen where for which nodes, as a table or a document."""
    if as_json:
        print_json(outlook.to_json())
        return
    console = terminal()
    console.print(f"{outlook.plan} on {outlook.testbed}: nothing was started", soft_wrap=True)
    console.print(f"steps: {', '.join(outlook.steps)}", soft_wrap=True)
    table = Table("node", "login", "listens on", "for connections from")
    for row in outlook.rows():
        table.add_row(*row)
    console.print(table)
    console.print("connections come from ephemeral ports; ports are open only while a step runs")
    if outlook.guests:
        print_guests(outlook.guests, console)
