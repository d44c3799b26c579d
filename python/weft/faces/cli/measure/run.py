"""`weft run`: carry out a plan on a testbed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import cloup
from click.core import ParameterSource
from rich.table import Table

from weft.base import catalog
from weft.base.errors import RequestError
from weft.faces.api.request import run_request
from weft.faces.cli.approval import is_agreed
from weft.faces.cli.duration import Duration
from weft.faces.cli.measure.plan_help import PlanCommand
from weft.faces.cli.options import ON, nodes_option, on_help, ports_option, split_settings
from weft.faces.cli.output import json_option, print_json, print_run
from weft.faces.cli.tables.guests import print_guests
from weft.faces.cli.tables.layout import terminal
from weft.faces.cli.tables.progress import progress
from weft.faces.cli.tables.run.prediction import print_held, print_prediction
from weft.faces.cli.tables.run.stops import print_differences
from weft.measure.execute.dry_run import Outlook
from weft.measure.execute.gate import side_effects_of_run
from weft.measure.execute.lab_scale.settle import at_carried_scale
from weft.measure.execute.mpi.toolchain import KINDS
from weft.measure.execute.options.run_options import USUAL_OPTIONS, RunOptions
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
from weft.runs.folder import RunFolder
from weft.runs.predicted import RunPrediction
from weft.understand.summary.predictions import held


@cloup.command(cls=PlanCommand, epilog="Example: weft run signature --on lab:pair --out runs/pair")
@cloup.argument("plan", required=False)
@cloup.option_group(
    "Where and what",
    cloup.option("--on", "testbed", metavar=ON, help=on_help("What to run on, such as lab:pair")),
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
        default=USUAL_OPTIONS.patience_s,
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
        callback=lambda context, option, settings: split_settings(settings),
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
def run(
    context: click.Context,
    /,
    plan: str | None,
    testbed: str | None,
    resume: str | None,
    yes: bool,
    dry_run: bool,
    quick: bool,
    tool: str | None,
    predict: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Run PLAN (a catalogue name or a TOML file) on a testbed.

    \b
    lab:FABRIC     a virtual cluster on this machine
    vm:FABRIC      the same of virtual machines
    sim:FABRIC     a simulated network
    node:MACHINE   two simulated nodes
    local:         two processes on this machine
    ssh:NODES  slurm:[OPTIONS]  hosts:FILE  template:COMMAND:NODES  mpirun:NODES
    """
    if resume is not None:
        _refuse_all_but_resuming(context)
        result = _resumed(resume, yes, options["patience_s"])
    else:
        request = _request(quick_plan(plan) if quick and plan else plan, testbed, **options)
        if dry_run and predict:
            _print_foreseen(_foreseen(request, predict), as_json)
            return
        if dry_run:
            _print_outlook(foresee_run(request), as_json)
            return
        result = _started(request, tool, predict)
    found = held(result)
    print_run(result, as_json, found)
    if result.meta.against and not as_json:
        print_differences(terminal(), result.meta)
    if not as_json:
        print_held(found, terminal())
    context.exit(0 if result.meta.status == "complete" else 1)


def _request(plan: str | None, testbed: str | None, **options: Any) -> RunRequest:
    if plan is None or testbed is None:
        raise RequestError(
            "a plan and a testbed are needed", "for example `weft run signature --on lab:pair`"
        )
    return run_request(plan, testbed, RunOptions(**options), ["weft", *sys.argv[1:]])


def quick_plan(plan: str) -> str:
    """The plan that answers less in less time; raises RequestError if the catalogue has none."""
    quick = f"{plan}-quick"
    if quick not in catalog.names("plan"):
        raise RequestError(
            f"--quick: there is no quick plan of {plan!r}", "`weft run xray --quick` has one"
        )
    return quick


def _started(request: RunRequest, tool: str | None, predict: Sequence[str]) -> RunFolder:
    afterwards = _tool_run(request, tool) if tool else None
    with progress() as reporter:
        predicting = _predictor(predict, reporter, _show) if predict else None
        request = at_carried_scale(request, reporter)
        return start_run(request, reporter, predicting, afterwards)


def _tool_run(request: RunRequest, name: str) -> Callable[[Testbed, RunFolder], None]:
    tool = check_tool(name, request.load(), request.testbed)

    def measure(testbed: Testbed, run: RunFolder) -> None:
        click.echo(f"{name}: {run_tool(tool, testbed, run).directory}", err=True)

    return measure


def _foreseen(request: RunRequest, predict: Sequence[str]) -> RunPrediction:
    """The prediction for a run that is not started."""
    with progress() as reporter:
        return predict_run(request, _predictor(predict, reporter, lambda prediction: None))


def _predictor(
    sources: Sequence[str], reporter: Reporter, show: Callable[[RunPrediction], None]
) -> Forecaster:
    from weft.faces.api.predict import predictor  # slow to import

    return predictor(sources, show, reporter.describe)


def _show(prediction: RunPrediction) -> None:
    """Show a prediction before the run, on standard error."""
    print_prediction(prediction, terminal(is_stderr=True))


def _print_foreseen(prediction: RunPrediction, as_json: bool) -> None:
    if as_json:
        print_json(prediction)
    else:
        print_prediction(prediction, terminal())


def _refuse_all_but_resuming(context: click.Context) -> None:
    """Refuse other options, because a resumed run has its plan and testbed."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = {name for name, source in sources.items() if source is ParameterSource.COMMANDLINE}
    if given - {"resume", "yes", "patience_s", "as_json"}:
        raise RequestError(
            "--resume takes the plan, its settings and the testbed from the run",
            "leave out all but --resume, --yes, --patience and --json",
        )


def _resumed(folder: str, yes: bool, patience_s: float) -> RunFolder:
    side_effects = side_effects_of_run(Path(folder))
    approved = side_effects if is_agreed(folder, side_effects, yes) else []
    with progress() as reporter:
        return resume_run(folder, reporter, patience_s, approved)


def _print_outlook(outlook: Outlook, as_json: bool) -> None:
    """Print which node would listen where, and for which nodes, as a table or as JSON."""
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
