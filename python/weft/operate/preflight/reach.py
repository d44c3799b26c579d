"""Whether a record shows anything about the nodes: if this machine reaches none, it shows nothing about the cluster."""

from __future__ import annotations

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.operate.preflight.record import ClusterRecord, NodeRecord

OF_PATHS = ("unreachable", "no-datagrams", "datagrams-lost", "path-mtu", "clock-offset")
"""Findings that only paths can show."""
_OF_DATAGRAMS = ("datagrams-lost", "path-mtu", "clock-offset")
NO_SUCH_NAME = "agent-name-unknown"


def refuse_unreached(record: ClusterRecord) -> None:
    """Raise RequestError if no node has an agent, or a node's name does not exist: then the request or this machine is
    wrong, not a node."""
    unknown = [node for node in record.nodes if node.failure_code == NO_SUCH_NAME]
    if unknown:
        raise RequestError(_sentence(unknown), f"correct the name, or try {_command(unknown[0])}")
    if record.nodes and not record.alive:
        text = (
            f"none of {len(record.nodes)} nodes lets an agent start, so nothing is known of them: "
        )
        raise RequestError(
            text + _sentence(record.nodes), f"try {_command(record.nodes[0])}, then `weft check`"
        )


def unseen(record: ClusterRecord, code: str, nodes: tuple[str, ...]) -> list[str]:
    """The nodes of a finding (all, if it names none) for which the record cannot show it: nodes without an agent and,
    for findings about paths, nodes without a tested path or an answered datagram."""
    known = {node.name: node for node in record.nodes}
    return [name for name in nodes or known if not _shows(record, code, known.get(name))]


def _shows(record: ClusterRecord, code: str, node: NodeRecord | None) -> bool:
    if node is None or node.failure or (node.complaint and code in OF_PATHS):
        return False
    if code not in OF_PATHS:
        return True
    paths = [path for path in record.paths if node.name in path.ends]
    if code in _OF_DATAGRAMS:
        return any(path.answered and not path.datagram_error for path in paths)
    return bool(paths)


def _sentence(nodes: list[NodeRecord]) -> str:
    """The reasons as text; nodes with the same kind of reason share the words of the first."""
    alike: dict[str, list[NodeRecord]] = {}
    for node in nodes:
        alike.setdefault(node.failure_code, []).append(node)
    return "; ".join(
        f"{fold(node.name for node in same)}: {same[0].failure}"
        + (", and the others likewise" if len({node.failure for node in same}) > 1 else "")
        for same in alike.values()
    )


def _command(node: NodeRecord) -> str:
    return f"`{node.try_command}`" if node.try_command else f"a login to {node.name} by hand"
