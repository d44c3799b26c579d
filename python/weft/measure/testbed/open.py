"""Opens a testbed by its name on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.base.errors import RequestError
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.network import open_simulated
from weft.measure.testbed.computed.node import open_nodes
from weft.measure.testbed.kinds import testbeds_meant
from weft.measure.testbed.lab.testbed import Lab, open_lab
from weft.measure.testbed.local import open_local
from weft.measure.testbed.vm.planned import open_planned
from weft.measure.testbed.vm.testbed import open_vm

_BUILT: dict[str, Callable[[str, float], Testbed]] = {
    "local": lambda name, scale: open_local(name),
    "lab": open_lab,
    "sim": open_simulated,
    "node": open_nodes,
    "vm": open_vm,
}
_REAL = ("hosts", "ssh", "template", "mpirun", "slurm")
_MAY_BE_UNNAMED = ("local", "slurm")


def look_at_testbed(
    spec: str, scale: float | None = None, nodes: int | None = None, ports: str | None = None
) -> Testbed:
    """Open a testbed without starting anything: no guest boots, and Slurm is not asked. Raises RequestError."""
    kind, _, name = spec.partition(":")
    if kind == "vm" and name and nodes is None and ports is None:
        return open_planned(name, 1.0 if scale is None else scale)
    return open_testbed(spec, scale, nodes, ports, may_ask=False)


def open_testbed(
    spec: str,
    scale: float | None = None,
    nodes: int | None = None,
    ports: str | None = None,
    may_ask: bool = True,
    wanted: Sequence[str] = (),
) -> Testbed:
    """The testbed for KIND:NAME; raises RequestError.

    `scale` multiplies a fabric's rates. A real cluster or a lab uses its first `nodes`, and `ports` for data. If
    `may_ask`, Slurm may be asked for nodes, for the `wanted` ones if some are given.
    """
    kind, colon, name = spec.partition(":")
    is_named = bool(colon) and (bool(name) or kind in _MAY_BE_UNNAMED)
    if is_named and kind in _BUILT:
        _refuse_real_options(spec, kind, nodes, ports)
        testbed = _BUILT[kind](name, 1.0 if scale is None else scale)
        if nodes is not None and isinstance(testbed, Lab):
            testbed.use_first(nodes)
        return testbed
    if is_named and kind in _REAL:
        # The library for node sets is slow to import.
        from weft.measure.testbed.hosts.spec import open_hosts

        if scale not in (None, 1.0):
            raise RequestError(f"--on {spec}: a real cluster cannot be scaled", "leave --scale out")
        return open_hosts(kind, name, nodes, ports, may_ask, wanted)
    raise RequestError(f"--on {spec}: not a testbed", testbeds_meant(spec))


def _refuse_real_options(spec: str, kind: str, nodes: int | None, ports: str | None) -> None:
    if ports is not None:
        raise RequestError(
            f"--on {spec}: --ports is for real nodes, behind whose firewall only some ports are open",
            "leave --ports out: here all ports are free",
        )
    if nodes is not None and kind != "lab":
        raise RequestError(
            f"--on {spec}: --nodes is for real nodes",
            "leave --nodes out: a fabric or machine says how many nodes it has",
        )
