"""Nodes that share a limit which round trips do not show."""

from __future__ import annotations

import numpy as np
import pytest

from support.live.virtual_cluster import VirtualCluster, network_of
from weft.understand.xray.flows import as_arrays, subset_flows
from weft.understand.xray.hidden.groups import LEAST_ROUNDS, HiddenGroups, find_hidden_groups
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.trial import FlowTrial

MEMBERS = frozenset(range(12))
EVEN, ODD = frozenset(range(0, 12, 2)), frozenset(range(1, 12, 2))


def card_of(first_mbps: float, second_mbps: float) -> str:
    """Hosts at 100 Mb/s on two chips of a card, in turns; a round trip is the same everywhere."""
    hosts = "".join(
        f'[[hosts]]\nids = "n{i + 1}"\nattach = "card/chip{i % 2}"\nlink = {{ rate = "100 Mb/s" }}\n'
        for i in range(len(MEMBERS))
    )
    switches = "".join(
        f'[[switches]]\nids = "card/chip{i}"\ncapacity = "{mbps} Mb/s"\n'
        for i, mbps in enumerate((first_mbps, second_mbps))
    )
    return f'name = "card"\n{hosts}{switches}'


ONE_CHIP = """
name = "chip"
[[hosts]]
ids = "n[1-12]"
attach = "chip"
link = { rate = "100 Mb/s" }
[[switches]]
ids = "chip"
capacity = "800 Mb/s"
"""


def rounds_on(
    text: str,
    count: int,
    share: float = 0.8,
    spread: float = 0.03,
    members: frozenset[int] = MEMBERS,
) -> list[FlowTrial]:
    """Rounds in which random subsets of all send."""
    cluster = VirtualCluster(network_of(text), spread=spread)
    found = []
    for number in range(count):
        flows = subset_flows(members, share, np.random.default_rng(number))
        found.append(FlowTrial(number, *as_arrays(flows), cluster.rates_mbps(flows)))
    return found


def groups_in(members: frozenset[int], rounds: list[FlowTrial]) -> HiddenGroups:
    """With ports that all do what one flow alone gets."""
    alone_mbps = VirtualCluster(network_of(ONE_CHIP), spread=0).rates_mbps([(0, 1)])
    ports = np.repeat(alone_mbps, 100)
    return find_hidden_groups(members, rounds, PortRates(ports, ports))


@pytest.mark.parametrize("spread", [0.03, 0.15])
def test_one_common_limit_is_not_split(spread: float) -> None:
    found = groups_in(MEMBERS, rounds_on(ONE_CHIP, 60, spread=spread))
    assert found.parts == (MEMBERS,)


@pytest.mark.parametrize("rounds", [24, 60, 90])
def test_few_nodes_that_get_little_are_not_split(rounds: int) -> None:
    """Where limits of halves would let single nodes have far more, noise must not pass for these."""
    members = frozenset(range(6))
    text = ONE_CHIP.replace("n[1-12]", "n[1-6]").replace("800", "180")
    found = groups_in(members, rounds_on(text, rounds, share=0.65, spread=0.15, members=members))
    assert found.parts == (members,)


def test_nodes_without_a_limit_are_not_split() -> None:
    text = ONE_CHIP.replace('capacity = "800 Mb/s"', "")
    assert groups_in(MEMBERS, rounds_on(text, 60)).parts == (MEMBERS,)


@pytest.mark.parametrize("second_mbps", [200, 250, 300])
def test_hidden_groups_of_different_capacity_are_told_by_their_level(second_mbps: float) -> None:
    found = groups_in(MEMBERS, rounds_on(card_of(400, second_mbps), 40, share=0.85))
    assert set(found.parts) == {EVEN, ODD}


def test_hidden_groups_of_the_same_capacity_are_told_by_what_moves_together() -> None:
    found = groups_in(MEMBERS, rounds_on(card_of(450, 450), 60, share=0.85))
    assert set(found.parts) == {EVEN, ODD}
    assert found.is_sure


def test_hidden_groups_of_the_same_capacity_look_alike_while_all_send() -> None:
    found = groups_in(MEMBERS, rounds_on(card_of(300, 300), 60, share=1.0))
    assert found.parts == (MEMBERS,)


def test_a_chip_behind_its_neighbours_limits_is_told_too() -> None:
    """Half of what the first chip's nodes send goes to others that let through less than it does."""
    homes = [0] * 5 + [1] * 8 + [2] * 10
    hosts = "".join(
        f'[[hosts]]\nids = "n{i + 1}"\nattach = "card/chip{home}"\nlink = {{ rate = "100 Mb/s" }}\n'
        for i, home in enumerate(homes)
    )
    switches = "".join(
        f'[[switches]]\nids = "card/chip{i}"\ncapacity = "{mbps} Mb/s"\n'
        for i, mbps in enumerate((330, 283, 500))
    )
    members = frozenset(range(len(homes)))
    rounds = rounds_on(f'name = "card"\n{hosts}{switches}', 60, 0.75, members=members)
    parts = groups_in(members, rounds).parts
    assert set(parts) == {frozenset(i for i in members if homes[i] == home) for home in range(3)}


def test_few_rounds_are_never_sure() -> None:
    found = groups_in(MEMBERS, rounds_on(card_of(450, 450), LEAST_ROUNDS - 1, share=0.85))
    assert not found.is_sure


def test_without_rounds_all_are_together() -> None:
    found = groups_in(MEMBERS, [])
    assert (found.parts, found.is_sure) == ((MEMBERS,), False)


def test_parts_are_made_of_the_members_own_numbers() -> None:
    far = frozenset(node + 50 for node in MEMBERS)
    rounds = [
        FlowTrial(t.phase, t.src + 50, t.dst + 50, t.mbps) for t in rounds_on(card_of(400, 200), 40)
    ]
    parts = groups_in(far, rounds).parts
    assert set(parts) == {frozenset(n + 50 for n in EVEN), frozenset(n + 50 for n in ODD)}


def test_rates_without_any_noise_are_one_chip_without_a_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    found = groups_in(MEMBERS, rounds_on(ONE_CHIP, LEAST_ROUNDS, spread=0.0))
    assert found.parts == (MEMBERS,)
    assert [str(one.message) for one in recwarn] == []
