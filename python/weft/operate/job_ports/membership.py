"""Which processes belong to a job: descendants of the command, and the processes at the other ends of their
connections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weft.measure.testbed.agent.reply import ProcessTimes
from weft.operate.job_ports.seen import NodeReport, SocketAddress

Member = tuple[int, int]
"""A node's index and a pid."""


class Members:
    """A job's processes on all nodes; `daemons` existed before and serve it."""

    def __init__(self, seen: list[NodeReport], root: Member) -> None:
        self._seen = seen
        self._children: dict[Member, list[Member]] = defaultdict(list)
        self._fleeting: dict[tuple[int, str], list[Member]] = defaultdict(list)
        for node, one in enumerate(seen):
            for process in one.processes.values():
                self._children[node, process.parent].append((node, process.pid))
                if process.first_ns == process.last_ns:
                    self._fleeting[node, process.name].append((node, process.pid))
        self.job: set[Member] = set()
        self.daemons: set[Member] = set()
        self._join(root)
        ends = _ends(seen)
        while sum(self._reach(pair) for pair in ends):
            """Until nothing more is reached."""

    def process(self, member: Member) -> ProcessTimes | None:
        """A process as it was seen; None if unknown."""
        return self._seen[member[0]].processes.get(member[1])

    def ranks(self) -> list[tuple[int, ProcessTimes]]:
        """The user's program: for each rank its node's index and its process, without children of ranks."""
        found = [(node, self.process((node, pid))) for node, pid in self.job]
        ranks = {(node, one.pid): one for node, one in found if one and one.is_rank}
        return [(node, one) for (node, _), one in ranks.items() if (node, one.parent) not in ranks]

    def serves(self, member: Member) -> bool:
        """Whether it belongs to the job or is a daemon that serves it."""
        return member in self.job or member in self.daemons

    def _join(self, member: Member) -> None:
        if member in self.job:
            return
        self.job.add(member)
        mine = self.process(member)
        # The tracepoint reports threads: one that ended before it could be inspected has its process's name.
        for thread in self._fleeting[member[0], mine.name] if mine else []:
            self._join(thread)
        for child in self._children[member]:
            process = self.process(child)
            if process is None or not process.was_there:
                self._join(child)

    def _reach(self, pair: tuple[Member, Member]) -> bool:
        """Add the other end of a connection; returns whether it was new."""
        is_new = False
        for one, other in (pair, pair[::-1]):
            if one in self.job and other[1] and not self.serves(other):
                process = self.process(other)
                if process is not None and process.was_there:
                    self.daemons.add(other)
                else:
                    self._join(other)
                is_new = True
        return is_new


def _ends(seen: list[NodeReport]) -> list[tuple[Member, Member]]:
    """The processes at both ends of each connection, as far as they are known."""
    owners: dict[tuple[str, str], Member] = {
        (event.local, event.remote): (node, event.pid)
        for node, one in enumerate(seen)
        for event in one.events
        if event.what == "is_open" and event.remote and not event.was_there and event.pid
    }
    found = [
        (owner, owners[remote, local])
        for (local, remote), owner in owners.items()
        if (remote, local) in owners
    ]
    return found + list(_by_listener(seen))


def _by_listener(seen: list[NodeReport]) -> Iterable[tuple[Member, Member]]:
    """Daemons that serve a connection themselves, if it was too short for its owner to be seen."""
    by_address = {address: node for node, one in enumerate(seen) for address in one.addresses}
    for node, one in enumerate(seen):
        for event in one.events:
            if event.what == "connects" and event.remote:
                server = by_address.get(SocketAddress.parse(event.remote).address)
                if server is not None:
                    pid = seen[server].listener(SocketAddress.parse(event.remote).port)
                    yield (node, event.pid), (server, pid)
