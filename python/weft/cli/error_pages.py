"""Which page of docs/ says more about an error."""

from __future__ import annotations

from traceback import walk_tb
from types import TracebackType

from weft.plan import catalog

PAGES = {
    "weft.acceptance": "accept-a-cluster.md",
    "weft.acceptance.causes": "causes.md",
    "weft.calibrate": "fit-a-machine.md",
    "weft.model.amount": "",
    "weft.cli.models.laws": "laws.md",
    "weft.cli.options": "plans.md",
    "weft.comparison": "compare-runs.md",
    "weft.diagnosis.limits": "see-inside-a-network.md",
    "weft.diagnosis.node": "simulate-a-node.md",
    "weft.execute.against": "stop-rules.md",
    "weft.execute.linpack": "linpack.md",
    "weft.execute.mpi": "transports.md",
    "weft.execute.multi_pair": "several-interfaces.md",
    "weft.execute.transport_check": "transports.md",
    "weft.fabrics": "fabric-files.md",
    "weft.fabrics.changes": "what-if.md",
    "weft.fabrics.simgrid": "simgrid.md",
    "weft.formats": "other-tools.md",
    "weft.formats.probes": "replay-links.md",
    "weft.model": "laws.md",
    "weft.model.machine_text": "fit-a-machine.md",
    "weft.plan": "plans.md",
    "weft.plan.catalog": "",
    "weft.preflight": "check-a-cluster.md",
    "weft.server": "watch-a-run.md",
    "weft.watch": "watch-links.md",
    "weft.watch.alerts": "watch-alerts.md",
    "weft.watch.exporter": "watch-metrics.md",
    "weft.testbed.computed": "simulate.md",
    "weft.testbed.computed.node": "simulate-a-node.md",
    "weft.testbed.hosts": "real-clusters.md",
    "weft.testbed.lab": "labs.md",
    "weft.trace": "simulate-a-node.md",
    "weft.tuning": "tune-a-node.md",
    "weft.vpn": "vpn.md",
    "weft.what_if": "what-if.md",
}
"""By room or file. What an error of the catalogue or of an amount is about, its callers say."""


def page_of(traceback: TracebackType | None) -> str:
    """The page of the innermost place that has one; "" where none has."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(traceback)]
    return next((page for module in reversed(modules) if (page := _page(module))), "")


def _page(module: str) -> str:
    parts = module.split(".")
    rooms = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((PAGES[room] for room in rooms if room in PAGES), "")


def local_page(name: str) -> str:
    """Where a page is on this machine; "" where it is not."""
    path = catalog.folder("code").parent.parent / "docs" / name
    return catalog.shown(path) if name and path.is_file() else ""
