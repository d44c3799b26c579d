"""Looking at a testbed: real agents on loopback, some of whose nodes have none."""

from itertools import permutations

import pytest

from support.live.loopback import ADDRESS, Loopback
from weft.measure.testbed.base import Node
from weft.operate.preflight.assess import judge
from weft.operate.preflight.probe import look

pytestmark = pytest.mark.timed


MPI = "trying MPI on this machine"


class ProgressRecord:
    """What a progress bar would show."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.total = self.done = 0

    def start(self, phases: int) -> None:
        self.total = phases

    def grow(self, phases: int) -> None:
        self.total += phases

    def advance(self, phases: int) -> None:
        self.done += phases

    def describe(self, text: str) -> None:
        self.stages.append(text)


def test_every_node_is_seen_and_every_way_is_tried() -> None:
    told = ProgressRecord()
    record = look(Loopback(3), told)
    assert [node.name for node in record.alive] == ["n1", "n2", "n3"]
    ends = {(path.src, path.dst) for path in record.paths}
    assert ends == set(permutations(("n1", "n2", "n3"), 2))
    for path in record.paths:
        assert path.connect_error is path.datagram_error is None
        assert path.answered == path.asked and path.mtu_bytes == 65535
    assert told.stages == ["starting agents", "inspecting nodes", *2 * ["trying paths"], MPI]
    assert told.done == told.total == 5
    verdict = judge(record)
    assert verdict.can_run
    assert not [
        one for one in verdict.findings if one.kind == "difference" or one.code == "path-mtu"
    ]


def test_a_node_without_an_agent_is_named_and_the_others_go_on() -> None:
    record = look(Loopback(4, broken=[2]))
    assert [node.name for node in record.nodes if node.failure] == ["n3"]
    assert len(record.paths) == 6 and {path.src for path in record.paths} == {"n1", "n2", "n4"}
    verdict = judge(record)
    (failure,) = (one for one in verdict.findings if one.kind == "failure")
    assert not verdict.can_run and failure.code == "no-agent" and failure.nodes == ("n3",)


def test_an_address_that_is_not_here_stops_the_run() -> None:
    testbed = Loopback(3)
    testbed.nodes[1] = Node("n2", "192.0.2.77", ("192.0.2.77",))
    record = look(testbed)
    verdict = judge(record)
    assert not verdict.can_run
    (failure,) = (one for one in verdict.findings if one.kind == "failure")
    assert failure.code == "no-interface" and failure.nodes == ("n2",)
    assert "no interface has the address 192.0.2.77" in failure.message


def test_two_networks_are_tried_each() -> None:
    testbed = Loopback(2)
    testbed.nodes = [
        Node(node.name, ADDRESS, (ADDRESS, f"127.0.1.{at + 1}"))
        for at, node in enumerate(testbed.nodes)
    ]
    record = look(testbed)
    assert {(path.src, path.network) for path in record.paths} == {
        (name, network) for name in ("n1", "n2") for network in (0, 1)
    }
