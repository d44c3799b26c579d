"""Clusters that a search for limits looks into: generated fabrics, a noisy, busy or slow machine, and health checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import pyarrow as pa

from common.sensitive.answer import Answer, Ask
from common.sensitive.simulated import diagnosed
from support.live.virtual_cluster import (
    Simulation,
    VirtualCluster,
    network_of,
    new_meta,
    simulate,
    star,
    survey_samples,
)
from support.made.generated_fabric import KnownFabric, generate, of_text
from weft.plan.load import load_plan
from weft.plan.phases import Phase
from weft.runs.experiment import chosen_record
from weft.understand.grey.quick.search import HealthCheck
from weft.understand.limits.naming import Namer
from weft.understand.xray.search import LimitSearch

EVEN, UNEVEN = (2174,), (2,)
"""Seeds of fabrics, none that a blind score uses (bench/understand/blind.py, and 2103, 2110 and 2120)."""
SECONDS_A_ROUND = 0.1
RACKS, PER_RACK = 4, 5


@dataclass(frozen=True)
class Searched:
    """A cluster, and what there is to find."""

    cluster: VirtualCluster
    fabric: KnownFabric

    def answer(self) -> Answer:
        """Findings that are missed or false, and all that the search says, with its rounds."""
        plan = load_plan("xray")
        meta = new_meta(self.cluster, plan)
        survey = survey_samples(self.cluster, plan)
        begun = Simulation(LimitSearch(meta, len(plan.steps) - 1), meta, survey)
        done = simulate(self.cluster, begun, SECONDS_A_ROUND)
        study = done.search.study
        groups = {self.fabric.canonical(group.members) for group in study.groups}
        slow = {one.nodes for one in Namer(meta).slow(study)}
        wrong = len(self.fabric.required - groups) + len(groups - self.fabric.allowed)
        found = sorted(map(sorted, groups)), sorted(slow), len(study.undecided), done.searched
        return Answer(wrong + len(slow ^ self._slow), str(found))

    @cached_property
    def _slow(self) -> frozenset[tuple[str, ...]]:
        routes = {(f"n{a + 1}", f"n{b + 1}") for a, b in self.cluster.slow_pairs}
        return frozenset(self.fabric.slow | routes)


def cases() -> Iterator[Ask]:
    routes = {(3, 7): 3.0, (7, 3): 2.0, (0, 9): 4.5}
    for settings in (
        {"spread": 0.15, "busy": 0.4},
        {"spread": 0.1, "efficiency": 0.8},
        {"slow_pairs": routes},
    ):
        yield partial(_arithmetic, of_text(star(12), 0.1), **settings)
    yield partial(_checked, "")
    yield partial(_checked, '[[overrides]]\nids = "n9"\nlink = { rate = "60 Mb/s" }\n', {9})
    yield partial(_arithmetic, of_text(_card(), 0.1))
    for seed in EVEN:
        yield partial(_arithmetic, generate(seed))
    for seed in UNEVEN:
        yield partial(_arithmetic, generate(seed, is_uneven=True))
    yield partial(diagnosed, "xray", "clos(leaves=4,spines=2,hosts=4,routing=hash,seed=2)")


def _arithmetic(fabric: KnownFabric, **settings: object) -> Answer:
    return Searched(VirtualCluster(fabric.network, **settings), fabric).answer()


def _card() -> str:
    """Hosts on two chips of a card, in turns, which round trips do not tell apart."""
    hosts = "".join(
        f'[[hosts]]\nids = "n{i + 1}"\nattach = "card/chip{i % 2}"\nlink = {{ rate = "1 Gb/s" }}\n'
        for i in range(12)
    )
    chips = '[[switches]]\nids = "card/chip[0-1]"\ncapacity = "3 Gb/s"\n'
    return f'name = "card"\n{hosts}{chips}'


def _checked(changed: str, odd: frozenset[int] | set[int] = frozenset()) -> Answer:
    """A health check of racks at 2:1 of which a host is not as the others."""
    cluster = VirtualCluster(network_of(_racks(changed)), spread=0.05, wake_us=4.0)
    plan = load_plan("xray-quick")
    meta, tables = new_meta(cluster, plan), survey_samples(cluster, plan)
    check = HealthCheck(meta, 1)
    while specs := check.next_phases(pa.concat_tables(tables), set(), 0.0):
        for spec in specs:
            work = Phase(
                len(meta.phases), spec.size_bytes, "stream", spec.transfers, stop=spec.stop
            )
            meta.phases.append(chosen_record(1, 0, work, spec.experiments))
            tables.append(cluster.measure(1, work, spec.stop))
    assert check.health is not None
    told = {(one.element, round(one.share.median, 3)) for one in check.health.odd}
    named = {min(element.members) + 1 for element, _ in told}
    said = sorted(map(str, told)), len(check.health.undecided), len(meta.phases)
    return Answer(len(named ^ set(odd)), str(said))


def _racks(changed: str) -> str:
    links = "".join(
        f'[[links]]\nbetween = ["rack{i + 1}", "core"]\nrate = "250 Mb/s"\n' for i in range(RACKS)
    )
    return f"""
name = "racks"
[[hosts]]
ids = "n[1-{RACKS * PER_RACK}]"
attach = "rack[1-{RACKS}]"
per_switch = {PER_RACK}
link = {{ rate = "100 Mb/s", delay = "20 us" }}
{links}{changed}
"""
