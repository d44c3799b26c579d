"""What a run would use (logins, addresses, ports and connections), without starting anything."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from msgspec.structs import replace

from weft.base.nodeset import fold
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.pair import WITHOUT_SERVER
from weft.measure.execute.settle.networks import settle_networks
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.computed.base import is_computed
from weft.measure.testbed.vm.planned import GuestsOutlook
from weft.plan.plan import Plan, Step

_ASKED_AT_ONCE = 16
_DATAGRAMS = ("icmp", "udp")
ANY_PORT = "any free port"
NOT_KNOWN_YET = "known once the node is asked"


@dataclass
class NodeOutlook:
    """How a node is logged into, where it receives data, and from which nodes."""

    node: Node
    login: str
    callers: set[int] = field(default_factory=set)
    datagrams: dict[str, set[int]] = field(default_factory=dict)
    """For each protocol ("udp", "icmp"), the nodes from which datagrams come."""

    @property
    def ports(self) -> str:
        return str(self.node.ports or ANY_PORT)

    @property
    def addresses(self) -> list[str]:
        return [address or NOT_KNOWN_YET for address in self.node.places]

    def row(self, names: Sequence[str]) -> tuple[str, str, str, str]:
        """The node, its login, its listening address, and the nodes that connect to it."""
        with_ports = ["tcp"] * bool(self.callers) + ["udp"] * ("udp" in self.datagrams)
        listeners = [f"{' and '.join(with_ports)} {self.ports}"] * bool(with_ports)
        listeners += ["icmp echo"] * ("icmp" in self.datagrams)
        listens = ", ".join([*self.addresses, *(listeners or ["no port"])])
        callers = sorted(self.callers.union(*self.datagrams.values()))
        return self.node.name, self.login, listens, fold(names[one] for one in callers) or "no node"

    def to_json(self, names: Sequence[str]) -> dict[str, object]:
        return {
            "node": self.node.name,
            "login": self.login,
            "addresses": self.addresses,
            "ports": self.ports,
            "protocol": "tcp",
            "from": [names[caller] for caller in sorted(self.callers)],
            "datagrams": [
                {"protocol": protocol, "from": [names[caller] for caller in sorted(callers)]}
                for protocol, callers in sorted(self.datagrams.items())
            ],
        }

    def add(self, step: Step, node: int, members: Sequence[int]) -> None:
        """Add what a step sends to a node."""
        self.callers |= callers_of(step, node, members)
        if step.transport in _DATAGRAMS and node == members[-1]:
            self.datagrams.setdefault(step.transport, set()).add(members[0])


@dataclass
class Outlook:
    """All nodes that take part in a plan."""

    plan: str
    testbed: str
    nodes: dict[int, NodeOutlook]
    names: list[str]
    steps: list[str]
    """The plan's steps on this testbed, in order."""
    guests: GuestsOutlook | None = None

    def to_json(self) -> dict[str, object]:
        listed = [self.nodes[node].to_json(self.names) for node in sorted(self.nodes)]
        document: dict[str, object] = {
            "plan": self.plan,
            "testbed": self.testbed,
            "steps": self.steps,
            "nodes": listed,
        }
        return document | (self.guests.to_json() if self.guests else {})

    def rows(self) -> list[tuple[str, str, str, str]]:
        """A row for each node: its name, login, listening address, and the nodes that connect to it."""
        return [self.nodes[node].row(self.names) for node in sorted(self.nodes)]


def foresee(plan: Plan, spec: str, testbed: Testbed) -> Outlook:
    """What the steps of a resolved plan would use; raises RequestError if the testbed has too few nodes."""
    plan, _ = settle_networks(plan, testbed)
    if not is_computed(testbed):
        live = (one for step in plan.steps for one in kind_of(step).live_steps())
        plan = replace(plan, steps=tuple(live))
    nodes = testbed.nodes
    members_of = [kind_of(step).nodes(len(nodes)) for step in plan.steps]
    taking_part = sorted({node for members in members_of for node in members})
    with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
        logins = pool.map(testbed.login, [nodes[node] for node in taking_part])
        pairs = zip(taking_part, logins, strict=True)
        found = {node: NodeOutlook(nodes[node], login) for node, login in pairs}
    for step, members in zip(plan.steps, members_of, strict=True):
        for node in members:
            found[node].add(step, node, members)
    names, steps = ([one.name for one in each] for each in (nodes, plan.steps))
    return Outlook(plan.name, spec, found, names, steps)


def callers_of(step: Step, node: int, members: Sequence[int]) -> set[int]:
    """The nodes that connect to a node in a step: in a pair the first connects to the second; among many nodes, and
    under MPI, each connects to each."""
    if step.transport in WITHOUT_SERVER:
        return set()
    return kind_of(step).callers(node, members)
