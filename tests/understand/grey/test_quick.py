"""A quick look at the health of nodes and uplinks, on a cluster of arithmetic."""

from __future__ import annotations

import msgspec
import pyarrow as pa
import pytest

from support.live.virtual_cluster import VirtualCluster, network_of, new_meta, survey_samples
from weft.plan.load import load_plan
from weft.plan.phases import Phase
from weft.plan.plan import Plan
from weft.runs.experiment import chosen_record
from weft.understand.grey.quick.health import HealthReport
from weft.understand.grey.quick.search import HealthCheck

RACKS, PER_RACK = 6, 8
HOSTS = RACKS * PER_RACK


def racks(changed: str = "", tight: str = "") -> str:
    """Racks at 2:1; hosts that are `changed`, and a rack whose uplink is not as the others'."""
    usual = [f"rack{i + 1}" for i in range(RACKS) if f"rack{i + 1}" not in tight]
    links = "".join(
        f'[[links]]\nbetween = ["{rack}", "core"]\nrate = "400 Mb/s"\n' for rack in usual
    )
    return f"""
name = "racks"
[[hosts]]
ids = "n[1-{HOSTS}]"
attach = "rack[1-{RACKS}]"
per_switch = {PER_RACK}
link = {{ rate = "100 Mb/s", delay = "20 us" }}
{links}{tight}{changed}
"""


def checked(text: str, spread: float = 0.03, seed: int = 0) -> tuple[HealthReport, int]:
    """The health of a cluster, and how many phases it took."""
    cluster = VirtualCluster(network_of(text), spread=spread, wake_us=1.0, seed=seed)
    plan = quick_plan()
    meta = new_meta(cluster, plan)
    tables = survey_samples(cluster, plan)
    check = HealthCheck(meta, 1)
    while specs := check.next_phases(pa.concat_tables(tables), set(), 0.0):
        for spec in specs:
            number = len(meta.phases)
            work = Phase(number, spec.size_bytes, "stream", spec.transfers, stop=spec.stop)
            meta.phases.append(chosen_record(1, 0, work, spec.experiments))
            tables.append(cluster.measure(1, work, spec.stop))
    assert check.health is not None
    return check.health, len(meta.phases)


def quick_plan() -> Plan:
    return load_plan("xray-quick")


def told(health: HealthReport) -> set[tuple[str, int, str, str]]:
    """Kind, first member from 1, way and fault of what is odd."""
    return {
        (e.kind, min(e.members) + 1, e.way, e.fault) for e in (one.element for one in health.odd)
    }


@pytest.mark.parametrize("seed", range(3))
def test_where_all_are_alike_none_is_accused_and_it_soon_stops(seed: int) -> None:
    health, phases = checked(racks(), spread=0.08, seed=seed)
    assert told(health) == set()
    assert health.undecided == ()
    assert phases == 10
    counts = {kind: sum(e.kind == kind for e in health.compared) for kind in ("node", "uplink")}
    assert counts == {"node": 3 * HOSTS, "uplink": 3 * RACKS}


def slow_host(number: int, key: str) -> str:
    return f'[[overrides]]\nids = "n{number}"\nlink = {{ {key} }}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (racks(slow_host(9, 'rate = "50 Mb/s"')), {("node", 9, "out", "slow"), ("node", 9, "in", "slow")}),
        (
            racks(slow_host(20, 'rate = "60 Mb/s", rate_back = "100 Mb/s"')),
            {("node", 20, "out", "slow")},
        ),
        (
            racks(tight='[[links]]\nbetween = ["rack3", "core"]\nrate = "300 Mb/s"\nrate_back = "400 Mb/s"\n'),
            {("uplink", 17, "out", "slow")},
        ),
    ],
)  # fmt: skip
def test_what_is_odd_is_named_and_not_its_neighbours(
    text: str, expected: set[tuple[str, int, str, str]]
) -> None:
    health, phases = checked(text)
    assert told(health) == expected
    assert phases <= 40


def test_the_plan_is_quick() -> None:
    step = quick_plan().steps[1]
    assert step.is_adaptive and msgspec.to_builtins(step.pattern)["quick"]
