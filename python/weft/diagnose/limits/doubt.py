"""What a machine that was too slow for its lab would look like: a limit that all nodes share."""

from __future__ import annotations

from weft.diagnose.xray.flows import Members
from weft.diagnose.xray.limit import SharedLimit
from weft.quantity import format_mbps
from weft.run.meta import RunMeta

MACHINE_WARNINGS = {"lab-late", "lab-busy"}


def may_be_the_machine(limit: SharedLimit, all_nodes: Members, meta: RunMeta) -> bool:
    """Whether a limit may be the testbed's own: all nodes share it, and the lab was late or busy."""
    is_of_all = limit.members == all_nodes and limit.kind in ("switch", "core")
    return is_of_all and any(warning.code in MACHINE_WARNINGS for warning in meta.warnings)


def doubt_text(limit: SharedLimit) -> str:
    """The question that is left open."""
    return (
        f"whether {len(limit.members)} nodes share a limit of {format_mbps(limit.capacity_mbps.median)} "
        "or the machine that carries the lab was the limit"
    )
