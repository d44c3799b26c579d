"""Patterns between many nodes through the bindings: their JSON, and the plans of the catalogue."""

from typing import Any

import msgspec
import pytest

from support.refusals import refused
from weft.plan.load import load_plan, parse_plan
from weft.plan.pattern import Xray
from weft.plan.phases import Phase, Transfer, expand
from weft.plan.plan import Step

COUNT = '{ rule = "count", repeats = 1, trials = 1 }'
TIME = '{ rule = "time", trial = "1 s", trials = 1 }'


def resolved(keys: str, stop: str = COUNT) -> Step:
    """The only step of a plan with these keys."""
    text = f'name = "x"\n[[steps]]\n{keys}\nsizes = ["7 B"]\nstop = {stop}\n'
    (step,) = parse_plan(text, "x.toml").steps
    return step


def routes(phase: Phase) -> list[tuple[int, int]]:
    """Source and destination of each transfer."""
    return [transfer.ends for transfer in phase.transfers]


@pytest.mark.parametrize(
    ("keys", "own"),
    [
        ('"pairs"', {"stride": 1, "from": None, "to": None, "duplex": "full"}),
        ('"alltoall"', {"mode": "phased"}),
        ('"matrix"', {"measure": "rate", "duplex": "half"}),
        ('"matrix"\nmeasure = "latency"', {"measure": "latency", "duplex": None}),
        (
            '"streams"\nreceivers = "1"',
            {"senders": None, "receivers": (0,), "streams_per_sender": 1, "sweep": False},
        ),
        ('"cast"', {"chunk_bytes": 65536, "networks": 1, "sweep": False}),
        ('"ring"', {}),
        ('"random"', {"permutations": 10, "seed": 1, "shape": "permutation"}),
    ],
)
def test_a_pattern_is_resolved_with_its_defaults(keys: str, own: dict[str, Any]) -> None:
    pattern = resolved(f"pattern = {keys}").pattern
    assert msgspec.to_builtins(pattern) == {"kind": pattern.kind, "nodes": None} | own


def test_an_xray_is_resolved_with_its_budget_and_chosen_nodes_are_indices_from_zero() -> None:
    step = resolved('pattern = "xray"', TIME)
    assert step.pattern == Xray(nodes=None, time_ns=60_000_000_000)
    assert expand(step, 8) == ()
    step = resolved('pattern = "ring"\nnodes = "2-6/2"')
    assert step.chosen_nodes == (1, 3, 5)
    assert [routes(phase) for phase in expand(step, 6)] == [[(1, 3), (3, 5), (5, 1)]]


def test_a_cast_over_two_networks_halves_the_image() -> None:
    (phase,) = expand(resolved('pattern = "cast"\nnetworks = 2'), 2)
    halves = (Transfer(0, 1, bytes=4, network=0), Transfer(0, 1, bytes=3, network=1))
    assert phase == Phase(index=0, size_bytes=7, work="cast", transfers=halves)


def test_a_seed_means_the_same_on_every_machine() -> None:
    """The first permutation of seed 1, as it was drawn when it was pinned."""
    first = expand(resolved('pattern = "random"'), 8)[0]
    assert [dst for _, dst in routes(first)] == [2, 6, 7, 5, 0, 4, 3, 1]


def test_too_few_nodes_are_said_by_step_and_pattern() -> None:
    inter = next(s for s in load_plan("xibalba").steps if s.name == "e7_inter_48p")
    with refused('step "e7_inter_48p": pairs needs 96 nodes, the testbed has 64'):
        expand(inter, 64)


@pytest.mark.parametrize(
    ("name", "nodes", "phases"),
    [
        ("matrix", 16, [30, 30]),
        ("aapc", 64, [63]),
        ("ring", 64, [1]),
        ("random-permutations", 7, [10, 10]),
        ("incast", 17, [5]),
        ("cast", 17, [5]),
        ("xray", 32, [31, 31, 0]),
        ("xibalba", 96, [1] * 9 + [63, 7]),
        ("xibalba-er16", 64, [1] * 5 + [29, 59]),
    ],
)
def test_plans_of_the_catalogue_expand(name: str, nodes: int, phases: list[int]) -> None:
    plan = load_plan(name)
    assert [len(expand(step, nodes)) for step in plan.steps] == phases
    if "xibalba" not in name:
        for step in plan.steps:
            assert all(expand(step, few) or step.pattern.kind == "xray" for few in (2, 3))


def test_published_pairs_are_where_the_study_put_them() -> None:
    """Table 3 of the Xibalba study: ASICs have 24 ports, modules 48, each node meets one other."""
    modules = {"e7_asic": (0, 0), "e7_intra": (0, 1), "e7_inter": (0, 2)}
    pairs = [s for s in load_plan("xibalba").steps if s.pattern.kind == "pairs"]
    assert len(pairs) == 9
    for step in pairs:
        kind, amount = step.name.rsplit("_", 1)
        (phase,) = expand(step, 96)
        there, back = routes(phase)[::2], routes(phase)[1::2]
        assert back == [(dst, src) for src, dst in there]
        assert len(there) == int(amount.removesuffix("p"))
        assert (there[0][0] // 24, there[0][1] // 24) == modules[kind]
