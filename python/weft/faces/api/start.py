"""Starts runs, and opens existing ones."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from weft.faces.api.fabric import Fabric
from weft.faces.api.models.machine import Machine
from weft.faces.api.predict import Source, predictor
from weft.faces.api.public.swapped import refuse_swapped
from weft.faces.api.request import run_request
from weft.faces.api.run import Run, ended, opened
from weft.measure.execute.lab_scale.settle import at_carried_scale
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import simulate_run, start_run
from weft.plan.load import PlanSource


def run(
    plan: PlanSource,
    on: str,
    *,
    out: str | os.PathLike[str] | None = None,
    scale: float | None = None,
    nodes: int | None = None,
    ports: str | None = None,
    cpus: str | Sequence[int] | None = None,
    patience_s: float = 10.0,
    launches: int | None = None,
    until: str | None = None,
    against: str | os.PathLike[str] | None = None,
    transport: str | None = None,
    mpi: str | None = None,
    interfaces: str | Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
    gamma: str | None = None,
    users: str | None = None,
    page: str | None = None,
    server: str | None = None,
    trace: str | os.PathLike[str] | None = None,
    victim: str | None = None,
    congestors: Sequence[str] = (),
    file: str | os.PathLike[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    compress: str | None = None,
    predict: Source | Sequence[Source] | None = None,
    reporter: Reporter | None = None,
) -> Run:
    """Carry out a plan on a testbed and return the run.

        run = weft.run("signature", on="lab:pair", launches=3, settings={"steps.pingpong.sizes.max": "64 KiB"})

    plan: a catalogue name, the path of a TOML file, or a dictionary with the keys of such a file.
    on: what to run on, such as "lab:pair", "ssh:n[1-8]", "sim:two-racks", "node:p4-400-base", "local:".
    out: the run folder to write; runs/PLAN-TIME by default.
    launches: how often to repeat with fresh agents.
    until: end each size by itself, such as "±2 %, 60 s".
    against: an earlier run's folder; each size ends when it is known whether it differs.
    settings: changes of single keys of the plan.
    scale: multiplies every rate of a fabric; by default 1, or for a lab what this machine carries.
    nodes: use only the first nodes of a real cluster.
    ports: for data, such as "5000-5100".
    cpus: the processor of each node's agent, such as [0, 1].
    patience_s: seconds without progress after which a peer has failed.
    transport, mpi, interfaces: for all steps.
    predict: folders of runs, the folder of a twin, or a fabric: the run is predicted from it before it begins, and
    `run.prediction` compares.
    reporter: is told of the progress.

    Of single plans:
    gamma, users, page: loads of applications, such as "0:3.5:0.1".
    server: the web server, "apache" or "nginx".
    trace: what `trace` replays: a file of GOAL, or the folder of a trace of Chakra.
    victim, congestors: of `interference`, such as "allreduce" and ["incast", "alltoall"].
    file, to: the file that `cast` sends from the first node, and where others write it; "{node}" is a node's name.
    overwrite, compress: replace another file; "zstd" or "lz4".

    Raises RequestError before anything is started if the request is invalid, WorkError if the work fails, and
    Interrupted (a KeyboardInterrupt) on an interrupt: measurements are kept in the folder, and the run can be resumed.
    """
    given = locals()  # has all fields of the options by name, which a test checks
    refuse_swapped("weft.run({!r}, on={!r})", plan, on)
    options = RunOptions(**{name: given[name] for name in RunOptions.__struct_fields__})
    request = run_request(plan, on, options)
    predicting = None if predict is None else predictor(predict)
    request = at_carried_scale(request, reporter)
    return ended(start_run(request, reporter, predicting))


def open(folder: str | os.PathLike[str]) -> Run:
    """Open a run folder, complete or not: `weft.open("runs/pair").points`. Raises RequestError if it is not one."""
    return opened(folder)


def simulate(
    plan: PlanSource,
    fabric: str | os.PathLike[str] | Fabric | Machine,
    *,
    scale: float = 1.0,
    settings: Mapping[str, object] | None = None,
    gamma: str | None = None,
    users: str | None = None,
    page: str | None = None,
    server: str | None = None,
) -> Run:
    """Simulate a plan and return the run in memory; no folder is written.

        weft.simulate("aapc", "clos(leaves=4,spines=2,hosts=8)").phases.to_pandas()
        weft.simulate("netpipe", "node:p4-400-base").points

    plan and settings: as in `weft.run`. fabric: a catalogue name, a file, a generator, what `weft.fabric` or
    `weft.machine` returned, or a testbed such as "node:p4-400-base". Raises RequestError if it cannot be simulated.
    """
    refuse_swapped("weft.simulate({!r}, {!r})", plan, fabric)
    testbed, built_at = _testbed(fabric)
    options = RunOptions(
        scale=scale * built_at,
        settings=settings,
        gamma=gamma,
        users=users,
        page=page,
        server=server,
    )
    request = run_request(plan, testbed, options)
    return ended(simulate_run(request))


def _testbed(fabric: str | os.PathLike[str] | Fabric | Machine) -> tuple[str, float]:
    """Its name, and the scale with which it was made."""
    if isinstance(fabric, Fabric):
        return fabric.testbed, fabric.scale
    if isinstance(fabric, Machine):
        return fabric.testbed, 1.0
    text = os.fspath(fabric)
    return (text if text.startswith(("sim:", "node:")) else f"sim:{text}"), 1.0
