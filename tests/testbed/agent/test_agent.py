"""The agent as its coordinator meets it: real processes, real sockets."""

from __future__ import annotations

import asyncio
import struct
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import loopback
from weft import binaries
from weft.execute.pair import run_step
from weft.testbed.agent import wire_format
from weft.testbed.agent.agent import Agent, AgentError, describe_end
from weft.testbed.agent.reply import Ended, PhaseOver

pytestmark = pytest.mark.timed


def test_ping_pong_gives_a_row_per_trial():
    table = loopback.measure(loopback.step([1, 1000, 70000]))
    assert table.num_rows == 9
    assert table.column("size_bytes").to_pylist() == [1] * 3 + [1000] * 3 + [70000] * 3
    assert min(table.column("elapsed_ns").to_pylist()) > 0


def test_a_trial_lasts_about_as_long_as_asked():
    table = loopback.measure(loopback.step([1, 2, 3], trial_ms=20))
    elapsed = sorted(table.column("elapsed_ns").to_pylist())
    assert 2e6 < elapsed[len(elapsed) // 2] < 200e6


def test_count_rule_repeats_exactly():
    stop = {"rule": "count", "repeats": 40, "trials": 2}
    table = loopback.measure(loopback.step([8], stop=stop))
    assert table.column("messages").to_pylist() == [40, 40]


def test_until_ends_the_schedule_at_the_first_slow_size():
    table = loopback.measure(loopback.step([1, 2, 4], until_ns=1))
    assert set(table.column("size_bytes").to_pylist()) == {1}


def test_a_size_ends_once_it_has_taken_long_enough():
    stop = {"rule": "time", "trial_ns": 1, "trials": 50, "at_most_ns": 1}
    table = loopback.measure(loopback.step([8], stop=stop))
    assert table.num_rows == 1


def test_stream_counts_messages_one_way():
    table = loopback.measure(loopback.step([4096], pattern={"kind": "stream", "window": 16}))
    assert table.num_rows == 3


def test_verified_messages_arrive_intact():
    table = loopback.measure(loopback.step([1, 65537], options={"wait": "block", "verify": True}))
    assert table.num_rows == 6


def test_spinning_ends_measure_too():
    table = loopback.measure(loopback.step([1, 65537], options={"wait": "spin"}))
    assert table.num_rows == 6


def test_settings_are_read_back_from_the_kernel():
    options = {"wait": "block", "send_buffer_bytes": 65536, "congestion": "reno", "cpus": [0, 0]}

    async def scenario(driver: Agent, server: Agent):
        job = loopback.job(loopback.step([1], options=options))
        return await run_step([driver, server], job, lambda batch: None)

    effective = loopback.with_agents(scenario).effective
    for node in ("n1", "n2"):
        assert effective[node]["send_buffer_bytes"] == 2 * 65536
        assert effective[node]["congestion"] == "reno"
        assert effective[node]["cpus"] == [0]


def test_an_unknown_congestion_control_is_named():
    options = {"wait": "block", "congestion": "nosuch"}

    async def scenario(driver: Agent, server: Agent):
        job = loopback.job(loopback.step([1], options=options))
        await run_step([driver, server], job, lambda batch: None)

    with pytest.raises(AgentError, match="nosuch"):
        loopback.with_agents(scenario)


def test_a_peer_that_stops_is_noticed_within_the_patience():
    with pytest.raises(AgentError, match="n1: n2 has sent and taken nothing for too long"):
        loopback.with_stopped_peer(loopback.step([1], trial_ms=20000))


def test_a_status_of_ssh_is_told_as_what_it_means():
    assert describe_end(255) == "the agent was killed, or the login to it broke (status 255)"
    assert describe_end(1) == "the agent ended with status 1"


def test_an_agent_ends_with_its_coordinator():
    process = subprocess.Popen(
        [str(binaries.find("weft-probe"))], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    process.stdin.close()
    assert process.wait(timeout=5) == 0


def test_a_frame_that_claims_4_gb_ends_the_agent_with_a_message():
    done = subprocess.run(
        [str(binaries.find("weft-probe"))],
        input=struct.pack("<Ic", 0xFFFFFFFF, b"J"),
        capture_output=True,
        timeout=5,
        check=False,
    )
    assert done.returncode == 2
    assert b"4294967295" in done.stderr


def test_a_malformed_request_is_answered():
    async def scenario(driver: Agent, _: Agent):
        await driver.send({"type": "sing"})
        await driver.receive()

    with pytest.raises(AgentError, match="malformed"):
        loopback.with_agents(scenario)


def test_a_program_that_is_no_agent_is_named():
    with pytest.raises(AgentError, match="n1: "):
        asyncio.run(Agent.start("n1", ["echo", "this is not a frame"]))


def test_a_program_that_cannot_be_started_is_named():
    with pytest.raises(AgentError, match="nosuch"):
        asyncio.run(Agent.start("n1", ["./nosuch"]))


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


@pytest.mark.parametrize("said", [Ended(7, -9, "it was killed"), PhaseOver(1, 0.5)])
def test_a_message_survives_its_frame(said):
    assert asyncio.run(through_a_frame(said)) == said


@pytest.mark.parametrize(
    "said", [7, {"child": 7}, {"type": "sing"}, {"type": "ended", "child": "7"}]
)
def test_a_message_that_no_agent_sends_is_refused(said):
    with pytest.raises(wire_format.FrameError, match="no agent sends"):
        asyncio.run(through_a_frame(said))
