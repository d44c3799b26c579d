"""Each option of a step changes what is computed, says what is the case anyway, or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.here import weft
from support.made.computed import compute
from weft.base.errors import RequestError
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.computed import options
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.network import open_simulated
from weft.measure.testbed.computed.node import open_nodes
from weft.measure.testbed.computed.options import HOLDS, option_name
from weft.plan.load import load_plan
from weft.plan.plan import Options

ASKED: dict[str, tuple[str, str, str]] = {
    "send_buffer": ("tcp", "stream", '"4 KiB"'),
    "receive_buffer": ("tcp", "stream", '"4 KiB"'),
    "nodelay": ("tcp", "stream", "false"),
    "congestion": ("tcp", "stream", '"reno"'),
    "cpus": ("tcp", "stream", "[1, 0]"),
    "wait": ("tcp", "stream", '"spin"'),
    "verify": ("tcp", "stream", "true"),
    "rate": ("udp", "stream", '"10 Mb/s"'),
    "mpi": ("mpi", "pingpong", '"mpich"'),
    "calls": ("mpi", "pingpong", '"nonblocking"'),
    "stripes": ("tcp-striped", "stream", "4"),
    "busy_poll": ("tcp-busy-poll", "pingpong", '"50 us"'),
    "mss": ("tcp", "stream", '"536 B"'),
    "pacing": ("tcp", "stream", '"1 Mb/s"'),
    "knobs": ("tcp", "stream", '{ mtu = "600" }'),
    "evidence": ("tcp", "stream", "false"),
}
"""Of each option a transport and a pattern that have it, and a value that is not its default."""
NO_SETTING = {"verify", "evidence"}
"""They ask for a look at what happens, and change nothing of it."""
SIZES = {"udp": ["1 KiB"]}
STOP = {"rule": "count", "repeats": 4, "trials": 1}
CARRIED = {
    "node": {"send_buffer", "receive_buffer", "nodelay", "mss", "rate", "mpi"},
    "sim": {"send_buffer", "receive_buffer"},
}
"""What the simulators' own code reads of a step between two nodes."""


def simulator_of(kind: str) -> Simulator:
    return open_nodes("p4-400-base") if kind == "node" else open_simulated("gigabit-pair")


def plan_of(transport: str, pattern: str) -> dict[str, Any]:
    sizes = SIZES.get(transport, ["64 KiB"])
    step = {"name": "s", "pattern": pattern, "transport": transport, "sizes": sizes, "stop": STOP}
    return {"name": "x", "title": "x", "launches": 1, "steps": [step]}


def computed(kind: str, transport: str, pattern: str, **asked: str) -> bytes:
    """How long messages take; raises RequestError where that is refused."""
    settings = [(f"steps.s.options.{name}", value) for name, value in asked.items()]
    (step,) = load_plan(plan_of(transport, pattern), settings).steps
    nodes = simulator_of(kind)
    nodes.check(step)
    return nodes.simulate(step, 0, 1).rows["elapsed_ns"]


@pytest.mark.parametrize("kind", ["node", "sim"])
@pytest.mark.parametrize("field", Options.__struct_fields__)
def test_an_option_is_carried_out_or_refused(kind: str, field: str, tmp_path: Path) -> None:
    name = option_name(field)
    transport, pattern, value = ASKED[name]
    if name == "knobs":
        overrides = [("steps[0].options.knobs.mtu", '"600"')]
        on = {"node": "node:p4-400-base", "sim": "sim:gigabit-pair"}[kind]
        with pytest.raises(RequestError, match="knob mtu is a setting of real nodes"):
            start_run(
                RunRequest("stream", on, RunOptions(out=tmp_path / "run", settings=dict(overrides)))
            )
    elif name in NO_SETTING:
        assert computed(kind, transport, pattern, **{name: value}) == computed(
            kind, transport, pattern
        )
    elif name in CARRIED[kind]:
        assert computed(kind, transport, pattern, **{name: value}) != computed(
            kind, transport, pattern
        )
    else:
        with pytest.raises(RequestError) as error:
            computed(kind, transport, pattern, **{name: value})
        assert "step 's'" in error.value.message


@pytest.mark.parametrize("name", ["congestion", "cpus", "pacing", "wait"])
@pytest.mark.parametrize("kind", ["node", "sim"])
def test_a_refusal_names_the_option_and_the_place(kind: str, name: str) -> None:
    transport, pattern, value = ASKED[name]
    with pytest.raises(RequestError, match=rf"options\.{name} would change nothing on {kind}:"):
        computed(kind, transport, pattern, **{name: value})


def test_what_is_the_case_anyway_is_not_refused() -> None:
    assert set(HOLDS) <= set(Options.__struct_fields__)
    for kind in ("node", "sim"):
        usual = computed(kind, "tcp", "stream")
        assert computed(kind, "tcp", "stream", wait='"block"') == usual
        assert computed(kind, "tcp", "stream", cpus='"any"') == usual


@pytest.mark.parametrize(
    ("plan", "step", "option"),
    [
        ("mtu", "segment-256B", "mss"),
        ("affinity", "latency-0-1", "cpus"),
    ],
)
def test_a_study_of_what_is_not_simulated_is_refused(
    tmp_path: Path, plan: str, step: str, option: str
) -> None:
    out = tmp_path / "run"
    found = weft("run", plan, "--on", "sim:gigabit-pair", "--out", out)
    assert found.returncode == 2
    assert f"step '{step}': options.{option}" in found.stderr
    assert not out.exists()


def test_what_a_plan_of_the_catalogue_sets_itself_is_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(options.CARRIED_OUT, "sim", ())
    run = compute(tmp_path / "run", "health", "sim:leaf-spine")
    (said,) = [one for one in run.meta.warnings if one.code == "option-left-out"]
    assert "send_buffer, receive_buffer, which sim:leaf-spine does not simulate" in said.message
    assert {step.options.send_buffer_bytes for step in run.meta.plan.steps} == {None}


def test_another_value_of_the_same_option_is_asked_for_and_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(options.CARRIED_OUT, "sim", ())
    with pytest.raises(RequestError, match=r"options\.send_buffer would change nothing"):
        overrides = [("steps.rounds.options.send_buffer", '"64 KiB"')]
        start_run(
            RunRequest(
                "health", "sim:leaf-spine", RunOptions(out=tmp_path / "x", settings=dict(overrides))
            )
        )


def test_processors_that_nothing_uses_are_refused(tmp_path: Path) -> None:
    for on in ("sim:gigabit-pair", "node:p4-400-base"):
        found = weft("run", "latency", "--cpus", "0,1", "--on", on, "--out", tmp_path / "run")
        assert found.returncode == 2 and "--cpus would change nothing" in found.stderr


ROUND_TRIP_US = 2 * (10 + 2 + 10)
"""Of gigabit-pair: what a message costs each end, and the cable's delay."""
TWO_SEGMENTS = 2 * 1448


def message_us(kind: str, pattern: str, size: str, **asked: str) -> float:
    """Of a stream, or both ways of a round trip."""
    settings = [(f"steps.s.options.{name}", f'"{value}"') for name, value in asked.items()]
    plan = plan_of("tcp", pattern)
    plan["steps"][0] |= {"sizes": [size], "stop": STOP | {"repeats": 400}}
    (step,) = load_plan(plan, settings).steps
    rows = simulator_of(kind).simulate(step, 0, 1).rows
    elapsed_ns, messages = (
        int(np.frombuffer(rows[name], dtype)[0])
        for name, dtype in (("elapsed_ns", np.int64), ("messages", np.int32))
    )
    return elapsed_ns / 1e3 / messages


@pytest.mark.parametrize(
    "asked",
    [
        {"send_buffer": f"{TWO_SEGMENTS} B"},
        {"receive_buffer": f"{TWO_SEGMENTS} B"},
        {"send_buffer": "64 KiB", "receive_buffer": f"{TWO_SEGMENTS} B"},
    ],
)
def test_a_simulated_flow_gets_its_smaller_buffer_in_a_round_trip(asked: dict[str, str]) -> None:
    rounds = 65_536 / TWO_SEGMENTS
    assert message_us("sim", "stream", "64 KiB", **asked) == pytest.approx(
        rounds * ROUND_TRIP_US, rel=0.02
    )


def test_a_buffer_that_holds_what_is_on_its_way_limits_nothing() -> None:
    # 125 B in a us, in 44 us and what is still being sent.
    usual = message_us("sim", "stream", "64 KiB")
    assert message_us("sim", "stream", "64 KiB", send_buffer="8 KiB") == usual


def test_only_what_is_beyond_the_first_window_waits() -> None:
    def pingpong(size: int, **asked: str) -> float:
        return message_us("sim", "pingpong", f"{size} B", **asked)

    two = f"{TWO_SEGMENTS} B"
    assert pingpong(TWO_SEGMENTS, send_buffer=two) == pingpong(TWO_SEGMENTS)
    second_us = TWO_SEGMENTS * 1538 / 1448 * 8e-3
    both_us = pingpong(2 * TWO_SEGMENTS, send_buffer=two) - pingpong(2 * TWO_SEGMENTS)
    # The second window leaves a round trip after the first one, not behind it.
    assert both_us / 2 == pytest.approx(ROUND_TRIP_US - second_us, rel=0.01)


@pytest.mark.parametrize(("asked", "payload"), [({"mss": "536 B"}, 524), ({"mss": "1460 B"}, 1448)])
def test_a_segment_of_a_simulated_node_is_as_large_as_asked(
    asked: dict[str, str], payload: int
) -> None:
    settings = [("steps.s.options.mss", f'"{asked["mss"]}"')]
    (step,) = load_plan(plan_of("tcp", "stream"), settings).steps
    nodes = simulator_of("node")
    found = nodes.simulate(step, 0, 1)
    elapsed_ns = np.frombuffer(found.rows["elapsed_ns"], np.int64)[0]
    messages = np.frombuffer(found.rows["messages"], np.int32)[0]
    parts = np.frombuffer(found.occupation["part"], np.int32)
    node = np.frombuffer(found.occupation["node"], np.int32)
    shares = np.frombuffer(found.occupation["share"])
    link = shares[(parts == nodes.model.parts().index("link out")) & (node == 0)][0]
    frames = -(-65_536 // payload)
    # 90 B around each: IP and TCP with time stamps, Ethernet, preamble, checksum and gap; 8 ns a byte.
    wire_ns = (65_536 + 90 * frames) * 8
    assert link * elapsed_ns / messages == pytest.approx(wire_ns, rel=0.03)
