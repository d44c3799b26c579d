"""Opening a testbed by its name on the command line."""

from __future__ import annotations

from weft.errors import RequestError
from weft.testbed.base import Testbed
from weft.testbed.inside import open_nodes
from weft.testbed.lab import open_lab
from weft.testbed.simulated import open_simulated


def open_testbed(spec: str, scale: float = 1.0) -> Testbed:
    """The testbed that KIND:NAME means; raises RequestError."""
    kind, colon, name = spec.partition(":")
    if kind == "lab" and colon and name:
        return open_lab(name, scale)
    if kind == "sim" and colon and name:
        return open_simulated(name, scale)
    if kind == "node" and colon and name:
        return open_nodes(name, scale)
    raise RequestError(
        f"--on {spec}: not a testbed this weft knows",
        "lab:FABRIC runs on a virtual cluster, for example lab:fast-ethernet-pair; sim:FABRIC computes, "
        "node:MACHINE computes what happens inside two nodes",
    )
