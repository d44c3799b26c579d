"""Sizes at which a known limit lies: MPI's protocols, TCP segments, buffers, caches, pages.

They come from run.json alone: the settings in effect and the facts of its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.base.quantity import format_bytes
from weft.network.model.partition import LEAST_APART
from weft.network.model.thresholds import ThresholdCandidate
from weft.runs.meta import RunMeta

MOST_SEGMENTS = 4
"""One more segment than this lengthens a message too little to be detected."""
MPI_HEADER_BYTES = 64
"""Open MPI's limits include a header of at most this size, which depends on the protocol and the version."""
PAGE_BYTES = 4096
PAGED = ("x86_64",)
"""Architectures whose base pages always have PAGE_BYTES."""
HUGE_PAGE_BYTES = 2 * 2**20
_EAGER = re.compile(r"btl_\w+_eager_limit|MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE|eager_limit_bytes")
_RENDEZVOUS = "UCX_RNDV_THRESH"
"""Names the first size that is not eager; the other settings name the last eager one."""
_FRAGMENT = re.compile(r"btl_\w+_max_send_size")


@dataclass(frozen=True)
class KnownSize:
    """The largest message within a limit, between two bounds. `is_protocol` if the transport switches its protocol
    there, so that the limit may be named even between sizes that are far apart."""

    least: int
    most: int
    name: str
    is_protocol: bool = False

    @classmethod
    def at(cls, size: int, name: str) -> KnownSize:
        return cls(size, size, f"{name}, {size:,} B")

    def is_between(self, last_before: int, first_after: int) -> bool:
        """Whether the limit lies between two sizes."""
        return self.most >= last_before and self.least < first_after


def name_of(found: ThresholdCandidate, known: Sequence[KnownSize]) -> str | None:
    """The known limit at a threshold; None if there is none, or more than two candidates.

    Between sizes more than a tenth apart, a known size is likely to lie by chance. There only a limit of the protocol
    is named, and only at a jump to a longer time.
    """
    if found.kind == "dip":
        return None
    fitting = [one for one in known if one.is_between(found.last_before, found.first_after)]
    if found.first_after > LEAST_APART * found.last_before:
        is_slower = found.kind == "jump" and found.height.median > 0
        fitting = [one for one in fitting if one.is_protocol and is_slower]
    protocols = [one for one in fitting if one.is_protocol]
    names = {one.name for one in protocols or fitting}
    return " or ".join(sorted(names)) if 0 < len(names) <= 2 else None


def known_sizes(meta: RunMeta, step: int) -> list[KnownSize]:
    """The known sizes of a step according to run.json."""
    nodes = [one["settings"] for one in meta.effective if one["step"] == step]
    settings = nodes[0] if nodes else {}
    facts = next((node.get("facts") or {} for node in meta.nodes), {})
    return [*_of_mpi(settings), *_of_sockets(settings), *_of_node(facts)]


def _of_mpi(settings: Mapping[str, Any]) -> Iterator[KnownSize]:
    for name, size in settings.items():
        header = MPI_HEADER_BYTES if name.startswith("btl_") else 0
        if _EAGER.fullmatch(name):
            text = f"eager to rendezvous, {name} = {size:,} B"
            yield KnownSize(size - header, size - bool(header), text, is_protocol=True)
        elif name == _RENDEZVOUS:
            text = f"eager to rendezvous, {name} = {size:,} B"
            yield KnownSize(size - 1, size - 1, text, is_protocol=True)
        elif _FRAGMENT.fullmatch(name):
            yield KnownSize(size - header, size, f"a fragment of MPI, {name} = {size:,} B")


def _of_sockets(settings: Mapping[str, Any]) -> Iterator[KnownSize]:
    if mss := settings.get("mss_bytes"):
        for count in range(1, MOST_SEGMENTS + 1):
            yield KnownSize.at(
                count * mss, "a TCP segment" if count == 1 else f"{count} TCP segments"
            )
    for key, name in (
        ("send_buffer_bytes", "send buffer"),
        ("receive_buffer_bytes", "receive buffer"),
    ):
        if size := settings.get(key):
            yield KnownSize.at(size, f"the {name}")


def _of_node(facts: Mapping[str, Any]) -> Iterator[KnownSize]:
    for cache in facts.get("caches") or ():
        yield KnownSize.at(cache["bytes"], f"the L{cache['level']} cache")
    if facts.get("architecture") in PAGED:
        yield KnownSize.at(PAGE_BYTES, "a page")
        yield KnownSize(
            HUGE_PAGE_BYTES, HUGE_PAGE_BYTES, f"a huge page, {format_bytes(HUGE_PAGE_BYTES)}"
        )
