"""`weft list`: what there is to run, to run on, and to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from weft.base import catalog
from weft.base.errors import RequestError, WeftError
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import terminal, titled
from weft.measure.testbed.kinds import TESTBEDS
from weft.runs.listing import run_folders
from weft.runs.meta import RunMeta

DEFAULT_FOLDER = "runs"
USES = {
    "plans": "weft run PLAN --on TESTBED",
    "fabrics": "weft run PLAN --on lab:FABRIC (or sim:FABRIC); weft fabric show FABRIC",
    "machines": "weft run PLAN --on node:MACHINE; weft machine show MACHINE",
    "prices": "weft cost FABRIC --prices PRICES",
    "knobs": "weft explain KNOB; weft tune --knobs KNOB --on TESTBED",
    "testbeds": "weft run PLAN --on TESTBED",
    "runs": "weft show RUN; weft diagnose RUN; weft report RUN",
}
"""The use of each kind."""
WIDEST_NAME = 32
"""Titles start behind longer names."""


@click.command("list", epilog="Example: weft list fabrics")
@click.argument("kind", metavar="[KIND]", required=False, type=click.Choice(list(USES)))
@click.argument("folder", required=False)
@json_option
def list_(kind: str | None, folder: str | None, as_json: bool) -> None:
    """List plans, fabrics, machines, prices, knobs, testbeds, runs.

    Without a KIND, all of these. Runs are searched for in FOLDER, by default `runs`.
    """
    if folder is not None and kind != "runs":
        raise RequestError(f"{folder}: only runs are in a folder", f"weft list runs {folder}")
    found = {name: _LISTS[name](folder) for name in ([kind] if kind else USES)}
    if as_json:
        print_json(_document(found))
        return
    console = terminal(soft_wrap=True)
    for name, lines in found.items():
        width = min(max(map(len, lines), default=0), WIDEST_NAME)
        rows = (f"  {one:<{width}}  {title}" for one, title in lines.items())
        titled(console, f"{name}: {USES[name]}", *(rows if lines else ("  none",)))


def _document(found: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    return {
        name: [{"name": one, "title": title} for one, title in lines.items()]
        for name, lines in found.items()
    }


def _fabrics() -> dict[str, str]:
    """The catalogue's fabrics, then an example of each generator."""
    from weft import _core  # here, because other lists do not need it

    generated = {example: "generated" for _, example in _core.Network.generators()}
    return catalog.titles("fabric") | generated


def _runs(folder: str | None) -> dict[str, str]:
    """Runs, the newest last. A folder that cannot be listed is refused; a run that cannot be read states the reason."""
    path = Path(folder or DEFAULT_FOLDER)
    if folder is None and not path.exists():
        return {}
    if not path.is_dir():
        raise RequestError(f"{path}: no such folder", "give the folder that the runs are in")
    metas = {str(run): _meta(run) for run in sorted(run_folders(path))}
    by_time = sorted(metas.items(), key=lambda one: getattr(one[1], "started", ""))
    return {name: _run_text(meta) for name, meta in by_time}


def _meta(run: Path) -> RunMeta | WeftError:
    try:
        return RunMeta.read(run)
    except WeftError as error:
        return error


def _run_text(meta: RunMeta | WeftError) -> str:
    if isinstance(meta, WeftError):
        return f"cannot be read: {meta.message}"
    known = meta.testbed
    came_from = f"on {known['spec']}" if "spec" in known else f"from {known.get('name', 'a file')}"
    nodes = "1 node" if len(meta.nodes) == 1 else f"{len(meta.nodes)} nodes"
    when = meta.started[:16].replace("T", " ")
    return ", ".join(filter(None, (f"{meta.plan.name} {came_from}", nodes, meta.status, when)))


_LISTS: dict[str, Callable[[str | None], dict[str, str]]] = {
    "plans": lambda folder: catalog.titles("plan"),
    "fabrics": lambda folder: _fabrics(),
    "machines": lambda folder: catalog.placements(),
    "prices": lambda folder: catalog.titles("price"),
    "knobs": lambda folder: catalog.titles("knob"),
    "testbeds": lambda folder: TESTBEDS,
    "runs": _runs,
}
