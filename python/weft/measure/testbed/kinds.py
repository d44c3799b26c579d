"""The kinds of testbeds, as `--on` names them."""

from __future__ import annotations

from pathlib import Path

from weft.base import catalog

TESTBEDS = {
    "local:": "two processes on this machine",
    "lab:FABRIC": "a virtual cluster on this machine, built out of network namespaces",
    "vm:FABRIC": "a virtual cluster on this machine, its hosts virtual machines (QEMU)",
    "sim:FABRIC": "a simulated network",
    "node:MACHINE": "two simulated nodes, with their processors, buses and caches",
    "ssh:NODES": "real nodes that one can log in to",
    "hosts:FILE": "real nodes with several addresses each",
    "slurm:": "nodes of a Slurm job",
    "mpirun:NODES": "real nodes that mpirun starts programs on",
    "template:COMMAND:NODES": "real nodes, reached by a command of yours",
}
"""By how `--on` writes them, what they are."""
KINDS_TEXT = (
    "lab:FABRIC and vm:FABRIC build a network on this machine, sim:FABRIC and node:MACHINE compute one, local: is two "
    "processes; ssh:NODES, hosts:FILE, slurm:, mpirun:NODES and template:COMMAND:NODES are real nodes"
)
"""The same as one sentence."""


def testbeds_meant(text: str) -> str:
    """What to write for a text that is no testbed: "did you mean lab:pair or sim:pair? ", then all kinds."""
    meant = _meant(text)
    return f"did you mean {' or '.join(meant)}?" if meant else KINDS_TEXT


def looks_like_testbed(text: str) -> bool:
    """Whether a text begins with a kind of testbed and a colon."""
    return any(text.startswith(f"{one.partition(':')[0]}:") for one in TESTBEDS)


def _meant(text: str) -> list[str]:
    kind, colon, name = text.partition(":")
    if colon:
        return [f"{near}:{name}" for near in catalog.similar(kind, _names()) if name]
    if text in _names():
        return [next(one for one in TESTBEDS if one.startswith(f"{text}:"))]
    if text.endswith(".toml") and Path(text).is_file():
        return [f"lab:{text}", f"sim:{text}"]
    if machines := [one for one in catalog.placements() if one == text]:
        return [f"node:{one}" for one in machines]
    from weft import _core  # here, as helps list the kinds without it

    if text.partition("(")[0] in dict(_core.Network.generators()):
        return [f"sim:{text}"]
    return [f"{kind}:{one}" for one in _fabrics(text) for kind in ("lab", "sim")]


def _names() -> list[str]:
    return [one.partition(":")[0] for one in TESTBEDS]


def _fabrics(text: str) -> list[str]:
    return catalog.similar(text, catalog.names("fabric"))
