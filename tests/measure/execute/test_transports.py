"""What carries messages beside TCP: the real thing on this machine, whole, damaged and cut."""

import asyncio
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from msgspec.structs import astuple

from support.command import weft as weft_process
from support.here import refusal, weft, weft_json
from support.live import loopback
from support.paths import DATA
from weft.base.errors import RequestError
from weft.measure.execute.pair import run_step
from weft.measure.execute.settle.ask import ask_agents
from weft.measure.execute.settle.transport_check import refuse_elsewhere
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import Delivery
from weft.measure.testbed.agent.request import ChosenBatch
from weft.measure.testbed.local import Local
from weft.measure.testbed.open import open_testbed
from weft.measure.testbed.ports import PortRange
from weft.plan.load import load_plan
from weft.plan.plan import Step
from weft.runs.folder import RunFolder
from weft.understand.curve.delivery import deliveries
from weft.understand.curve.points import points

pytestmark = pytest.mark.timed

INSIDE = ("unix", "shm")
KINDS_OF_TCP = ("tcp-busy-poll", "tcp-uring", "tcp-striped", "mptcp")
CHECKED = (*INSIDE, *KINDS_OF_TCP)
WAITS = ("block", "spin")
ENDLESS = {"rule": "count", "repeats": 2_000_000_000, "trials": 1}
"""Not over before something is done to it, however slow the machine was a moment ago."""
FAILING = (*CHECKED, "tcp-zerocopy", "udp")
SIZES = [1, 56, 57, 65537, 1 << 20]
"""On both sides of a cell of shared memory, and more than its rings hold at once."""


def step(transport: str, sizes: list[int], **changes: Any) -> Step:
    return loopback.step(sizes, transport=transport, **changes)


def streamed(*sizes: int, **options: Any) -> tuple[pa.Table, list[Delivery]]:
    """The samples and the deliveries of a stream of datagrams on loopback."""
    rows: list[Delivery] = []
    stream = {"kind": "stream", "window": 64}
    a_step = step("udp", list(sizes), pattern=stream, options={"wait": "block"} | options)

    async def scenario(driver: Agent, server: Agent) -> pa.Table:
        batches: list[pa.RecordBatch] = []
        await run_step([driver, server], loopback.job(a_step), batches.append, rows.extend)
        return pa.Table.from_batches(batches)

    return loopback.with_agents(scenario), rows


@pytest.mark.parametrize(
    ("wait", "pattern"),
    [
        *((wait, {"kind": "pingpong"}) for wait in WAITS),
        ("block", {"kind": "stream", "window": 16}),
    ],
)
@pytest.mark.parametrize("transport", CHECKED)
def test_every_byte_arrives(transport: str, wait: str, pattern: dict[str, Any]) -> None:
    options = {"wait": wait, "verify": True}
    table = loopback.measure(step(transport, SIZES, pattern=pattern, options=options))
    assert table.num_rows == 3 * len(SIZES)


def asked(transport: str, *orders: list[ChosenBatch]) -> list[list[tuple[int, ...]]]:
    """What a step that pins measures by these orders, after one batch: each phase, batch, size, messages."""
    once = {"rule": "count", "repeats": 1, "trials": 1}
    a_step = step(transport, [8, 70_000], stop=once, pin_ns=10**9)
    job = replace(loopback.job(a_step), phases=[0])
    left, taken = iter([*orders, []]), []

    async def scenario(driver: Agent, server: Agent) -> None:
        await run_step([driver, server], job, taken.append, next_batches=lambda: next(left))

    loopback.with_agents(scenario)
    columns = ("phase", "batch", "size_bytes", "messages")
    return [list(zip(*(one[name].to_pylist() for name in columns), strict=True)) for one in taken]


@pytest.mark.parametrize("transport", ("tcp", *CHECKED, "tcp-zerocopy", "udp", "icmp"))
def test_batches_that_are_asked_for_are_measured_over_the_same_connection(transport: str) -> None:
    first = [ChosenBatch(7, 0, 70_000, 2), ChosenBatch(6, 0, 9, 3), ChosenBatch(7, 1, 70_000, 2)]
    if transport in ("udp", "icmp"):
        first = [
            ChosenBatch(one.phase, one.batch, one.size_bytes // 2, one.messages) for one in first
        ]
    second = [ChosenBatch(8, 0, 8, 1)]
    sent = [[(0, 0, 8, 1)], *([astuple(one) for one in order] for order in (first, second))]
    assert asked(transport, first, second) == sent


def test_a_batch_that_the_step_does_not_have_is_refused() -> None:
    for odd in (ChosenBatch(2, 0, 70_001, 1), ChosenBatch(2, 0, 0, 1), ChosenBatch(2, 0, 8, 0)):
        with pytest.raises(AgentError, match="a batch that the step does not have"):
            asked("tcp", [odd])


@pytest.mark.parametrize("transport", ("tcp", *FAILING))
@pytest.mark.parametrize("victim", [0, 1])
def test_an_agent_killed_mid_step_is_named(transport: str, victim: int) -> None:
    async def scenario(*agents: Agent) -> None:
        job = loopback.job(step(transport, [1], stop=ENDLESS))
        running = asyncio.ensure_future(run_step(list(agents), job, lambda batch: None))
        await asyncio.sleep(0.3)
        os.kill(agents[victim].pid, signal.SIGKILL)
        await running

    with pytest.raises(AgentError, match="SIGKILL") as caught:
        loopback.with_agents(scenario)
    assert caught.value.node == ["n1", "n2"][victim]


@pytest.mark.parametrize("transport", FAILING)
def test_a_peer_that_stops_is_noticed_within_the_patience(transport: str) -> None:
    with pytest.raises(AgentError, match=r"for too long|came back for 0\.5 s"):
        loopback.with_stopped_peer(step(transport, [1], stop=ENDLESS))


def test_datagrams_of_every_size_are_sent_for_as_long_as_asked() -> None:
    _, rows = streamed(64, 8192, rate={"percent": 50})
    sent_ns = [row.sending_ns for row in rows if row.phase == 1]
    assert min(sent_ns) > 1_000_000, "half a trial of 2 ms"


@pytest.mark.parametrize("transport", ["udp", "mptcp"])
def test_two_ports_are_enough_for_two_ends_and_a_range_that_is_used_up_is_named(
    transport: str,
) -> None:
    run_within(PortRange(21_970, 21_971), transport)
    with pytest.raises(AgentError, match="21980 is free"):
        run_within(PortRange(21_980, 21_980), transport)


def run_within(ports: PortRange, transport: str) -> None:
    """A ping-pong between two ends that may use these ports only."""

    async def scenario(driver: Agent, server: Agent) -> None:
        job = loopback.job(step(transport, [1]))
        job = replace(job, nodes=[replace(node, ports=ports) for node in job.nodes])
        await run_step([driver, server], job, lambda batch: None)

    loopback.with_agents(scenario)


@pytest.mark.parametrize(
    ("transport", "sizes", "options"),
    [("udp", [1, 1472, 65507], {"wait": "block"}), ("icmp", [8, 20_000], {})],
)
def test_datagrams_and_echoes_come_back(
    transport: str, sizes: list[int], options: dict[str, Any]
) -> None:
    table = loopback.measure(step(transport, sizes, options=options))
    assert table.column("size_bytes").to_pylist() == [size for size in sizes for _ in range(3)]
    assert min(table.column("elapsed_ns").to_pylist()) > 0


@pytest.mark.parametrize("pattern", [{"kind": "pingpong"}, {"kind": "stream", "window": 64}])
@pytest.mark.parametrize("wait", WAITS)
def test_zero_copy_sends_end(pattern: dict[str, Any], wait: str) -> None:
    options = {"wait": wait, "send_buffer_bytes": 65536}
    table = loopback.measure(step("tcp-zerocopy", SIZES, pattern=pattern, options=options))
    assert table.num_rows == 3 * len(SIZES)


def test_what_the_kernel_made_of_it_stands_in_the_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    weft_json("run", DATA / "plans/each_kind.toml", "--on", "local:", "--out", out)
    effective = [
        one["settings"] for one in RunFolder.open(out).meta.effective if one["node"] == "p1"
    ]
    polling, multipath, echo = effective
    assert polling["busy_poll_us"] == 20
    assert (multipath["subflows"], multipath["fell_back"]) == (1, False)
    assert echo["socket"] in ("ping", "raw")
    table = weft("show", out).stdout
    assert all(transport in table for transport in ("tcp-busy-poll", "mptcp", "icmp"))


def test_on_loopback_nothing_is_lost_but_for_want_of_room_and_a_stream_keeps_its_rate() -> None:
    table, rows = streamed(1000, rate={"bits_per_s": 80_000_000})
    assert len(rows) == table.num_rows == 3
    for row, arrived in zip(rows, table.column("messages").to_pylist(), strict=True):
        assert row.received == arrived == row.sent - row.overrun
        assert (row.duplicated, row.reordered) == (0, 0)
        assert row.sent * 8000 * 1e3 / row.sending_ns <= 80 * (1 + 2 / row.sent)


def test_a_share_of_the_achievable_rate_is_less_than_it() -> None:
    _, all_of_it = streamed(1000)
    _, a_tenth = streamed(1000, rate={"percent": 10})

    def rate(rows: list[Delivery]) -> float:
        return float(sum(row.sent for row in rows) / sum(row.sending_ns for row in rows))

    assert rate(a_tenth) < 0.5 * rate(all_of_it)


def test_unix_and_shared_memory_are_refused_between_nodes() -> None:
    testbed = Local(2)
    testbed.kind = "lab"
    plan = load_plan("latency", [("steps.*.transport", "shm")])
    with pytest.raises(RequestError, match="shm is inside one node") as caught:
        refuse_elsewhere(plan, testbed)
    assert "local:" in caught.value.hint


class Lesser(Local):
    """Two nodes whose agents start behind another command, which takes something from them."""

    def __init__(self, *behind: str) -> None:
        super().__init__(2)
        self._behind = behind

    def node_command(self, node: object, argv: list[str]) -> list[str]:
        return [*self._behind, *argv]


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="no prlimit: no kernel that refuses")
def test_a_transport_that_the_kernel_refuses_is_named_before_anything_is_written() -> None:
    """With six descriptors: too few for shared memory."""
    plan = load_plan("latency", [("steps.*.transport", "shm")])
    with pytest.raises(RequestError, match="p1 does not have: the kernel refuses shared memory"):
        ask_agents(plan, Lesser("prlimit", "--nofile=6:6"))


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv: no user without rights")
def test_a_right_that_this_user_lacks_is_named() -> None:
    """Without raw sockets."""
    if may_ping():
        pytest.skip("this user may have ping sockets")
    plan = load_plan("latency", [("steps.*.transport", "icmp")])
    lesser = Lesser("setpriv", "--inh-caps=-net_raw", "--bounding-set=-net_raw")
    with pytest.raises(RequestError, match=r"p1 does not have: the kernel refuses .*CAP_NET_RAW"):
        ask_agents(plan, lesser)


def may_ping() -> bool:
    first, last = Path("/proc/sys/net/ipv4/ping_group_range").read_text().split()
    return int(first) <= os.getegid() <= int(last)


@pytest.mark.parametrize("wrong", ["local:x", "local:1", "local:-2", "local:100000"])
def test_a_wrong_number_of_processes_is_refused(wrong: str) -> None:
    with pytest.raises(RequestError, match="not a number of processes"):
        open_testbed(wrong)


@pytest.mark.parametrize("transport", (*FAILING, "icmp"))
def test_a_plan_runs_over_the_transport_of_the_command_line(transport: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ["--on", "local:", "--transport", transport, "--launches", "1", "--out", out]
    stop = ["--set", "steps.*.stop={rule='count', repeats=20, trials=2}"]
    assert weft_json("run", "latency", *arguments, *stop)["status"] == "complete"
    run = RunFolder.open(out)
    assert {point.transport for point in points(run)} == {transport}
    assert {node["name"] for node in run.meta.nodes} == {"p1", "p2"}
    assert bool(deliveries(run)) == (transport in ("udp", "icmp"))


@pytest.mark.parametrize(
    ("plan", "on", "said"),
    [
        ("cast", "local:", "between many nodes it is"),
        ("latency", "sim:fast-ethernet-pair", "only TCP is simulated"),
    ],
)
def test_what_udp_cannot_carry_is_refused(tmp_path: Path, plan: str, on: str, said: str) -> None:
    out = tmp_path / "run"
    assert said in refusal("run", plan, "--on", on, "--transport", "udp", "--out", out)
    assert not out.exists()


@pytest.mark.skipif(shutil.which("nft") is None, reason="no nft: apt-get install nftables")
def test_a_port_of_known_loss_is_reported_as_such(tmp_path: Path, own_registry: None) -> None:
    rules = DATA / "drop_every_20th.nft"
    assert weft_process("lab", "up", "pair").returncode == 0
    try:
        assert weft("lab", "exec", "pair", "n2", "--", "nft", "-f", rules).returncode == 0
        settings = ["--set", 'steps.stream.sizes=["1000 B"]', "--set", "steps.stream.transport=udp"]
        settings += ["--set", "steps.stream.options.rate=40 Mb/s", "--launches", "3"]
        out = tmp_path / "run"
        weft_json("run", "stream", "--on", "lab:pair", *settings, "--out", out)
    finally:
        assert weft("lab", "down", "--all").returncode == 0
    (found,) = deliveries(RunFolder.open(out))
    one_message_pct = 3 * 100 / found.sent
    assert found.overrun == 0
    assert found.loss_pct.low - one_message_pct <= 5 <= found.loss_pct.high + one_message_pct
