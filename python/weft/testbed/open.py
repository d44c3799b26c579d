"""Opening a testbed by its name on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.errors import RequestError
from weft.testbed.base import Testbed
from weft.testbed.computed.network import open_simulated
from weft.testbed.computed.node import open_nodes
from weft.testbed.lab.testbed import open_lab
from weft.testbed.local import open_local

_BUILT: dict[str, Callable[[str, float], Testbed]] = {
    "lab": open_lab,
    "sim": open_simulated,
    "node": open_nodes,
}
_REAL = ("hosts", "ssh", "template", "mpirun", "slurm")


def open_testbed(
    spec: str,
    scale: float = 1.0,
    nodes: int | None = None,
    ports: str | None = None,
    may_ask: bool = True,
    wanted: Sequence[str] = (),
) -> Testbed:
    """The testbed that KIND:NAME means; raises RequestError.

    `scale` multiplies a fabric's rates; of a real cluster the first `nodes` are used, and `ports` for data.
    Slurm is asked for nodes if we `may_ask`, and for the `wanted` ones where there are such.
    """
    kind, colon, name = spec.partition(":")
    if kind == "local" and colon:
        _refuse_cluster(spec, nodes, ports)
        return open_local(name)
    if colon and name and kind in _BUILT:
        _refuse_cluster(spec, nodes, ports)
        return _BUILT[kind](name, scale)
    if colon and (name or kind == "slurm") and kind in _REAL:
        if scale != 1.0:
            raise RequestError(f"--on {spec}: a real cluster cannot be scaled", "leave --scale out")
        return _open_real(kind, name, nodes, ports, may_ask, wanted)
    raise RequestError(
        f"--on {spec}: not a testbed",
        "lab:FABRIC runs on a virtual cluster, for example lab:fast-ethernet-pair; local: is two processes on this "
        "machine; sim:FABRIC computes, node:MACHINE computes what happens inside two nodes; ssh:NODES, hosts:FILE, "
        "slurm:, mpirun:NODES and template:COMMAND:NODES run on real ones",
    )


def _refuse_cluster(spec: str, nodes: int | None, ports: str | None) -> None:
    """What was asked of a real cluster means nothing to any other testbed."""
    if nodes is not None or ports is not None:
        raise RequestError(
            f"--on {spec}: --nodes and --ports are for real clusters",
            "a fabric or machine says how many nodes it has",
        )


def _open_real(
    kind: str,
    name: str,
    nodes: int | None,
    ports: str | None,
    may_ask: bool,
    wanted: Sequence[str],
) -> Testbed:
    """Imported only where it is needed: the library for node sets takes its time to load."""
    from weft.testbed.hosts.spec import open_hosts

    return open_hosts(kind, name, nodes, ports, may_ask, wanted)
