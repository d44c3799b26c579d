"""An agent that records beside another process: here a socket of this test takes the place of the rank."""

import asyncio
import socket
import struct
from collections.abc import Callable

import pytest

from support.live.loopback import start_agent
from support.plans import a_step
from weft.measure.execute.mpi import beside
from weft.measure.testbed.agent.agent import Recorded
from weft.measure.testbed.agent.reply import NotRead, RecordReply
from weft.measure.testbed.agent.wire_format import Evidence
from weft.measure.testbed.base import Node
from weft.plan.pattern import Pingpong

BEGINS, ENDS = 1, 0
STEP = a_step(Pingpong(), transport="mpi")


def recorded_while(process: Callable[[str], None]) -> list[Recorded]:
    """What the agent says of a process that gets the name under which the agent listens."""
    said: list[Recorded] = []

    async def scenario() -> None:
        agent = await start_agent("n1")
        try:
            ranks = [(0, Node("n1", "127.0.0.1"), agent)]
            async with beside.recorded(STEP, ranks, lambda node, one: said.append(one)) as found:
                await asyncio.to_thread(process, f"{found['agent']}-0")
            assert await agent.failure() is None, "it answers again"
        finally:
            await agent.close()

    asyncio.run(scenario())
    return said


def rank_with_one_batch(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0{name}")
        for what, used in ((BEGINS, 1000), (ENDS, 4000)):
            connection.sendall(struct.pack("@8q", what, 7, 3, used, 0, 0, 0, 0))
            assert connection.recv(1), "the counters were read"


def test_what_a_process_says_it_used_is_in_the_stretch_of_its_batch() -> None:
    recording, evidence = recorded_while(rank_with_one_batch)
    assert isinstance(recording, RecordReply) and "process_waiting_ns" in recording.counters
    assert isinstance(evidence, Evidence)
    rows = {one["counter"]: one for one in evidence.rows.to_pylist()}
    user = rows["process_user_ns"]
    assert (user["phase"], user["batch"], user["batches"], user["value"]) == (7, 3, 1, 3000)
    assert rows["elapsed_ns"]["value"] > 0


def test_a_rank_that_does_not_come_is_said_and_the_agent_goes_on() -> None:
    (said,) = recorded_while(lambda name: None)
    assert said == RecordReply([], [NotRead("*", "the rank did not find its agent")])


def test_a_name_that_another_process_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda count: "taken-by-a-test")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind("\0weft-taken-by-a-test-0")
        (said,) = recorded_while(lambda name: None)
    assert isinstance(said, RecordReply)
    assert said.missing == [NotRead("*", said.missing[0].reason)]
    assert "in use" in said.missing[0].reason
