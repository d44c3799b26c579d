"""Are published tests of switches reproduced?

The published tests of the Xibalba switches beside the lab or the simulator: every pair test and every all-to-all.

usage: bench/run.py xibalba [--on lab|sim] [pairs-e7] [pairs-er16] [aapc] [phases]

The labs run at a fiftieth of the published rate, which two cores carry for 96 nodes, so a lab's rate counts 50 times.
The lab's all-to-all moves blocks of 400 kB, a hundredth of the published 40 MB, at a fiftieth of the rate, so its
time counts 100 / 50 = twice, what it spends on barriers included. Where a run warns that the lab was late or busy,
the machine, not the fabric, made some of the values. The simulator runs at the published rates, with the published
blocks.

No parameter is fitted to any of these values. E7's two inner limits are the study's own, inferred by it from its
Table 3, so what they are inferred from does not count for the simulator; the unpublished `overhead` is varied.

Takes about 20 minutes in the lab, seconds in the simulator. Three published values contradict the others and
are missed: 64 nodes at 6 MByte/s in 63 phases of 40 MB need 420 s, not 711 (`aapc_e7_cfg2_s`), and 16 nodes
that share 100 MByte/s get 6.2, not 2 (`aapc_e7_cfg3_min`). `e7_inter_48p` as published is more than the limit
that the study infers from it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from common.checkout import ROOT
from common.ensembles import Override, machine_was_limit, measured, span_s
from common.machine import machine
from common.results import Goal, KnownMiss, save
from weft.base import catalog
from weft.base.statistics import Floats
from weft.network.model.maxmin import fair_rates
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column
from weft.understand.ensemble.rates import MedianRates
from weft.understand.limits.declared import DeclaredNetwork

PUBLISHED = ROOT / "catalog" / "published" / "xibalba_aapc.toml"
PUBLISHED_BLOCK_BYTES = 40e6
TARGET_PCT = 15.0
CONTRADICTED = "three published values contradict the others"
EXPECTED = {
    "sim: published values met within 15 %, of 12": KnownMiss(CONTRADICTED, 9),
    "sim: worst deviation": KnownMiss(CONTRADICTED, 185.8),
    "lab: published values met within 15 %, of 13": KnownMiss(CONTRADICTED, 11),
    "lab: worst deviation": KnownMiss(CONTRADICTED),
}
INFERRED_FROM = {"e7_asic_12p_mbyte_s", "e7_intra_24p_mbyte_s", "e7_inter_48p_mbyte_s"}
"""What the study infers its limits of a chip and of a card from, which the fabrics' files have."""


@dataclass(frozen=True)
class Ground:
    """What the tests run on: a kind of testbed, its rates and blocks, and what else stands in its name."""

    kind: str
    scale: float
    block_bytes: float
    parts: tuple[str, ...]
    """Those that are carried out where none is named."""
    parameters: str = ""
    pairs_trial: str = ""
    """How long a test of pairs takes, where the plan's own time is too short at this scale."""

    def testbed(self, fabric: str) -> str:
        return f"{self.kind}:{fabric}{self.parameters}"

    def blocks_of(self, *steps: str) -> list[Override]:
        """What makes these steps of a plan move this ground's blocks."""
        return [(f"steps.{step}.sizes", f'["{self.block_bytes / 1e3:.0f} kB"]') for step in steps]

    def trials_of(self, plan: str) -> list[Override]:
        """What gives a plan's tests of pairs this ground's time."""
        steps = tomllib.loads(catalog.read(catalog.find("plan", plan)))["steps"]
        pairs = [step["name"] for step in steps if step["pattern"] == "pairs" and self.pairs_trial]
        return [(f"steps.{name}.stop.trial", self.pairs_trial) for name in pairs]


GROUNDS = {
    "lab": Ground("lab", 0.02, 400e3, ("pairs-e7", "pairs-er16", "aapc"), pairs_trial="20 s"),
    "sim": Ground("sim", 1.0, 40e6, ("pairs-e7", "pairs-er16", "aapc", "phases")),
}


@dataclass(frozen=True)
class Result:
    """A published value and, where it is not to be taken literally, why."""

    id: str
    value: float
    unit: str
    bound: str
    doubt: str


@dataclass(frozen=True)
class Found:
    """What the lab says, scaled back: the mean over routes, or a time."""

    value: float
    fair: float
    """The same by arithmetic: max-min fair shares of the fabric's declared limits, acknowledgements left out."""
    detail: str
    is_doubtful: bool
    """The lab was late or busy."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument(
        "--on", choices=GROUNDS, help="one of them; else first the one, then the other"
    )
    arguments = parser.parse_args()
    print(machine(), flush=True)
    for ground in [GROUNDS[arguments.on]] if arguments.on else GROUNDS.values():
        compare(arguments.parts or list(ground.parts), ground)


def compare(parts: list[str], ground: Ground) -> None:
    deviations: list[float] = []
    doubtful = 0
    for result, found in all_found(parts, ground):
        deviations += print_result(result, found, ground)
        doubtful += found.is_doubtful
    print_verdict(deviations)
    if parts == list(ground.parts):
        save("xibalba", goals_of(deviations, ground.kind), ground.kind, expected=EXPECTED)
    if doubtful:
        print(
            f"{doubtful} values are from runs in which the lab was late or busy: see the warnings"
        )
    if ground.kind == "sim":
        print_chip_sums(ground)
        print_sensitivity(parts, ground)


def all_found(parts: list[str], ground: Ground) -> Iterator[tuple[Result, Found]]:
    published = read_published(ground)
    for part in parts:
        for result_id, found in PARTS[part](ground):
            yield published[result_id], found


def print_sensitivity(parts: list[str], ground: Ground) -> None:
    """How far the results depend on what was not published."""
    with contextlib.redirect_stdout(io.StringIO()):
        usual = [found.value for _, found in all_found(parts, ground)]
        for overhead_us in (0, 1, 100):
            other = replace(ground, parameters=f"(overhead={overhead_us}us)")
            values = [found.value for _, found in all_found(parts, other)]
            change_pct = 100 * np.abs(np.array(values) / usual - 1)
            words = f"{change_pct.max():.2f} % at most, {np.median(change_pct):.2f} % in the median"
            print(
                f"overhead of {overhead_us} us instead of 10: values change by {words}",
                file=sys.stderr,
            )


CHIP_PORTS = {
    "e7_asic_7p": 14,
    "e7_asic_8p": 16,
    "e7_asic_12p": 24,
    "e7_intra_14p": 14,
    "e7_intra_16p": 16,
    "e7_intra_24p": 24,
}
"""By test of pairs how many ports of a chip send, and as many receive."""


def print_chip_sums(ground: Ground) -> None:
    """What all ports of a chip get together, with one capacity and with one that grows with the ports that contend."""
    published = read_published(ground)
    sums = [chip_sums(ground, f"xibalba-e7-{name}") for name in ("config2", "loaded")]
    print(
        "\nsums of a chip, MByte/s: published, with 1600 Mb/s, with 1440 (16 ports) to 1600 Mb/s (24)"
    )
    for step, ports in CHIP_PORTS.items():
        told = ports * published[f"{step}_mbyte_s"].value
        found = "".join(
            f" {one[step]:7.1f} ({100 * (one[step] / told - 1):+.1f} %)" for one in sums
        )
        print(f"  {step:14s} {ports} ports  published {told:6.1f} {found}")


def chip_sums(ground: Ground, fabric: str) -> dict[str, float]:
    settings = [*ground.blocks_of("aapc_e7_cfg2"), *ground.trials_of("xibalba")]
    with measured("xibalba", ground.testbed(fabric), ground.scale, settings) as run:
        return {step: ports * mean_rate(run, step).value for step, ports in CHIP_PORTS.items()}


def e7_pairs(ground: Ground) -> Iterator[tuple[str, Found]]:
    testbed = ground.testbed("xibalba-e7-config2")
    print(f"\nTable 3, {testbed} at scale {ground.scale:g}: MByte/s per node and direction")
    settings = [*ground.blocks_of("aapc_e7_cfg2"), *ground.trials_of("xibalba")]
    with measured("xibalba", testbed, ground.scale, settings) as run:
        yield from pair_tests(run)
        print("Table 4, all-to-all of 64 nodes: s")
        yield "aapc_e7_cfg2_s", all_to_all(run, "aapc_e7_cfg2", ground)


def er16_pairs(ground: Ground) -> Iterator[tuple[str, Found]]:
    testbed = ground.testbed("xibalba-er16")
    print(f"\nTable 5, {testbed} at scale {ground.scale:g}: MByte/s per node and direction")
    steps = ("er16_aapc_30n", "er16_aapc_min")
    settings = [*ground.blocks_of(*steps), *ground.trials_of("xibalba-er16")]
    with measured("xibalba-er16", testbed, ground.scale, settings) as run:
        yield from pair_tests(run)
        print("Sections 5.3 and 6, all-to-all of 30 and of 60 nodes: mean over routes, MByte/s")
        for step in steps:
            yield f"{step}_mbyte_s", mean_rate(run, step)


def e7_config1(ground: Ground) -> Iterator[tuple[str, Found]]:
    print(
        f"\nTable 4, {ground.testbed('xibalba-e7-config1')} at scale {ground.scale:g}: all-to-all of 64 nodes, s"
    )
    with all_to_all_run(ground, "xibalba-e7-config1", 64) as run:
        yield "aapc_e7_cfg1_s", all_to_all(run, "aapc", ground)
    print(
        f"  the study's own limits, without any loss, need {ideal_config1_s():g} s (der003_cfg1_ideal_time)"
    )


def e7_phases(ground: Ground) -> Iterator[tuple[str, Found]]:
    """What section 5.2 says of single phases of all-to-alls."""
    print("\nSection 5.2, all-to-all: slowest route of the slowest phase, MByte/s")
    for result_id, fabric, nodes in (
        ("aapc_e7_cfg1_32n_min_mbyte_s", "xibalba-e7-config1", 32),
        ("aapc_e7_cfg2_mbyte_s", "xibalba-e7-config2", 64),
        ("aapc_e7_cfg3_min_mbyte_s", "xibalba-e7-config3", 64),
    ):
        with all_to_all_run(ground, fabric, nodes) as run:
            yield result_id, slowest_rate(run, "aapc")


@contextlib.contextmanager
def all_to_all_run(ground: Ground, fabric: str, nodes: int) -> Iterator[RunFolder]:
    settings = [("launches", "1"), ("steps.aapc.nodes", str(nodes)), *ground.blocks_of("aapc")]
    with measured("aapc", ground.testbed(fabric), ground.scale, settings) as run:
        yield run


PARTS = {"pairs-e7": e7_pairs, "pairs-er16": er16_pairs, "aapc": e7_config1, "phases": e7_phases}


def pair_tests(run: RunFolder) -> Iterator[tuple[str, Found]]:
    """The steps that are named after a published result."""
    for step in run.meta.plan.steps:
        if step.pattern.kind == "pairs":
            yield f"{step.name}_mbyte_s", mean_rate(run, step.name)


def mean_rate(run: RunFolder, step: str) -> Found:
    """In 10^6 byte/s at the published rate of the ports."""
    rates = MedianRates.of(run)
    of_step = rates.where(rates.step == step_index(run, step))
    mbyte_s = of_step.mbps / 8 / scale_of(run)
    detail = f"{len(mbyte_s)} routes, {mbyte_s.min():.2f} to {mbyte_s.max():.2f}"
    ends = list(zip(of_step.src.tolist(), of_step.dst.tolist(), strict=True))
    fair = [
        fair_mbps(run, [ends[i] for i in range(rows.start, rows.stop)])
        for rows in of_step.by_phase()
    ]
    fair_mbyte_s = float(np.concatenate(fair).mean()) / 8 / scale_of(run)
    return Found(float(mbyte_s.mean()), fair_mbyte_s, detail, machine_was_limit(run))


def slowest_rate(run: RunFolder, step: str) -> Found:
    """Of all phases, each as fast as its slowest route, in 10^6 byte/s at the published rate of the ports."""
    rates = MedianRates.of(run)
    of_step = rates.where(rates.step == step_index(run, step))
    fair = []
    for rows in of_step.by_phase():
        ends = zip(of_step.src[rows].tolist(), of_step.dst[rows].tolist(), strict=True)
        fair.append(fair_mbps(run, list(ends)).min())
    unit = 8 * scale_of(run)
    slowest = [of_step.mbps[rows].min() / unit for rows in of_step.by_phase()]
    detail = f"{len(slowest)} phases, {min(slowest):.2f} to {max(slowest):.2f}, median {statistics.median(slowest):.2f}"
    return Found(min(slowest), min(fair) / unit, detail, machine_was_limit(run))


def scale_of(run: RunFolder) -> float:
    return float(run.meta.testbed["scale"])


def all_to_all(run: RunFolder, step: str, ground: Ground) -> Found:
    """In seconds at the published block and rate."""
    samples = run.samples.filter(column(run.samples, "step") == step_index(run, step))
    if set(column(samples, "size_bytes")) != {ground.block_bytes}:
        raise RuntimeError(f"step {step} does not move blocks of {ground.block_bytes:g} bytes")
    lab_s = span_s(samples)
    scaled_back_s = lab_s * ground.scale * PUBLISHED_BLOCK_BYTES / ground.block_bytes
    # A phase lasts as long as its slowest route, at the rate it has while all of them run.
    nodes = 1 + int(column(samples, "src").max())
    shifts = ([(k, (k + i) % nodes) for k in range(nodes)] for i in range(1, nodes))
    fair_s = sum(
        8 * PUBLISHED_BLOCK_BYTES / (fair_mbps(run, flows).min() / ground.scale * 1e6)
        for flows in shifts
    )
    return Found(
        scaled_back_s, fair_s, f"{lab_s:.2f} s in the {ground.kind}", machine_was_limit(run)
    )


def fair_mbps(run: RunFolder, flows: list[tuple[int, int]]) -> Floats:
    """What flows that run at once would get from the lab's fabric."""
    network = DeclaredNetwork(run.meta.testbed["fabric"])
    return fair_rates(network.crossings(flows), network.capacities_mbps(flows))


def ideal_config1_s() -> float:
    derived = tomllib.loads(PUBLISHED.read_text())["derived"]
    return next(float(one["value"]) for one in derived if one["id"] == "der003_cfg1_ideal_time")


def step_index(run: RunFolder, name: str) -> int:
    return [step.name for step in run.meta.plan.steps].index(name)


def read_published(ground: Ground) -> dict[str, Result]:
    document = tomllib.loads(PUBLISHED.read_text())
    values = {one["id"]: one["value"] for one in document["result"]}
    doubts = {
        result_id: one["id"] for one in document["inconsistency"] for result_id in one["result_ids"]
    }
    if ground.kind == "sim":
        doubts |= dict.fromkeys(INFERRED_FROM, "a limit is inferred from it: not counted")
    return {
        one["id"]: Result(
            one["id"],
            one["value"],
            one["unit"],
            one.get("bound", ""),
            doubts.get(one["id"], "") or knee(one["conditions"], values),
        )
        for one in document["result"]
        if isinstance(one["value"], int | float)
    }


def knee(conditions: dict[str, Any], values: dict[str, Any]) -> str:
    """inc003_full_speed_note: with just as many ports as a limit feeds, Table 3 is below full rate already."""
    scope = str(conditions.get("scope", ""))
    at_limit = {
        "intra-ASIC": conditions.get("nodes_total") == values["e7_asic_equiv_ports"],
        "intra-module": conditions.get("nodes_each_side") == values["e7_asic_equiv_ports"],
        "inter-module": conditions.get("nodes_each_side") == values["e7_inter_module_ports"],
    }
    return "inc003_full_speed_note (knee)" if at_limit.get(scope.split(" ")[0], False) else ""


def print_result(published: Result, found: Found, ground: Ground) -> list[float]:
    """Print a line; gives the deviation in per cent when the published value is one to be met."""
    deviation_pct = 100 * (found.value / published.value - 1)
    limit = "> " if published.bound == "greater than" else ""
    away = f"{deviation_pct:+7.1f} %"
    if limit:
        away = "met" if found.value > published.value else "MISSED"
    values = f"published {limit + format(published.value, 'g'):>6s}  {ground.kind} {found.value:7.2f}  {away:>9s}"
    line = f"  {published.id:24s} {values}  by arithmetic {found.fair:7.2f}  ({found.detail})  {published.doubt}"
    print(line.rstrip(), flush=True)
    return [] if limit or published.doubt else [deviation_pct]


def goals_of(deviations_pct: list[float], kind: str) -> list[Goal]:
    sizes, count = [abs(one) for one in deviations_pct], len(deviations_pct)
    near = sum(one <= TARGET_PCT for one in sizes)
    return [
        Goal(
            f"{kind}: published values met within {TARGET_PCT:g} %, of {count}",
            near,
            at_least=count,
        ),
        Goal(f"{kind}: median deviation from the published values", statistics.median(sizes), "%"),
        Goal(f"{kind}: worst deviation", max(sizes), "%", at_most=TARGET_PCT),
    ]


def print_verdict(deviations_pct: list[float]) -> None:
    within = [one for one in deviations_pct if abs(one) <= TARGET_PCT]
    sizes = [abs(one) for one in deviations_pct]
    print(
        f"\nwithin {TARGET_PCT:g} %: {len(within)} of {len(sizes)} published values that are consistent; "
        f"apart {statistics.median(sizes):.1f} % (median), {max(sizes):.1f} % (worst)"
    )


if __name__ == "__main__":
    main()
