"""The agent as its coordinator meets it: real processes, real sockets."""

import asyncio
import struct
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.live import loopback
from weft.base import binaries
from weft.measure.execute.pair import run_step
from weft.measure.testbed.agent import wire_format
from weft.measure.testbed.agent.agent import Agent, AgentError, describe_end
from weft.measure.testbed.agent.reply import PhaseOver, ProcessEnd

pytestmark = pytest.mark.timed


def test_a_trial_lasts_about_as_long_as_asked():
    table = loopback.measure(loopback.step([1, 2, 3], trial_ms=20))
    elapsed = sorted(table.column("elapsed_ns").to_pylist())
    assert 2e6 < elapsed[len(elapsed) // 2] < 200e6


def test_count_rule_repeats_exactly():
    stop = {"rule": "count", "repeats": 40, "trials": 2}
    table = loopback.measure(loopback.step([8], stop=stop))
    assert table.column("messages").to_pylist() == [40, 40]


@pytest.mark.parametrize(
    ("sizes", "changes", "measured"),
    [
        ([1, 1000, 70000], {}, [1] * 3 + [1000] * 3 + [70000] * 3),
        # Until the first slow size, and until it has taken long enough.
        ([1, 2, 4], {"until_ns": 1}, [1] * 3),
        ([8], {"stop": {"rule": "time", "trial_ns": 1, "trials": 50, "at_most_ns": 1}}, [8]),
        ([4096], {"pattern": {"kind": "stream", "window": 16}}, [4096] * 3),
        ([1, 65537], {"options": {"wait": "block", "verify": True}}, [1] * 3 + [65537] * 3),
        ([1, 65537], {"options": {"wait": "spin"}}, [1] * 3 + [65537] * 3),
    ],
    ids=["ping-pong", "until", "at most", "stream", "verified", "spinning"],
)
def test_each_trial_of_each_size_gives_a_row(sizes, changes, measured):
    table = loopback.measure(loopback.step(sizes, **changes))
    assert table.column("size_bytes").to_pylist() == measured
    assert min(table.column("elapsed_ns").to_pylist()) > 0


def settled(**options: Any) -> dict[str, Any]:
    """What the kernel made of the options of a ping-pong, by node."""

    async def scenario(driver: Agent, server: Agent):
        job = loopback.job(loopback.step([1], options={"wait": "block"} | options))
        return await run_step([driver, server], job, lambda batch: None)

    return loopback.with_agents(scenario).effective


def test_settings_are_read_back_from_the_kernel():
    effective = settled(send_buffer_bytes=65536, congestion="reno", cpus=[0, 0])
    expected = {"send_buffer_bytes": 2 * 65536, "congestion": "reno", "cpus": [0]}
    for node in ("n1", "n2"):
        assert expected.items() <= effective[node].items()
    with pytest.raises(AgentError, match="nosuch"):
        settled(congestion="nosuch")


def test_a_peer_that_stops_is_noticed_within_the_patience():
    with pytest.raises(AgentError, match="n1: n2 has sent and taken nothing for too long"):
        loopback.with_stopped_peer(loopback.step([1], trial_ms=20000))


def test_a_status_of_ssh_is_told_as_what_it_means():
    assert describe_end(255) == "the agent was killed, or the login to it broke (status 255)"
    assert describe_end(1) == "the agent ended with status 1"


def test_a_frame_that_claims_4_gb_ends_the_agent_with_a_message():
    frame = struct.pack("<Ic", 0xFFFFFFFF, b"J")
    command = [str(binaries.find("weft-probe"))]
    done = subprocess.run(command, input=frame, capture_output=True, timeout=5, check=False)
    assert done.returncode == 2
    assert b"4294967295" in done.stderr
    # Without a coordinator there is no agent.
    alone = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=5)
    assert alone.returncode == 0


def test_a_malformed_request_is_answered():
    async def scenario(driver: Agent, _: Agent):
        await driver.send({"type": "sing"})
        await driver.receive()

    with pytest.raises(AgentError, match="malformed"):
        loopback.with_agents(scenario)


@pytest.mark.parametrize(
    ("command", "said"), [(["echo", "this is not a frame"], "n1: "), (["./nosuch"], "nosuch")]
)
def test_a_program_that_is_no_agent_or_cannot_be_started_is_named(command, said):
    with pytest.raises(AgentError, match=said):
        asyncio.run(Agent.start("n1", command))


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_no_bytes_break_the_coordinators_decoder(data):
    async def read():
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        while True:
            await wire_format.Reader(stream).read()

    with pytest.raises((wire_format.FrameError, asyncio.IncompleteReadError)):
        asyncio.run(read())


async def through_a_frame(message):
    stream = asyncio.StreamReader()
    stream.feed_data(wire_format.encode(message))
    return await wire_format.Reader(stream).read()


@pytest.mark.parametrize("said", [ProcessEnd(7, -9, "it was killed"), PhaseOver(1, 0.5)])
def test_a_message_survives_its_frame(said):
    assert asyncio.run(through_a_frame(said)) == said


@pytest.mark.parametrize(
    "said", [7, {"child": 7}, {"type": "sing"}, {"type": "ended", "child": "7"}]
)
def test_a_message_that_no_agent_sends_is_refused(said):
    with pytest.raises(wire_format.FrameError, match="no agent sends"):
        asyncio.run(through_a_frame(said))
