"""Each option of a step changes what is computed, says what is the case anyway, or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.computed import compute
from support.here import weft
from weft.errors import RequestError
from weft.execute.request import RunRequest, start_run
from weft.plan.load import load_plan
from weft.plan.plan import Options
from weft.testbed.computed.base import Simulator
from weft.testbed.computed.network import open_simulated
from weft.testbed.computed.node import open_nodes
from weft.testbed.computed.options import HOLDS, option_name

ASKED: dict[str, tuple[str, str, str]] = {
    "send_buffer": ("tcp", "stream", '"8 KiB"'),
    "receive_buffer": ("tcp", "stream", '"8 KiB"'),
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
    "node": {"send_buffer", "receive_buffer", "nodelay", "rate", "mpi"},
    "sim": set[str](),
}
"""What the simulators' own code reads of a step between two nodes."""


def simulator_of(kind: str) -> Simulator:
    return open_nodes("p4-400-base") if kind == "node" else open_simulated("gigabit-pair")


def plan_of(transport: str, pattern: str) -> dict[str, Any]:
    sizes = SIZES.get(transport, ["64 KiB"])
    step = {"name": "s", "pattern": pattern, "transport": transport, "sizes": sizes, "stop": STOP}
    return {"name": "x", "title": "x", "launches": 1, "steps": [step]}


def computed(kind: str, transport: str, pattern: str, **options: str) -> bytes:
    """How long messages take; raises RequestError where that is refused."""
    settings = [(f"steps.s.options.{name}", value) for name, value in options.items()]
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
            start_run(RunRequest("stream", on, str(tmp_path / "run"), overrides=overrides))
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


@pytest.mark.parametrize("name", ["congestion", "cpus", "mss", "pacing", "wait"])
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
        ("buffers", "buffer-4KiB", "send_buffer"),
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


def test_what_a_plan_of_the_catalogue_sets_itself_is_left_out_and_said(tmp_path: Path) -> None:
    run = compute(tmp_path / "run", "health", "sim:leaf-spine")
    (said,) = [one for one in run.meta.warnings if one.code == "option-left-out"]
    assert "send_buffer, receive_buffer, which sim:leaf-spine does not simulate" in said.message
    assert {step.options.send_buffer_bytes for step in run.meta.plan.steps} == {None}


def test_another_value_of_the_same_option_is_asked_for_and_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"options\.send_buffer would change nothing"):
        overrides = [("steps.rounds.options.send_buffer", '"64 KiB"')]
        start_run(RunRequest("health", "sim:leaf-spine", str(tmp_path / "x"), overrides=overrides))


def test_processors_that_nothing_uses_are_refused(tmp_path: Path) -> None:
    for on in ("sim:gigabit-pair", "node:p4-400-base"):
        found = weft("run", "latency", "--cpus", "0,1", "--on", on, "--out", tmp_path / "run")
        assert found.returncode == 2 and "--cpus would change nothing" in found.stderr
