"""Do virtual machines serve as nodes?

Virtual machines as nodes: how soon they are up, the orders of a study of bonded and bridged guests, bonding modes,
fail-over, and the real NetPIPE beside weft in guests.

usage: bench/run.py vm [--boots N] [--parts PART...] [--scale S]
tier: peers

Takes ten boots of two guests, and one of two or four for each other part. Needs QEMU, a kernel and busybox (`weft check
--on vm:`). Each part saves results of its own. 802.3ad carried no data, probably since the lab's switches do not speak
LACP.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from common.machine import machine
from common.results import Goal, KnownMiss, save
from weft.base.errors import WeftError
from weft.base.interval import Interval
from weft.measure.execute.failover import measure_failover
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.lab import registry
from weft.measure.testbed.vm.bond import NAME, bond_address, configure_bond
from weft.measure.testbed.vm.settings import MODES
from weft.measure.testbed.vm.testbed import GuestLab, boot_guests, open_vm
from weft.measure.tools import TOOLS, run_tool
from weft.runs.folder import RunFolder
from weft.understand.curve.points import points
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points

LAB = "bench-vm"
WITHIN_S = 15.0
"""Two guests up, and measured over."""
FAILOVERS = 10
SPARE_MS = 10.0
AGREE_PCT = 5.0
NETPIPE_RUNS = 3
SEVERAL_FRAMES_BYTES = 1500
"""From here on links are the limit, below it processors and the timers of guests."""
PROCESSOR_BOUND = 1.0
"""The scale for bridged guests: in the study processors were their limit, which slow links would hide."""
PLAN = """
name = "{name}"
launches = 1
[[steps]]
name = "latency"
pattern = "multipair"
test = "latency"
pairs = [1]
interfaces = {policies}
sizes = ["1 B"]
at_most = "250 ms"
stop = {{ rule = "count", repeats = 100, trials = 10 }}
[[steps]]
name = "one-way"
pattern = "multipair"
test = "one-way"
pairs = [1, 2]
interfaces = {policies}
window = 64
sizes = ["16 KiB"]
at_most = "250 ms"
stop = {{ rule = "count", repeats = 8, trials = 10 }}
"""
LATENCY = """
name = "first"
launches = 1
[[steps]]
pattern = "pingpong"
sizes = ["1 B"]
stop = { rule = "time", trial = "10 ms", trials = 3 }
"""
NO_LACP = KnownMiss("probably the lab's switches do not speak LACP, which 802.3ad needs", 6)


@contextmanager
def guests(spec: str, scale: float) -> Iterator[str]:
    """Guests that are up for a part; how to run on them."""
    entry = boot_guests(spec, scale, LAB)
    try:
        yield f"vm:{LAB}"
    finally:
        registry.remove(entry)


def carry_out(text: str, on: str, folder: Path) -> RunFolder:
    plan = folder / "plan.toml"
    plan.write_text(text)
    return start_run(
        RunRequest(str(plan), on, RunOptions(out=folder / f"run-{time.monotonic_ns()}"))
    )


def boots(count: int, _scale: float, folder: Path) -> list[Goal]:
    """Boot two guests and measure one latency, again and again."""
    took, failed = [], 0
    for number in range(count):
        since = time.monotonic()
        try:
            carry_out(LATENCY, "vm:pair", folder)
        except WeftError as error:
            failed += 1
            print(f"boot {number + 1}: {error}")
            continue
        took.append(time.monotonic() - since)
        print(f"boot {number + 1}: {took[-1]:.1f} s", flush=True)
    middle = float(np.median(took)) if took else None
    return [
        Goal("two guests up and measured", middle, "s", at_most=WITHIN_S),
        Goal(f"boots that failed, of {count}", failed, at_most=0),
    ]


def study(_count: int, scale: float, folder: Path) -> list[Goal]:
    """One and two pairs: independent interfaces beside a bond, native beside bridged guests."""
    plan = PLAN.format(name="bonds", policies='["independent", "bonded", "striped"]')
    with guests("two-nics(bond=balance-rr)", scale) as on:
        points = multi_pair_points(carry_out(plan, on, folder))
    independent, bonded, striped = (
        taken(points, policy) for policy in ("independent", "bonded", "striped")
    )
    plan = PLAN.format(name="bridges", policies='["shared"]')
    with guests("xen-like", PROCESSOR_BOUND) as on:
        native, bridged = (
            taken(multi_pair_points(carry_out(plan, f"{on}(nodes={nodes})", folder)), "shared")
            for nodes in ("n[1-2]", "g[1-2]")
        )
    names = ("independent", "bonded", "striped", "native", "bridged")
    for one, name in zip((independent, bonded, striped, native, bridged), names, strict=True):
        print(f"{name:12} two pairs {shown(one.rate)} Mb/s, a byte {shown(one.byte)} us")
    return [
        Goal("two pairs: independent above bonded", independent.is_faster(bonded), at_least=1),
        Goal("two pairs: native above bridged", native.is_faster(bridged), at_least=1),
        Goal("a byte: native before bridged", native.is_sooner(bridged), at_least=1),
        Goal("two pairs: bonded (balance-rr) / striped", bonded.rate.median / striped.rate.median),
        Goal("two pairs: bridged / native", bridged.rate.median / native.rate.median),
        Goal("a byte: bridged / native", bridged.byte.median / native.byte.median),
        Goal("a byte: bonded / independent", bonded.byte.median / independent.byte.median),
        Goal(
            "spread of ten timings: bonded above independent",
            bonded.spread > independent.spread,
            at_least=1,
        ),
    ]


class Taken(NamedTuple):
    """What is compared of a policy: Mb/s of two pairs, us of a byte of one, and the highest timing over the lowest."""

    rate: Interval
    byte: Interval
    spread: float

    def is_faster(self, other: Taken) -> bool:
        """Whether the intervals of the rates do not overlap."""
        return self.rate.low > other.rate.high

    def is_sooner(self, other: Taken) -> bool:
        """Whether those of the times do not."""
        return self.byte.high < other.byte.low


def taken(points: list[MultiPairPoint], policy: str) -> Taken:
    of_policy = [point for point in points if point.policy == policy]
    two = next(one for one in of_policy if (one.test, one.pairs) == ("one-way", 2))
    byte = next(one.latency_us for one in of_policy if one.latency_us is not None)
    return Taken(two.sum_mbps, byte, two.highest_mbps / two.lowest_mbps)


def shown(one: Interval) -> str:
    return f"{one.median:.5g} [{one.low:.5g} to {one.high:.5g}]"


def modes(_count: int, scale: float, _folder: Path) -> list[Goal]:
    """Each mode of a bond in turn, in guests that are up: datagrams must pass."""
    with guests("two-nics(bond=balance-rr)", scale) as on, open_vm(on.removeprefix("vm:")) as lab:
        passed = [mode for mode in MODES if passes(lab, mode)]
    print("modes that carry data:", ", ".join(passed))
    return [
        Goal(
            f"bonding modes that carry data, of {len(MODES)}",
            len(passed),
            at_least=len(MODES),
            expected=NO_LACP,
        )
    ]


def passes(lab: GuestLab, mode: str) -> bool:
    """Whether a ping passes over bonds of this mode in both nodes."""
    entry = registry.get(LAB)
    assert entry and entry.guests
    for node in entry.keeper.nodes:
        script = f"set -e\necho -{NAME} >/sys/class/net/bonding_masters\n"
        script += "".join(f"ip link del member{at}\n" for at in range(len(node.addresses)))
        script += configure_bond(entry.keeper, node, {"mode": mode})
        inside = entry.guests.inside(node.name, ["sh"])
        subprocess.run(inside, input=script, text=True, capture_output=True, check=False)
    first, second = lab.nodes[:2]
    ping = ["ping", "-c", "5", "-W", "2", bond_address(second.address)]
    done = subprocess.run(lab.inside(first, ping), capture_output=True, check=False)
    return done.returncode == 0


def failover(_count: int, scale: float, _folder: Path) -> list[Goal]:
    """Links that die under a bond with a backup."""
    spec = "two-nics(bond=active-backup)"
    with guests(spec, scale) as on, open_vm(on.removeprefix("vm:")) as lab:
        found = measure_failover(lab, FAILOVERS, lambda said: None)
    gaps = {
        what: [one.gap_ms for one in found.events if one.what == what] for what in ("cut", "back")
    }
    print("gaps, ms:", {what: [round(gap) for gap in each] for what, each in gaps.items()})
    most = found.miimon_ms + SPARE_MS
    return [
        Goal("median gap when a link dies", float(np.median(gaps["cut"])), "ms", at_most=most),
        Goal("longest gap when a link dies", max(gaps["cut"]), "ms", at_most=most),
        Goal("longest gap when it comes back", max(gaps["back"]), "ms", at_most=SPARE_MS),
    ]


def netpipe(_count: int, scale: float, folder: Path) -> list[Goal]:
    """The real NetPIPE and weft between the same guests in turn; both print the best of their trials."""
    rates: dict[str, list[dict[int, float]]] = {"NPtcp": [], "weft": []}

    def measure(testbed: Testbed, run: RunFolder) -> None:
        rates["NPtcp"].append(best_rates(run_tool(TOOLS["NPtcp"], testbed, run)))

    with guests("fast-ethernet-pair", scale) as on:
        largest = [("steps.pingpong.sizes.max", '"16 KiB"')]
        for number in range(NETPIPE_RUNS):
            request = RunRequest(
                "netpipe", on, RunOptions(out=folder / f"np-{number}", settings=dict(largest))
            )
            rates["weft"].append(best_rates(start_run(request, afterwards=measure)))
    sizes = sorted(set.intersection(*(set(one) for runs in rates.values() for one in runs)))
    theirs, ours = (
        np.array([np.median([one[size] for one in rates[name]]) for size in sizes])
        for name in ("NPtcp", "weft")
    )
    off = 100 * (theirs / ours - 1)
    for size, error in zip(sizes, off, strict=True):
        print(f"{size:6} B  NPtcp / weft {error:+6.1f} %")
    large = np.array(sizes) >= SEVERAL_FRAMES_BYTES
    what = f"NPtcp beside weft, {NETPIPE_RUNS} launches each, median over sizes"
    return [
        Goal(f"{what} of the difference", float(np.median(abs(off))), "%", at_most=AGREE_PCT),
        Goal(f"{what} with its sign", float(np.median(off)), "%"),
        Goal(
            f"{what} from {SEVERAL_FRAMES_BYTES} B of the difference",
            float(np.median(abs(off[large]))),
            "%",
            at_most=AGREE_PCT,
        ),
    ]


def best_rates(run: RunFolder) -> dict[int, float]:
    """Mb/s by size of the best trial."""
    return {one.size_bytes: one.throughput_mbps.median for one in points(run, "best")}


PARTS = {"boots": boots, "study": study, "modes": modes, "failover": failover, "netpipe": netpipe}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boots", type=int, default=10, help="in a row")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--scale", type=float, default=0.05, help="of 100 Mb/s an interface")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.parts:
            print(f"\n{part}", flush=True)
            goals = PARTS[part](arguments.boots, arguments.scale, Path(folder))
            for goal in goals:
                print(goal.as_dict(), flush=True)
            save("vm", goals, part)


if __name__ == "__main__":
    main()
