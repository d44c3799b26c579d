"""`weft trace`: what happens inside simulated nodes, as trace events."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json, write_file
from weft.runs.folder import RunFolder
from weft.simulation.trace.chrome import trace_text
from weft.simulation.trace.replay import record


@click.command(epilog="Example: weft trace runs/offload --size 8192")
@click.argument("run")
@click.option(
    "--size",
    "size_bytes",
    type=click.IntRange(1, 2**62),
    required=True,
    metavar="BYTES",
    help="Message size.",
)
@click.option("--step", type=click.IntRange(min=1), help="Which of several steps with that size.")
@click.option("--out", metavar="FILE", help="File to write.  [default: trace-BYTES.json in RUN]")
@json_option
def trace(run: str, size_bytes: int, step: int | None, out: str | None, as_json: bool) -> None:
    """Write a trace of a run on node:MACHINE, for Perfetto.

    The file opens in Perfetto (ui.perfetto.dev, or a copy of it on this machine) and in chrome://tracing.
    """
    recording = record(RunFolder.open(run), size_bytes, None if step is None else step - 1)
    path = Path(out) if out else Path(run) / f"trace-{size_bytes}.json"
    write_file(path, trace_text(recording), is_named=out is not None)
    if recording.is_cut:
        click.echo("warning: more slices than fit: the end is missing", err=True)
    if as_json:
        slices = len(recording.slices["track"])
        print_json({"run": run, "file": str(path), "slices": slices, "is_cut": recording.is_cut})
    else:
        click.echo(path)
