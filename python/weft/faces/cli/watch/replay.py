"""`weft watch replay`: another tool's measurements as the folder of a watch."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from weft.faces.cli.duration import Duration
from weft.faces.cli.output import json_option, print_json
from weft.links.analysis.local_time import USUAL, zone_of
from weft.links.formats.read import read_all
from weft.links.formats.source import ProbeOptions
from weft.links.watch.store.importing import write_watch

_MOMENT = click.DateTime(
    ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"]
)
_TIME = Duration(most_s=1e6)


@click.command(epilog="Example: weft watch replay ping.txt --out links --src lab-a")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--src", default="", help="The probing site; else the file's, or `here`.")
@click.option("--dst", default="", help="The probed site where the file does not name it.")
@click.option(
    "--start", type=_MOMENT, help="When probing began, in UTC, where the file has no times."
)
@click.option("--interval", type=_TIME, default="1s", help="From probe to probe, likewise.")
@click.option("--step", type=_TIME, help="Of a row of the archive of an RRD file to take.")
@click.option("--timezone", default=USUAL, show_default=True, help="Of the hours of the week.")
@json_option
def replay(
    files: tuple[Path, ...],
    out: Path,
    src: str,
    dst: str,
    start: datetime | None,
    interval: float,
    step: float | None,
    timezone: str,
    as_json: bool,
) -> None:
    """Turn each FILE of another monitor into links of a watch.

    FILE has the output of ping (-D -O, or with --start and --interval), fping -D or -C, or owping -R; SmokePing's RRD
    (or rrdtool dump or fetch); results of pScheduler (rtt, latency) or RIPE Atlas (ping) as JSON; or CSV with a header.
    """
    start_s = start.replace(tzinfo=UTC).timestamp() if start else None
    zone_of(timezone)
    names, found = read_all(files, ProbeOptions(src, dst, start_s, interval, step))
    series = [replace(one, timezone=timezone) for one in found.series]
    write_watch(out, series, ", ".join(names), found.notes)
    links, probes = len(found.series), sum(len(one) for one in found.series)
    if as_json:
        named = {"watch": str(out), "format": ", ".join(names), "links": links, "probes": probes}
        print_json(named | {"notes": found.notes})
        return
    for note in found.notes:
        click.echo(note, err=True)
    click.echo(
        f"{out}: {probes} probes of {links} link{'s' * (links > 1)} from {', '.join(names)}",
        err=True,
    )
