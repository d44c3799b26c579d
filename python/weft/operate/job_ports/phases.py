"""The starts of a job's phases."""

from __future__ import annotations

from typing import NamedTuple

from weft.operate.job_ports.connection import Phase
from weft.operate.job_ports.membership import Members
from weft.operate.job_ports.seen import NodeReport


class JobPhases(NamedTuple):
    """Seconds from the job's start to the start of each phase after launch. A job without ranks only has `run`."""

    wire_up_s: float = 0.0
    run_s: float = 0.0
    end_s: float = float("inf")

    def at(self, at_s: float) -> Phase:
        """The phase at a time."""
        if at_s < self.wire_up_s:
            return "launch"
        if at_s <= self.run_s:
            return "wire-up"
        return "run" if at_s < self.end_s else "end"


def phases_of(seen: list[NodeReport], members: Members) -> JobPhases:
    """Phases by the ranks of all nodes: when all run, when the last opens a listener, when the first ends."""
    ranks = members.ranks()
    if not ranks:
        return JobPhases(0.0, -1.0)
    all_run_s = max(seen[node].at_s(one.first_ns) for node, one in ranks)
    listens = [
        one.at_s(event.at_ns)
        for node, one in enumerate(seen)
        for event in one.events
        if event.what == "listens" and not event.was_there and _is_rank(members, (node, event.pid))
    ]
    ended = [seen[node].at_s(one.last_ns) for node, one in ranks]
    return JobPhases(all_run_s, max([all_run_s, *listens]), min(ended))


def _is_rank(members: Members, member: tuple[int, int]) -> bool:
    process = members.process(member)
    return member in members.job and process is not None and process.is_rank
