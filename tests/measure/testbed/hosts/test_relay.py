"""Agents that start agents."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.clusters.hosts import HERE, errors_of, local_nodes, start_all
from support.command import descendants
from support.here import weft_json
from weft.base import binaries
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.process import LocalProcess
from weft.measure.testbed.hosts.relay import RelayedProcess, SshRelay
from weft.measure.testbed.hosts.testbed import Hosts
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed


def with_relay(scenario: Callable[[SshRelay, LocalProcess], Awaitable[None]]) -> Callable[[], None]:
    """A test of a scenario with a relay on this machine."""

    async def run() -> None:
        process = await LocalProcess.start([str(binaries.find("weft-probe")), "relay"])
        relay = await SshRelay.greeted("top", process, 5, "x86_64")
        await scenario(relay, process)

    return lambda: asyncio.run(run())


async def everything(process: RelayedProcess) -> tuple[bytes, bytes, int]:
    """What it says, what it complains of, how it ends."""
    said, complained = await asyncio.gather(process.stdout.read(), process.stderr.read())
    return said, complained, await process.wait()


@with_relay
async def test_a_relayed_process_reads_writes_and_ends_as_one_here_does(
    relay: SshRelay, process: LocalProcess
) -> None:
    cat = relay.start(["cat"])
    sent = bytes(range(256)) * 4000
    cat.stdin.write(sent[:300_000])
    cat.stdin.write(sent[300_000:])
    cat.stdin.close()
    assert await everything(cat) == (sent, b"", 0)
    failing = relay.start(["sh", "-c", "echo no >&2; exit 7"])
    assert await everything(failing) == (b"", b"no\n", 7)
    sleeper = relay.start(["sleep", "60"])
    sleeper.kill()
    assert (await everything(sleeper))[2] == -signal.SIGKILL
    missing = relay.start(["./nosuch"])
    said, complained, status = await everything(missing)
    assert (said, status) == (b"", 127)
    assert b"cannot start ./nosuch: No such file" in complained
    await relay.start_no_more()
    assert await process.wait() == 0


@with_relay
async def test_one_that_does_not_read_holds_up_nobody(
    relay: SshRelay, process: LocalProcess
) -> None:
    deaf = relay.start(["sleep", "60"])
    deaf.stdin.write(bytes(1 << 20))
    echo = relay.start(["echo", "here"])
    assert await everything(echo) == (b"here\n", b"", 0)
    deaf.kill()
    await deaf.wait()
    await relay.start_no_more()


@with_relay
async def test_when_a_relay_is_killed_all_behind_it_is_lost_and_says_so(
    relay: SshRelay, process: LocalProcess
) -> None:
    agent = await Agent.greeted("n1", relay.start(["/proc/self/exe"]))
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(AgentError, match=r"n1: .*its relay top ended"):
        await agent.receive()
    await process.wait()


@with_relay
async def test_what_a_relay_started_ends_with_it(relay: SshRelay, process: LocalProcess) -> None:
    relay.start(["sleep", "61"])
    await relay.start(["true"]).wait()
    (sleeper,) = [pid for pid, name in descendants(process.pid) if name == "sleep"]
    process.stdin.close()
    await process.wait()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{sleeper}/cmdline").exists() and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    assert not Path(f"/proc/{sleeper}/cmdline").exists()


def test_a_tree_starts_all_agents_and_few_logins_are_ours(tmp_path: Path) -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = set(children.read_text().split())

    def look(testbed: Hosts, agents: dict[int, Agent]) -> None:
        assert len(agents) == 12
        assert len({agent.pid for agent in agents.values()}) == 3
        assert len(set(children.read_text().split()) - before) == 3

    started = start_all(local_nodes(tmp_path, "n[1-12]", top="tree = 3"), look)
    assert not errors_of(started)


def test_what_a_relay_cannot_reach_is_started_from_here(tmp_path: Path) -> None:
    # Behind a relay the environment has no LOGIN, as a node has not the user's keys.
    command = "sh -c 'test -z \"$BEHIND\" || exit 9; BEHIND=1 NODE={node} exec {command}'"
    started = start_all(local_nodes(tmp_path, "n[1-8]", command, top="tree = 2"))
    assert not errors_of(started)


def test_a_relay_that_does_not_start_takes_only_its_own_node(tmp_path: Path) -> None:
    command = "sh -c 'test {node} != n1 || exit 9; exec {command}'"
    errors = errors_of(start_all(local_nodes(tmp_path, "n[1-8]", command, top="tree = 2")))
    assert list(errors) == ["n1"]
    assert errors["n1"].message == "n1: template ended with status 9"


def test_a_plan_runs_through_a_tree(tmp_path: Path) -> None:
    spec = local_nodes(tmp_path, "n[1-8]", HERE, top="tree = 2\nports = '21000-21020'")
    quick = ["--launches", "2", "--set", "steps.ring.stop.trial=20 ms"]
    said = weft_json("run", "ring", "--on", spec, "--out", tmp_path / "r", *quick)
    assert said["status"] == "complete"
    samples = RunFolder.open(tmp_path / "r").samples
    assert set(samples["src"].to_pylist()) == set(range(8))
    assert set(samples["launch"].to_pylist()) == {0, 1}
