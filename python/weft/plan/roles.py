"""A phase from the nodes' view: which take part, what each must do, and what remains without some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from weft.plan.pattern import Cast
from weft.plan.phases import Phase, Transfer
from weft.plan.plan import Step, StopRule


class SourceRole(Struct, frozen=True):
    """A transfer as described to its source."""

    dst: int
    streams: int
    network: int
    port: int = 0


class IncomingTransfer(Struct, frozen=True):
    """A transfer as described to its destination."""

    src: int
    streams: int
    network: int
    port: int = 0


class NodePart(Struct, frozen=True):
    """A phase as described to a node."""

    phase: int
    work: str
    size_bytes: int
    stop: StopRule
    chunk_bytes: int | None
    send: list[SourceRole]
    receive: list[IncomingTransfer]


def participants(phase: Phase) -> set[int]:
    """The nodes that send or receive in a phase."""
    return {node for one in phase.transfers for node in one.ends}


def without(phase: Phase, lost: Collection[int]) -> Phase:
    """The phase without some nodes: their transfers are left out, and a chain is closed over the gaps."""
    if not participants(phase) & set(lost):
        return phase
    if phase.work == "cast":
        return replace(phase, transfers=tuple(_closed_chains(phase.transfers, lost)))
    kept = [one for one in phase.transfers if one.src not in lost and one.dst not in lost]
    return replace(phase, transfers=tuple(kept))


def parts(phase: Phase, nodes: Iterable[int], step: Step) -> dict[int, NodePart]:
    """The part of each node in a phase; linear in nodes and transfers."""
    chunk_bytes = step.pattern.chunk_bytes if isinstance(step.pattern, Cast) else None
    stop = phase.stop or step.stop
    found = {
        node: NodePart(phase.index, phase.work, phase.size_bytes, stop, chunk_bytes, [], [])
        for node in nodes
    }
    for one in phase.transfers:
        found[one.src].send.append(SourceRole(one.dst, one.streams, one.network, one.port))
        found[one.dst].receive.append(IncomingTransfer(one.src, one.streams, one.network, one.port))
    return found


def _closed_chains(links: Sequence[Transfer], lost: Collection[int]) -> Iterator[Transfer]:
    for network in dict.fromkeys(one.network for one in links):
        yield from _closed_chain([one for one in links if one.network == network], lost)


def _closed_chain(own: Sequence[Transfer], lost: Collection[int]) -> list[Transfer]:
    """The links of one network's chain, in order, over the remaining nodes."""
    chain = [own[0].src, *(one.dst for one in own)]
    left = [node for node in chain if node not in lost]
    return [replace(own[0], src=src, dst=dst) for src, dst in pairwise(left)]
