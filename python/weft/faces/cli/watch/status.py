"""`weft watch status`: the current state of each link."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft.base.quantity import format_mbps, format_us
from weft.faces.cli.output import json_option, plain, print_json
from weft.faces.cli.tables.layout import plain_table, wide_terminal

if TYPE_CHECKING:
    from weft.links.watch.status import LinkNow, SiteNow


@click.command(epilog="Example: weft watch status runs/campus")
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Show the current state of each link of a watch.

    A message of n bytes takes alpha plus n divided by the rate, one way: half of round trips, medians of 15 minutes,
    from probes of the kind shown. If one direction is slower, half of the round trip is the time of neither. Up is the
    share of today's measured time (UTC) outside outages, as in `weft watch show`; answered is the share of probes.
    """
    from weft.links.watch.status import status_of

    found = status_of(folder)
    if as_json:
        print_json(plain(found))
        return
    console, now_s = wide_terminal(soft_wrap=True), time.time()
    headings = ("link", "state", "for", "alpha", "rate", "by", "up", "answered", "probes")
    console.print(plain_table(*headings, rows=[_row(link, now_s) for link in found.links]))
    for link in found.links:
        for kind, why in link.refused.items():
            console.print(f"{link.src} does not probe {link.dst} by {kind}: {why}")
    for event in found.events:
        console.print(
            f"{event.subject}: {event.what}, {_age(event.begin_s, now_s)}: {event.evidence}"
        )
    for problem in found.undelivered:
        console.print(f"notices by {problem.subject}: {problem.text}")
    for site in found.sites:
        if said := _said(site, now_s):
            console.print(said)
    if not found.is_collecting and not found.has_agents:
        console.print(
            "the watch is over: no agent runs; `weft watch start` with this folder goes on"
        )
    elif not found.is_collecting:
        console.print("nothing fetches what agents keep: `weft watch start` with this folder does")


def _row(link: LinkNow, now_s: float) -> list[str]:
    network = f" ({link.network})" if link.network else ""
    return [
        f"{link.src} > {link.dst}{network}",
        link.state,
        _age(link.since_s, now_s),
        format_us(link.alpha_us) if link.alpha_us is not None else "",
        format_mbps(link.rate_mbps) if link.rate_mbps is not None else "",
        link.kind,
        f"{100 * link.available:.3f} %" if link.available is not None else "",
        f"{100 * link.answered:.2f} %" if link.answered is not None else "",
        str(link.probes),
    ]


def _said(site: SiteNow, now_s: float) -> str:
    if site.trouble:
        heard = f", heard {_age(site.heard_s, now_s)} ago" if site.heard_s else ""
        return f"{site.name} cannot be reached{heard}: {site.trouble}"
    if site.silent_since_s is not None:
        age = _age(site.silent_since_s, now_s)
        return f"{site.name}: its agent runs and has delivered no probe for {age}"
    return f"{site.name}: the disk is full, it measures into memory" if site.is_disk_full else ""


def _age(since_s: float | None, now_s: float) -> str:
    if since_s is None:
        return ""
    age_s = max(0.0, now_s - since_s)
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if age_s >= unit:
            return f"{age_s / unit:.1f} {name}"
    return f"{age_s:.0f} s"
