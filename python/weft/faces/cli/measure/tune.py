"""`weft tune`: settings that are better than the current ones, with evidence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from weft.base.errors import RequestError
from weft.faces.api.tune import Tuning, default_folder, resume_tuning, undo_settings
from weft.faces.api.tune import tune as carry_out
from weft.faces.cli.approval import is_agreed, yes_option
from weft.faces.cli.duration import Duration
from weft.faces.cli.measure.accept import showing
from weft.faces.cli.options import ON, nodes_option, on_help, ports_option, scale_option
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.tuning import print_foreseen, print_tuning
from weft.operate.tuning.foresee import foresee
from weft.operate.tuning.request import USUAL_TIME_S, TuneRequest
from weft.operate.tuning.tune import side_effects_of_tuning


@click.command(epilog="Example: weft tune --on lab:gigabit-pair --for stream --time '2 min'")
@click.option("--on", "testbed", metavar=ON, help=on_help("What to tune, such as ssh:a,b"))
@click.option(
    "--for",
    "goal",
    default="stream",
    show_default=True,
    metavar="GOAL",
    help="What is to be better (stream, latency, mixed), or a plan.",
)
@click.option("--knobs", metavar="A,B", help="Try only these.  [default: all that may matter]")
@click.option(
    "--time", "time_s", type=Duration(most_s=7 * 86400), help="For all of it.  [default: 10 min]"
)
@click.option(
    "--dry-run", is_flag=True, help="Say what would be tried and touched; change nothing."
)
@click.option("--apply", is_flag=True, help="Leave settings of hosts that won in place.")
@click.option("--apply-anyway", is_flag=True, help="Also tune the interface that ssh uses.")
@click.option("--undo", is_flag=True, help="Put back settings that were changed and not put back.")
@click.option("--out", metavar="DIR", help="Folder for all runs.  [default: runs/tune-TIME]")
@click.option("--resume", metavar="DIR", help="Continue a tuning that was cut short.")
@yes_option
@scale_option
@nodes_option
@ports_option
@json_option
@click.pass_context
def tune(
    context: click.Context,
    testbed: str | None,
    goal: str,
    knobs: str | None,
    time_s: float | None,
    dry_run: bool,
    apply: bool,
    apply_anyway: bool,
    undo: bool,
    out: str | None,
    resume: str | None,
    yes: bool,
    scale: float | None,
    nodes: int | None,
    ports: str | None,
    as_json: bool,
) -> None:
    """Find settings that make a pair faster, with evidence.

    Candidates are raced in random order, and the winner is confirmed in measurements of its own. Settings of hosts are
    restored, unless --apply is given. The result may be that nothing is better. Exit code 0 if all was tried, 1 if the
    work failed, 2 if the request is wrong.
    """
    chosen = testbed or knobs or time_s or out or scale is not None or nodes or ports
    others = chosen or dry_run or apply or apply_anyway
    if undo:
        if others or resume:
            raise RequestError("--undo takes no other options", "leave out all but --json")
        context.exit(_undo(as_json))
    if resume is not None:
        if others:
            raise RequestError(
                "--resume takes testbed, goal and knobs from the folder", "leave out all but --json"
            )
        with _saying_how_to_continue():
            agreed = is_agreed(resume, side_effects_of_tuning(resume), yes)
            found = resume_tuning(resume, yes=agreed, showing=showing)
        _show(found, as_json)
        return
    if testbed is None:
        raise RequestError("a testbed is needed", "for example `weft tune --on lab:gigabit-pair`")
    names = tuple(one.strip() for one in (knobs or "").split(",") if one.strip())
    time_s = time_s or USUAL_TIME_S
    if dry_run:
        folder = out or str(default_folder())
        foreseen = foresee(
            TuneRequest(
                testbed, folder, goal, names, time_s, apply, apply_anyway, scale, nodes, ports
            )
        )
        if as_json:
            print_json(foreseen.to_json())
        else:
            print_foreseen(foreseen)
        return
    with _saying_how_to_continue():
        found = carry_out(
            testbed,
            goal=goal,
            knobs=names,
            time_s=time_s,
            out=out,
            apply=apply,
            apply_anyway=apply_anyway,
            scale=scale,
            nodes=nodes,
            ports=ports,
            showing=showing,
        )
    _show(found, as_json)


@contextmanager
def _saying_how_to_continue() -> Iterator[None]:
    """Say how to continue after an error, but not after an interrupt, which says so itself."""
    try:
        yield
    except KeyboardInterrupt as error:
        for text in error.args:
            click.echo(text, err=True)
        raise


def _show(result: Tuning, as_json: bool) -> None:
    if as_json:
        print_json(result.found.to_json() | {"page": str(result.page)})
        return
    print_tuning(result.found)
    click.echo(f"\nmore in {result.page}")


def _undo(as_json: bool) -> int:
    """Restore what was left changed; returns the exit code."""
    found = undo_settings()
    if as_json:
        print_json({"restored": found})
    elif not found:
        click.echo("nothing is changed that was not put back")
    else:
        for one in found:
            click.echo(one.text)
    return int(any(one.outcome == "failed" for one in found))
