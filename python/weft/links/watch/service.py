"""Start and stop a watch."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.quantity import format_mbps
from weft.links.watch.alerts.settings import check_command
from weft.links.watch.collect import Collector
from weft.links.watch.notify import kept_alive, notify
from weft.links.watch.sites import SitesFile, parse_sites, read_sites, wire_bytes
from weft.links.watch.start import Places, new_record, update_record
from weft.links.watch.state import read_state
from weft.links.watch.store.store import StoreError, Writer, read_record
from weft.links.watch.tell import Level, Tell
from weft.measure.execute.gate import refuse_other_owner, refuse_unapproved, side_effects
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.lab_scale.settle import fabric_to_build, surely_carried_mbps
from weft.measure.testbed.event_loop import cancel_on_terminate, run_to_end
from weft.runs.lock import is_locked
from weft.runs.meta import FILE_NAME

ENDS_WITHIN_S = 90.0


def watch_sites(file: Path, folder: Path, for_s: float | None, tell: Tell) -> list[str]:
    """Watch until interrupted, or for `for_s` seconds, after which the agents end too. Returns the sites whose agents
    could not be stopped. Raises RequestError."""
    sites = read_sites(file)
    check_command(sites.alerts)
    # Errors in the request are reported before a folder is created.
    places = Places()
    for site in sites.measuring():
        places.check(site)
    if (folder / FILE_NAME).exists():
        # The owner of the folder has the token, and with it the agents.
        refuse_other_owner(folder, folder / FILE_NAME)
        writer = Writer.resume(folder)
        update_record(writer.record, sites)
        writer.save()
    else:
        writer = Writer.create(folder, new_record(sites))
    for text in (*overloads(sites), *places.warnings):
        tell(text, Level.WARNING)
    tell(f"{folder}: {len(sites.links)} links; Ctrl-C leaves the agents to themselves")
    return run_to_end(_watch(writer, sites, tell, file, for_s, places))


def side_effects_of_watch(folder: Path) -> list[str]:
    """Commands, beyond starting agents, that stopping the agents of a watch runs; raises RequestError."""
    sites = parse_sites(read_record(folder).config)
    return list(dict.fromkeys(one for site in sites.sites for one in side_effects(site.on)))


def stop_watch(folder: Path, tell: Tell, approved: Collection[str] = ()) -> list[str]:
    """Stop the coordinator of a folder and all agents; returns the sites where that failed. Raises RequestError, also
    for another user's folder, and if it names commands that were not `approved`."""
    record = read_record(folder)
    refuse_other_owner(folder, folder / FILE_NAME)
    refuse_unapproved(folder, side_effects_of_watch(folder), approved)
    _end_coordinator(folder)
    writer = Writer.resume(folder)
    return run_to_end(
        _watch(writer, parse_sites(record.config), tell, None, None, Places(), is_over=True)
    )


async def _watch(
    writer: Writer,
    sites: SitesFile,
    tell: Tell,
    file: Path | None,
    for_s: float | None,
    places: Places,
    is_over: bool = False,
) -> list[str]:
    collector = Collector(writer, sites, tell, places, file)
    left: list[str] = []
    told = places.warnings
    cancel_on_terminate()
    try:
        with contextlib.suppress(asyncio.CancelledError), kept_alive():
            if not is_over:
                await collector.run(for_s)
            if is_over or for_s is not None:
                left = await collector.stop()
    finally:
        notify("STOPPING=1")
        for text in places.warnings:
            if text not in told:
                tell(text, Level.WARNING)
        await collector.close()
        with contextlib.suppress(StoreError):
            writer.close()
    return left


def _end_coordinator(folder: Path) -> None:
    """Ask the coordinator process to end, and wait for it; raises RequestError if it does not."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    pid = read_state(folder).pid
    if is_locked(folder) and pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    while is_locked(folder):
        if time.monotonic() > deadline:
            raise RequestError(f"{folder}: process {pid} does not end", "end it, and try again")
        time.sleep(0.1)


def overloads(sites: SitesFile) -> Iterator[str]:
    """Messages for labs whose probes this machine may not carry; fewer probes help, a smaller scale does not."""
    for spec, names in _sites_of_labs(sites).items():
        probes_mbps = _probes_mbps(sites, names)
        carried_mbps = surely_carried_mbps(OfferedLoad(tuple(range(len(names)))))
        if probes_mbps > carried_mbps:
            yield (
                f"{spec}: the probes of its links send {format_mbps(probes_mbps)}, and this machine surely carries "
                f"{format_mbps(carried_mbps)} of a lab: what they find may be this machine's. A longer `interval` or a "
                "smaller `budget` sends fewer"
            )


def _sites_of_labs(sites: SitesFile) -> dict[str, set[str]]:
    """Names of sites by the lab that is built for them."""
    found: dict[str, set[str]] = {}
    for site in sites.measuring():
        spec = site.on.partition("/")[0]
        if site.on.startswith("lab:") and fabric_to_build(spec):
            found.setdefault(spec, set()).add(site.name)
    return found


def _probes_mbps(sites: SitesFile, names: set[str]) -> float:
    """Rate of probes and their answers."""
    sizes = sites.settings.sizes
    bits = 2 * 8 * sum(map(wire_bytes, sizes)) / len(sizes)
    return sum(bits / link.interval_s for link in sites.links if link.src in names) / 1e6
