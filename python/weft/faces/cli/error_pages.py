"""The page of docs/ that says more about an error."""

from __future__ import annotations

from traceback import walk_tb
from types import TracebackType

from weft.base import catalog

PAGES = {
    "weft.operate.acceptance": "accept-a-cluster.md",
    "weft.operate.acceptance.causes": "causes.md",
    "weft.simulation.calibrate": "fit-a-machine.md",
    "weft.base.amount": "",
    "weft.faces.cli.models.laws": "laws.md",
    "weft.faces.cli.options": "plans.md",
    "weft.understand.comparison": "compare-runs.md",
    "weft.understand.limits": "see-inside-a-network.md",
    "weft.understand.kinds.loads": "simulate-a-node.md",
    "weft.measure.execute.against": "stop-rules.md",
    "weft.measure.execute.linpack": "linpack.md",
    "weft.measure.execute.mpi": "transports.md",
    "weft.measure.execute.multi_pair": "several-interfaces.md",
    "weft.measure.execute.settle.transport_check": "transports.md",
    "weft.network.fabrics": "fabric-files.md",
    "weft.network.fabrics.changes": "what-if.md",
    "weft.network.fabrics.simgrid": "simgrid.md",
    "weft.understand.formats": "other-tools.md",
    "weft.links.formats": "replay-links.md",
    "weft.network.model": "laws.md",
    "weft.network.model.machine_text": "fit-a-machine.md",
    "weft.plan": "plans.md",
    "weft.base.catalog": "",
    "weft.base.toml_file": "",
    "weft.operate.preflight": "check-a-cluster.md",
    "weft.faces.server": "watch-a-run.md",
    "weft.links.watch": "watch-links.md",
    "weft.links.watch.alerts": "watch-alerts.md",
    "weft.links.watch.exporter": "watch-metrics.md",
    "weft.measure.testbed.computed": "simulate.md",
    "weft.measure.testbed.computed.node": "simulate-a-node.md",
    "weft.measure.testbed.hosts": "real-clusters.md",
    "weft.measure.testbed.lab": "labs.md",
    "weft.simulation.trace": "simulate-a-node.md",
    "weft.operate.tuning": "tune-a-node.md",
    "weft.operate.vpn": "vpn.md",
    "weft.decisions.what_if": "what-if.md",
}
"""By package or file. For errors of the catalogue or of an amount, the callers decide."""


def page_of(traceback: TracebackType | None) -> str:
    """The page of the innermost frame that has one; "" if none has."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(traceback)]
    return next((page for module in reversed(modules) if (page := _page(module))), "")


def _page(module: str) -> str:
    parts = module.split(".")
    rooms = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((PAGES[room] for room in rooms if room in PAGES), "")


def local_page(name: str) -> str:
    """The path of a page on this machine; "" if it is not there."""
    path = catalog.folder("code").parent.parent / "docs" / name
    return catalog.shown(path) if name and path.is_file() else ""
