"""Does weft tune find the best setting?

Whether `weft tune` finds the best setting of a pair with a wrong one, and recommends nothing where nothing is wrong.

Twenty random labs (common/tuned_labs.py) have a small limit of a buffer, NODELAY off, loss, a short queue, a path that
swallows large packets, or a small MTU. The best is found by a factorial of the candidates, each cell measured in three
launches through `weft run`. Then the tuned settings, the best three cells and the defaults are measured side by side:
right is what reaches 97 % of the best. Twenty placebo labs have nothing to gain, and a recommendation there is wrong.

The time of a tuning is compared with a factorial of all values that it raced, in as many launches as its own longest
race had: the number of cells is exact, the time of one is measured in the lab's own factorial.

usage: bench/run.py tune [--labs 0-19] [--placebos 0-19] [--keep FOLDER] [--time '5 min']
       [--truth | --finals]

Each lab's result stays in FOLDER and is not measured again; remove its file to do so. `--truth` measures factorials
only; `--finals` compares what was found with the best again, for instance when the machine is quiet.

Takes 3 to 11 minutes a lab. Needs root for what is planted in hosts.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import weft
from common.machine import machine
from common.results import Goal, save
from common.tuned_labs import Settings, TunedLab, placebo, planted
from weft.base.errors import RequestError, WorkError
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.testbed import bring_up
from weft.plan.load import toml_text
from weft.understand.curve.points import points

COUNT = 20
LEAST_RIGHT, NEAR, MOST_SHARE, LONGEST_S = 18, 0.97, 0.01, 600.0
"""Goals of issue 23."""
CELL_LAUNCHES, FINAL_LAUNCHES = 3, 11
FINALISTS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labs", default=f"0-{COUNT - 1}", help="numbers, such as 3,5-7, or none")
    parser.add_argument("--placebos", default=f"0-{COUNT - 1}", help="the same")
    parser.add_argument("--keep", type=Path, default=Path(".bench-tune"), help="results so far")
    parser.add_argument("--time", default="9 min", help="of each tuning")
    parser.add_argument("--truth", action="store_true", help="only the factorials")
    parser.add_argument("--finals", action="store_true", help="compare with the best again")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    bench = Bench(arguments.keep.absolute(), arguments.time)
    for lab in [*map(planted, numbers(arguments.labs)), *map(placebo, numbers(arguments.placebos))]:
        measure = bench.truth if arguments.truth else bench.result
        found = bench.final_again(lab) if arguments.finals else measure(lab)
        print(
            f"{lab.name:12} {lab.kind:15} {lab.rate:5g} Mb/s {lab.delay:5g} ms  {told(found)}",
            flush=True,
        )
    if not arguments.truth:
        save_all(bench)


def numbers(text: str) -> list[int]:
    """3,5-7 -> 3, 5, 6, 7; none of "none"."""
    parts = [] if text == "none" else [part.partition("-") for part in text.split(",")]
    return [one for low, _, high in parts for one in range(int(low), int(high or low) + 1)]


def told(found: dict[str, Any]) -> str:
    shown = ("best", "gain", "settings", "of_best", "tune_s", "of_factorial", "error")
    return ", ".join(f"{key} {value}" for key in shown if (value := found.get(key)) is not None)


@dataclass
class Bench:
    """Measures labs, and keeps what it found of each in a file."""

    folder: Path
    time: str

    def truth(self, lab: TunedLab) -> dict[str, Any]:
        """Every cell of a lab's factorial, with its throughput."""
        return self._kept(f"{lab.name}-truth", lambda: self._factorial(lab))

    def result(self, lab: TunedLab) -> dict[str, Any]:
        """What `weft tune` did on a lab."""
        return self._kept(lab.name, lambda: self._tuned(lab))

    def results(self, prefix: str) -> list[dict[str, Any]]:
        """Those of all labs so far whose names begin so."""
        names = [f"{prefix}-{number}" for number in range(COUNT)]
        files = [self.folder / f"{name}.json" for name in names]
        return [json.loads(file.read_text()) for file in files if file.exists()]

    def _kept(self, name: str, measure: Any) -> dict[str, Any]:
        file = self.folder / f"{name}.json"
        if not file.exists():
            found = measure()
            self.folder.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(found, indent=1) + "\n")
        found = json.loads(file.read_text())
        assert isinstance(found, dict)
        return found

    def _factorial(self, lab: TunedLab) -> dict[str, Any]:
        with up(lab, self.folder) as on:
            began = time.monotonic()
            rates = [self._rate(lab, cell, on) for cell in lab.cells]
            took_s = time.monotonic() - began
        order = sorted(range(len(rates)), key=lambda at: -rates[at])
        return {
            "cells": [{"settings": lab.cells[at], "mbps": rates[at]} for at in order],
            "best": lab.cells[order[0]],
            "gain": _share(rates[order[0]], rates[0]),
            "cell_launch_s": took_s / len(rates) / CELL_LAUNCHES,
        }

    def _rate(self, lab: TunedLab, cell: Settings, on: str) -> float:
        """Mb/s of a cell by itself; 0 where it does not work, as with packets that are too large for the path."""
        try:
            return self._rates(lab, [cell], on, CELL_LAUNCHES)[0]
        except (RequestError, WorkError) as error:
            print(f"  {cell}: {error}", file=sys.stderr)
            return 0.0

    def _rates(
        self, lab: TunedLab, cells: Sequence[Settings], on: str, launches: int
    ) -> list[float]:
        """Mb/s of each cell, measured side by side: every launch has all of them."""
        out = self.folder / "runs" / f"{lab.name}-{time.time_ns()}"
        run = weft.run(lab.plan(cells, launches), lab_of(on), out=out, patience_s=6)
        by_step = {one.step: one.throughput_mbps.median for one in points(run.stored)}
        return [by_step.get(step, 0.0) for step in range(len(cells))]

    def _tuned(self, lab: TunedLab) -> dict[str, Any]:
        truth = self.truth(lab) if lab.knobs else None
        with up(lab, self.folder) as on:
            began = time.monotonic()
            document = self._tune(lab, on)
            found = {"kind": lab.kind, "tune_s": round(time.monotonic() - began, 1)}
            if "error" in document:
                return found | document
            found |= {"settings": document["settings"], "effect": document["effect"]}
            if truth is None:
                return found
            found |= self._final(lab, on, document["settings"], truth)
        whole_s = factorial_s(document, truth["cell_launch_s"])
        return found | {"of_factorial": _share(found["tune_s"], whole_s)}

    def final_again(self, lab: TunedLab) -> dict[str, Any]:
        """The comparison of what was found with the best, measured again."""
        found = self.result(lab)
        if lab.knobs and "error" not in found:
            with up(lab, self.folder) as on:
                found |= self._final(lab, on, found["settings"], self.truth(lab))
            (self.folder / f"{lab.name}.json").write_text(json.dumps(found, indent=1) + "\n")
        return found

    def _final(
        self, lab: TunedLab, on: str, settings: Settings, truth: dict[str, Any]
    ) -> dict[str, Any]:
        """The settings found, the best of the factorial and the defaults, side by side."""
        best = [one["settings"] for one in truth["cells"][:FINALISTS] if one["mbps"]]
        cells = distinct([settings, *best, {}])
        rates = self._rates(lab, cells, on, FINAL_LAUNCHES)
        return {
            "best": truth["best"],
            "gain": _share(max(rates), rates[cells.index({})]),
            "of_best": _share(rates[0], max(rates)),
        }

    def _tune(self, lab: TunedLab, on: str) -> dict[str, Any]:
        """The document of `weft tune --json`, or what it said instead."""
        goal = lab.goal
        if goal == "plan":
            goal = str(self.folder / f"{lab.name}-goal.toml")
            Path(goal).write_text(toml_text(lab.plan([{}], 1)))
        out = self.folder / "tunings" / f"{lab.name}-{time.time_ns()}"
        command = [str(Path(sys.executable).with_name("weft")), "tune", "--on", lab_of(on)]
        command += ["--for", goal, "--time", self.time, "--out", str(out), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return {"error": done.stderr.strip()[-400:]}
        document = json.loads(done.stdout)
        assert isinstance(document, dict)
        return document


@contextmanager
def up(lab: TunedLab, folder: Path) -> Iterator[str]:
    """The name of a lab that is up, with what is planted in its hosts."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{lab.name}.toml"
    file.write_text(lab.fabric)
    entry = bring_up(str(file), 1.0, f"bench-{lab.name}")
    try:
        for host, command in lab.plants:
            argv = entry.keeper.enter_command(host, ["sh", "-c", command])
            subprocess.run(argv, check=True)
        yield entry.id
    finally:
        registry.remove(entry)


def distinct(cells: Sequence[Settings]) -> list[Settings]:
    """Each once, the first first: the same settings measured twice would seem to differ."""
    return [cell for at, cell in enumerate(cells) if cell not in cells[:at]]


def lab_of(name: str) -> str:
    return f"lab:{name}"


def factorial_s(document: dict[str, Any], cell_launch_s: float) -> float:
    """What a full factorial of all values raced would take, in as many launches as the longest race had blocks."""
    raced = document["raced"]
    of_knob: dict[str, int] = {}
    for race in raced:
        for knob, one in race["choice"]["values"].items():
            of_knob[knob] = max(1 + len(one), of_knob.get(knob, 0))
    blocks = max((race["result"]["blocks"] for race in raced), default=0)
    return math.prod(of_knob.values()) * max(blocks, CELL_LAUNCHES) * cell_launch_s


def _share(one: float, of: float) -> float | None:
    return round(one / of, 4) if of else None


def save_all(bench: Bench) -> None:
    """The goals, when every lab has a result."""
    labs, placebos = bench.results("tuned"), bench.results("placebo")
    right = sum((one.get("of_best") or 0) >= NEAR for one in labs)
    shares = [one["of_factorial"] for one in labs if one.get("of_factorial")]
    wrong = sum("error" in one or bool(one["settings"]) for one in placebos)
    times = [one["tune_s"] for one in [*labs, *placebos]]
    print(f"{right} of {len(labs)} right, {wrong} of {len(placebos)} placebos not")
    if len(labs) < COUNT or len(placebos) < COUNT:
        return
    goals = [
        Goal(f"tuned to {NEAR:.0%} of the best, of {COUNT} labs", right, at_least=LEAST_RIGHT),
        Goal(f"placebo labs with a recommendation, of {COUNT}", wrong, at_most=0),
        Goal("time over a full factorial's, median", float(np.median(shares)), at_most=MOST_SHARE),
        Goal("longest tuning", max(times), "s", at_most=LONGEST_S),
    ]
    save("tune", goals)


if __name__ == "__main__":
    main()
