"""Are grey failures found, and none accused falsely?

Planted failures of an element of fabrics with 16 to 32 nodes, found by the plan health: loss of 0.1 to 1 %, added
delay, a link at 80 %, a flapping one; and healthy ones, in which nothing may be accused.

An element is named where it is among those accused and nothing outside of it is: a node's link by either direction, a
leaf's links by its nodes. The goals are 95 of 100 within 60 s each, and one of 100 healthy labs accused; a run does as
many as `--fabrics` says. `--on sim` (the default) has only what can be simulated, delay and rate, and no noise;
`--on lab` builds them, `--kind` chooses one kind of failure. A lab on a busy machine (warning `lab-late`) takes longer
and shows the machine.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np

from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.understand.limits.diagnosis import diagnose

FIRST_SEED = 7001
FABRICS = {"sim": 200, "lab": 16}
MOST_S = 60.0
BUFFERS, BUFFER = ("send_buffer", "receive_buffer"), '"32 KiB"'
"""Of labs: what the plan's 128 KiB hold takes 0.2 s to drain at 10 Mb/s, after each round."""
FLAPPING = 'dead = true\nmean_between = "3 s"\nfor = ["200 ms", "400 ms"]\nseed = 1'
LINKS = {
    "loss-0.1": 'loss = "0.1 %"',
    "loss-0.2": 'loss = "0.2 %"',
    "loss-0.5": 'loss = "0.5 %"',
    "loss-1": 'loss = "1 %"',
    "delay": 'delay = "1 ms"',
}
"""What a link has, but for its rate."""
KINDS = {"sim": ("delay", "rate", "none"), "lab": (*LINKS, "rate", "flapping", "none")}
HOST_MBPS, RATE_SHARE = 5.0, 0.8
OF_A_LEAF = 0.4


@dataclass(frozen=True)
class Planted:
    """A fabric, what is wrong in it, and the nodes that are behind it, by name."""

    text: str
    kind: str
    nodes: frozenset[str]


def generate(seed: int, kind: str) -> Planted:
    """Leaves around a spine, as wide as they are or half of that; a host's link, a leaf's uplink or nothing fails."""
    rng = np.random.default_rng(seed)
    leaves, hosts = int(rng.integers(4, 7)), int(rng.integers(4, 6))
    uplink_mbps = HOST_MBPS * hosts / int(rng.choice([1, 1, 2]))
    bad_leaf = int(rng.integers(1, leaves + 1)) if rng.random() < OF_A_LEAF else 0
    bad_node = int(rng.integers(1, leaves * hosts + 1))
    lines = [
        f'name = "grey-{seed}"\n[[hosts]]\nids = "n[1-{leaves * hosts}]"\nattach = "leaf[1-{leaves}]"\n'
        f'per_switch = {hosts}\nlink = {{ rate = "{HOST_MBPS} Mb/s", delay = "5 us" }}\n'
    ]
    for leaf in range(1, leaves + 1):
        lines.append(f'[[links]]\nbetween = ["leaf{leaf}", "spine"]\n')
        own = _changed(kind, uplink_mbps) if leaf == bad_leaf else {"rate": f'"{uplink_mbps} Mb/s"'}
        lines += [
            f"{key} = {value}\n" for key, value in ({"rate": f'"{uplink_mbps} Mb/s"'} | own).items()
        ]
    if bad_leaf:
        place = f'between = ["leaf{bad_leaf}", "spine"]'
    else:
        place = f'ids = "n{bad_node}"'
        own = ", ".join(f"{key} = {value}" for key, value in _changed(kind, HOST_MBPS).items())
        lines.append(f"[[overrides]]\n{place}\nlink = {{ {own} }}\n" if own else "")
    lines.append(f"[[weather]]\n{place}\n{FLAPPING}\n" if kind == "flapping" else "")
    behind = range(hosts * (bad_leaf - 1) + 1, hosts * bad_leaf + 1) if bad_leaf else [bad_node]
    nodes = frozenset(f"n{node}" for node in behind) if kind != "none" else frozenset()
    return Planted("".join(lines), kind, nodes)


def _changed(kind: str, mbps: float) -> dict[str, str]:
    """Keys of a link of a rate that fails in this way."""
    if kind == "rate":
        return {"rate": f'"{RATE_SHARE * mbps} Mb/s"'}
    key, _, value = LINKS.get(kind, "").partition(" = ")
    return {key: value} if key else {}


def main() -> None:
    """Run, print a line for each fabric, then the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--on", choices=sorted(KINDS), default="sim", help="the testbed")
    parser.add_argument("--fabrics", type=int, help="how many: 200 simulated ones, or 16 labs")
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
    parser.add_argument("--kind", choices=sorted(KINDS["lab"]), help="one kind of failure only")
    options = parser.parse_args()
    print(machine())
    kinds = (options.kind,) if options.kind else KINDS[options.on]
    named, accused, times = [], [], []
    for seed in range(options.first, options.first + (options.fabrics or FABRICS[options.on])):
        planted = generate(seed, kinds[seed % len(kinds)])
        start = time.monotonic()
        found, rounds, warnings = _accused(planted, options.on)
        times.append(time.monotonic() - start)
        if planted.nodes:
            named.append(bool(found) and all(one == planted.nodes for one in found))
        else:
            accused.append(bool(found))
        is_right = named[-1] if planted.nodes else not accused[-1]
        nodes = ", ".join(sorted(planted.nodes)) or "nothing"
        said = "; ".join(", ".join(sorted(one)) for one in found) or "nothing"
        print(
            f"seed {seed}: {planted.kind} at {nodes}, accused {said}; {rounds} rounds, {times[-1]:.0f} s "
            f"{'' if is_right else 'WRONG '}{warnings}",
            flush=True,
        )
        # What is interrupted after an hour keeps what it has.
        save("grey", _goals(options.on, named, accused, times), options.kind or options.on)


def _accused(planted: Planted, on: str) -> tuple[list[frozenset[str]], int, str]:
    """The elements that a health check accuses, by the nodes behind them; after how many rounds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.toml"
        path.write_text(planted.text)
        overrides = [(f"steps.rounds.options.{one}", BUFFER) for one in BUFFERS if on == "lab"]
        request = RunRequest(
            "health", f"{on}:{path}", RunOptions(out=Path(folder) / "run", settings=dict(overrides))
        )
        run = start_run(request)
        report = diagnose(run).grey
        assert report is not None
    found = [frozenset(report.names[node] for node in one.element.nodes) for one in report.accused]
    return found, report.rounds, ", ".join(warning.code for warning in run.meta.warnings)


def _goals(on: str, named: list[bool], accused: list[bool], times: list[float]) -> list[Goal]:
    within = sum(took_s <= MOST_S for took_s in times)
    return [
        Goal(
            f"{on}: planted failures named, and nothing else, of {len(named)}",
            sum(named),
            at_least=ceil(0.95 * len(named)),
        ),
        Goal(
            f"{on}: healthy ones accused, of {len(accused)}",
            sum(accused),
            at_most=len(accused) // 100,
        ),
        Goal(f"{on}: done within {MOST_S:.0f} s, of {len(times)}", within, at_least=len(times)),
    ]


if __name__ == "__main__":
    main()
