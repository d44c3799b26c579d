"""Which constants of xray matter?

What each number in xray does for its score: halved and doubled, on generated fabrics, by arithmetic.

Prints for each constant how many findings are wrong (missed or false) over all fabrics, and how many rounds of
transfers that takes: as it is, with half of it, and with double. The fabrics are even and uneven ones of max-min
sharing, some also frame by frame, and stars that limit nothing: on a noisy machine, on a busy one, on one that is too
slow for all hosts, and with slow routes. A constant that changes neither number is marked.

Takes about ten minutes on two cores. `--only TEXT` varies the constants whose names contain it.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import math
import multiprocessing
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

from common.machine import machine
from common.results import Goal, save
from support.live.virtual_cluster import (
    FrameCluster,
    Simulation,
    VirtualCluster,
    new_meta,
    simulate,
    star,
    survey_samples,
)
from support.made.generated_fabric import KnownFabric, generate, of_text
from weft.plan.load import load_plan
from weft.understand import xray
from weft.understand.limits.naming import Namer
from weft.understand.xray.search import LimitSearch

EVEN, UNEVEN = range(2130, 2150), range(2, 9)
"""Seeds of fabrics, none that a blind score uses (bench/understand/blind.py, and 2103, 2110 and 2120)."""
MOST_HOSTS = 40
"""Of a fabric that is tried: larger ones take too long."""
SECONDS_A_ROUND = 0.1
FACTORS = 0.5, 2.0
Slow = frozenset[tuple[str, ...]]


@dataclass
class Case:
    """A cluster whose survey is taken, and what there is to find."""

    cluster: VirtualCluster
    required: set[frozenset[int]]
    allowed: set[frozenset[int]]
    slow: Slow
    fabric: KnownFabric
    survey: list = field(init=False)

    def __post_init__(self) -> None:
        self.survey = survey_samples(self.cluster, load_plan("xray"))

    def wrong(self) -> tuple[int, int]:
        """How many findings are missed or false, and after how many rounds."""
        plan = load_plan("xray")
        meta = new_meta(self.cluster, plan)
        step = len(plan.steps) - 1
        begun = Simulation(LimitSearch(meta, step), meta, list(self.survey))
        cluster = self.cluster
        if isinstance(cluster, FrameCluster):
            options = begun.search.settle(begun.samples).options
            cluster = replace(cluster, window_bytes=options.send_buffer_bytes)
        done = simulate(cluster, begun, SECONDS_A_ROUND)
        study = done.search.study
        groups = {self.fabric.canonical(group.members) for group in study.groups}
        slow = {one.nodes for one in Namer(meta).slow(study)}
        return len(self.required - groups) + len(groups - self.allowed) + len(
            slow ^ self.slow
        ), done.searched


def cases() -> Iterator[Case]:
    """All that is scored."""
    seeds = [*((seed, False) for seed in EVEN), *((seed, True) for seed in UNEVEN)]
    made_up = [generate(seed, is_uneven=is_uneven) for seed, is_uneven in seeds]
    fabrics = [one for one in made_up if len(one.network.hosts) <= MOST_HOSTS]
    yield from map(of_fabric, fabrics)
    yield from (of_fabric(one, is_by_frames=True) for one in fabrics[::2])
    routes = {(3, 7): 3.0, (7, 3): 2.0, (0, 9): 4.5}
    for settings in (
        {"spread": 0.15},
        {"spread": 0.15, "busy": 0.4},
        {"spread": 0.1, "efficiency": 0.8},
        {"slow_pairs": routes},
    ):
        yield of_fabric(of_text(star(12), 0.1), **settings)


def of_fabric(fabric: KnownFabric, is_by_frames: bool = False, **settings: object) -> Case:
    of_frames = {"text": fabric.text, "window_bytes": None}
    cluster = (
        FrameCluster(fabric.network, **of_frames)
        if is_by_frames
        else VirtualCluster(fabric.network, **settings)
    )
    routes = {(f"n{a + 1}", f"n{b + 1}") for a, b in cluster.slow_pairs}
    return Case(cluster, fabric.required, fabric.allowed, frozenset(fabric.slow | routes), fabric)


@dataclass(frozen=True)
class Constant:
    """A number, or several, in a module of xray."""

    module: ModuleType
    name: str
    value: float | tuple[float, ...]
    users: tuple[ModuleType, ...]
    """All modules that have it by its name, its own one included."""

    def times(self, factor: float) -> float | tuple[float, ...]:
        if isinstance(self.value, tuple):
            return tuple(_times(one, factor) for one in self.value)
        return _times(self.value, factor)

    def score(self, factor: float, scored: Sequence[Case]) -> tuple[int, int] | None:
        """Wrong findings and rounds over all cases; None where the search fails."""
        for user in self.users:
            setattr(user, self.name, self.times(factor))
        try:
            found = [case.wrong() for case in scored]
        except (ArithmeticError, ValueError, IndexError, AssertionError):
            return None
        finally:
            for user in self.users:
                setattr(user, self.name, self.value)
        return sum(wrong for wrong, _ in found), sum(rounds for _, rounds in found)


def _times(value: float, factor: float) -> float:
    """Whole numbers stay whole, and above zero."""
    return max(1, math.floor(value * factor)) if isinstance(value, int) else value * factor


def constants() -> list[Constant]:
    """The numbers that modules of xray define by capital names."""
    names = [one.name for one in pkgutil.walk_packages(xray.__path__, xray.__name__ + ".")]
    modules = [importlib.import_module(name) for name in names]
    trees = {module: ast.parse(Path(str(module.__file__)).read_text()) for module in modules}
    found = []
    for module, tree in trees.items():
        assigned = (n for n in tree.body if isinstance(n, ast.Assign))
        targets = [target for one in assigned for target in ast.walk(one.targets[0])]
        for name in (one.id for one in targets if isinstance(one, ast.Name) and one.id.isupper()):
            value = getattr(module, name)
            if _is_number(value) or isinstance(value, tuple):
                importing = (m for m in modules if _imports(trees[m], module.__name__, name))
                found.append(Constant(module, name, value, (module, *importing)))
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _imports(tree: ast.Module, module: str, name: str) -> bool:
    froms = (one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == module)
    return any(alias.name == name for one in froms for alias in one.names)


SCORED: list[Case] = []
TASKS: list[tuple[Constant, float]] = []
"""Of the processes that share the work: they inherit them, since modules cannot be sent."""


def _score(task: int) -> tuple[int, int] | None:
    constant, factor = TASKS[task]
    return constant.score(factor, SCORED)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="constants whose names contain this")
    options = parser.parse_args()
    print(machine())
    SCORED.extend(cases())
    chosen = [one for one in constants() if options.only.upper() in one.name]
    TASKS.extend([(chosen[0], 1.0), *((one, factor) for one in chosen for factor in FACTORS)])
    print(f"wrong findings in {len(SCORED)} fabrics / rounds of transfers")
    print(f"{'constant':52}{'value':>12}" + "".join(f"{f'{f:g}x':>12}" for f in (1.0, *FACTORS)))
    unfelt = 0
    with multiprocessing.get_context("fork").Pool() as pool:
        scores = pool.imap(_score, range(len(TASKS)))
        base = next(scores)
        for one in chosen:
            varied = [next(scores) for _ in FACTORS]
            unfelt += (is_unfelt := all(score == base for score in varied))
            texts = "".join(f"{_text(score):>12}" for score in (base, *varied))
            name = f"{one.module.__name__.removeprefix(xray.__name__ + '.')}.{one.name}"
            print(f"{name:52}{one.value!s:>12}{texts}{'  no effect' * is_unfelt}", flush=True)
    if not options.only:
        wrong = None if base is None else base[0]
        effect = Goal(f"constants of xray without effect, of {len(chosen)}", unfelt)
        save("sensitivity", [Goal(f"wrong findings in {len(SCORED)} fabrics", wrong), effect])


def _text(score: tuple[int, int] | None) -> str:
    return f"{score[0]}/{score[1]}" if score else "fails"


if __name__ == "__main__":
    main()
