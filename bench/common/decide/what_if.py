"""What-ifs that are predicted, then built and measured: the network before and after as labs, in turns.

A change is judged by the number that depends least on how TCP shares a limit: where each transfer moves a fixed amount,
by the time of the last one; where all run for a fixed time, by what they carry together. The rate of the slowest route
is not that: flows at the same limit differ by a factor of two for seconds.

The networks are the catalogue's and generated ones, whose seeds were chosen before any of them was measured. Rates are
those that two processors carry, 120 Mb/s of all hosts together. What moves is large: with blocks of 50 ms the machine's
own few milliseconds for each made a change that brings ten times as much bring seven, and a time-out of TCP in a
transfer of half a second halved it.

`--twins FOLDER`: the same of twins. What is predicted on a twin is built of the lab that it is a twin of.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from common.decide.what_if_twins import TwinCase, twin_cases
from common.results import Goal, save
from support.made.generated_fabric import generate
from weft.decisions.what_if.alternative import Alternative, alternative
from weft.decisions.what_if.foresee import WhatIfQuestion, foresee
from weft.decisions.what_if.labs import carried_scale
from weft.decisions.what_if.network import Subject, open_subject
from weft.decisions.what_if.result import Check, LabVerification, PredictedEffect
from weft.decisions.what_if.verify import Bench, direction, verify
from weft.network.fabrics.changes.wiring import FabricWiring
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload

LEAST_SAME_SIGN, OF = 19, 20
WITHIN = 0.10
LEAST_EFFECT = 0.1
"""So much a change of a generated network is predicted to bring or cost at least."""
LAUNCHES = 2
MOST_HOSTS = 32


def _plan(**step: object) -> dict[str, object]:
    options = {"congestion": "reno"}
    return {
        "name": "what-if",
        "launches": 1,
        "steps": [{"name": "step", **step, "options": options}],
    }


def _timed(**step: object) -> dict[str, object]:
    """Long enough for TCP to fill the limits at a rate that two processors carry."""
    stop = {"rule": "time", "trial": "3 s", "trials": 1}
    return _plan(**step, sizes=["16 KiB"], stop=stop)


def _counted(size: str, **step: object) -> dict[str, object]:
    """What goes into one host at once fits into a lab's queue: a time-out of TCP would be longer than the transfer."""
    stop = {"rule": "count", "repeats": 1, "trials": 1}
    return _plan(**step, sizes=[size], stop=stop)


PLANS = {
    "permutation": _timed(pattern="random", shape="permutation", permutations=1, seed=1),
    "bisection": _timed(pattern="random", shape="bisection", permutations=1, seed=1),
    "cut": _timed(pattern="pairs", stride=16),
    "cards": _timed(**{"from": "1-12"}, pattern="pairs", to="21-32"),
    "ring": _timed(pattern="ring"),
    "into the 7th": _counted("96 KiB", pattern="streams", senders="1-2", receivers="7"),
    "out of the 11th": _counted("96 KiB", pattern="streams", senders="11", receivers="1-2"),
    "all-to-all of 8": _counted("128 KiB", pattern="alltoall", mode="phased", nodes="5-12"),
    "image": _counted("3 MiB", pattern="cast", chunk="16 KiB"),
}


@dataclass(frozen=True)
class Case:
    """A network, what is changed, and which of `PLANS` shows it."""

    name: str
    fabric: str
    plan: str
    changes: tuple[str, ...]
    generated: FabricDocument | None = None

    @property
    def subject(self) -> Subject:
        """The network as it is."""
        if self.generated is not None:
            return Subject(self.fabric, NetworkDraw(self.generated))
        return open_subject(self.fabric)


CASES = [
    Case("double an uplink", "xibalba-e7-32", "cards", ("links.backplane.rate*=2",)),
    Case("double a trunk", "two-racks", "cut", ("links.rack1-rack2.rate*=2",)),
    Case("halve a trunk", "two-racks", "permutation", ("links.rack1-rack2.rate*=0.5",)),
    Case("remove the host with the bad cable", "bad-cable", "all-to-all of 8", ("remove n7",)),
    Case("replace the bad cable", "bad-cable", "into the 7th", ("hosts.n7.rate=100 Mb/s",)),
    Case(
        "replace the cable that is slow one way",
        "one-way-slow",
        "out of the 11th",
        ("hosts.n11.rate=100 Mb/s",),
    ),
    Case("from 4:1 to 1:1", "two-racks", "cut", ("oversubscription 1:1",)),
    Case("from 4:1 to 2:1", "two-racks", "permutation", ("oversubscription 2:1",)),
    Case("from 1:1 to 2:1", "fat-tree-16", "permutation", ("oversubscription 2:1",)),
    Case(
        "a second network for images",
        "xibalba-e7-32",
        "image",
        ("second network", "steps.step.networks=2"),
    ),
    Case(
        "a copy of the network for images",
        "fat-tree-16",
        "image",
        ("second network like leaf[1-4]", "steps.step.networks=2"),
    ),
    Case("add 8 hosts to one rack", "two-racks", "permutation", ("add 8 hosts to rack2",)),
    Case("add 8 hosts", "fat-tree-16", "permutation", ("add 8 hosts",)),
    Case("a chip less loaded", "xibalba-e7-32", "ring", ("move n[17-20] to module2/asic1",)),
    Case("eight hosts fewer", "two-racks", "permutation", ("remove n[9-16]",)),
    Case("another topology", "bad-cable", "permutation", ("topology=fat-tree-16",)),
]
_FIRST_SEED = 7001
_GENERATED = (
    "widen the tightest uplink",
    "from blocking to 1:1",
    "halve the widest uplink",
    "lift the tightest limit of a switch",
)


def cases() -> list[Case]:
    """All, those of generated networks behind those of the catalogue."""
    return [*CASES, *_generated()]


def _generated() -> Iterator[Case]:
    """The first seeds with at most `MOST_HOSTS` hosts in which the change is predicted to matter."""
    seed = _FIRST_SEED
    for name in _GENERATED:
        found = None
        while found is None:
            document = _document(seed)
            change = _change(name, document)
            case = Case(name, f"seed {seed}", "permutation", change or (), document)
            found = case if change and _matters(case) else None
            seed += 1
        yield found


def _matters(case: Case) -> bool:
    outcome = foresee(question_of(case)[0]).outcomes[0]
    return outcome.speedup is not None and abs(outcome.speedup - 1) >= LEAST_EFFECT


def question_of(case: Case) -> tuple[WhatIfQuestion, Alternative]:
    """A case at a scale that this machine carries."""
    one, subject = alternative(case.changes, case.name), case.subject
    scale = carried_scale([subject.median, one.after(subject.median)])
    return WhatIfQuestion(subject, [one], [PlannedWorkload(PLANS[case.plan])], scale), one


def _document(seed: int) -> FabricDocument:
    return FabricDocument.of_text(generate(seed, 1.0, is_uneven=True).text, f"seed {seed}")


def _change(name: str, document: FabricDocument) -> tuple[str, ...] | None:
    wiring = FabricWiring.of(document)
    uplinks = {
        "-".join(one.ends): one.forward.rate_bits_per_s
        for one in wiring.trunks()
        if one.forward.rate_bits_per_s
    }
    inner = {
        one.name: one.capacity_bits_per_s for one in wiring.switches if one.capacity_bits_per_s
    }
    if len(wiring.hosts) > MOST_HOSTS or not uplinks or not inner:
        return None
    tightest, widest, slowest = (
        min(uplinks, key=uplinks.__getitem__),
        max(uplinks, key=uplinks.__getitem__),
        min(inner, key=inner.__getitem__),
    )
    return {
        "widen the tightest uplink": (f"links.{tightest}.rate*=2",),
        "from blocking to 1:1": ("oversubscription 1:1",),
        "halve the widest uplink": (f"links.{widest}.rate*=0.5",),
        "lift the tightest limit of a switch": (f"switches.{slowest}.capacity=none",),
    }[name]


class Measured(msgspec.Struct, frozen=True):
    """A case, and what it came to."""

    name: str
    network: str
    changes: tuple[str, ...]
    plan: str
    verification: LabVerification

    @property
    def error(self) -> float:
        return self.verification.checks[0].error

    @property
    def same_sign(self) -> bool:
        return self.verification.checks[0].same_sign

    def row(self) -> str:
        check = self.verification.checks[0]
        ends = [
            f"{one:.3g} to {two:.3g}" for one, two in (check.predicted_ends, check.measured_ends)
        ]
        unit = "s" if check.by == "time" else "Mb/s"
        text = (
            f"{self.name:40} {self.network:16} {self.plan:13} predicted {check.predicted.median:6.3f} "
            f"({ends[0]} {unit}), measured {check.measured.median:6.3f} "
            f"({check.measured.low:.3f} to {check.measured.high:.3f}; {ends[1]} {unit}), "
            f"off by {100 * check.error:+5.1f} %{'' if check.same_sign else '  OTHER SIGN'}"
        )
        return "\n".join([text, *(f"    {one}" for one in self.verification.warnings)])


def main(arguments: Sequence[str]) -> None:
    """Measure, print a line for each, then the sums."""
    parser = argparse.ArgumentParser(prog="decide.py --part what-if", description=__doc__)
    parser.add_argument("--only", action="append", help="the cases that these words begin")
    parser.add_argument("--keep", type=Path, help="a folder for what is not measured again")
    parser.add_argument(
        "--twins",
        type=Path,
        metavar="FOLDER",
        help="what-ifs of twins; where their labs' runs are kept",
    )
    parser.add_argument("--launches", type=int, default=LAUNCHES)
    options = parser.parse_args(arguments)
    chosen = twin_cases(options.twins) if options.twins else cases()
    found = []
    for case in chosen:
        if not options.only or case.name.startswith(tuple(options.only)):
            found.append(_kept(case, options.keep, options.launches))
            print(found[-1].row(), flush=True)
    goals = goals_of(found, "what-ifs of twins" if options.twins else "what-ifs")
    for goal in goals:
        print(f"{goal.what}: {goal.measured:g} {goal.unit} ({goal.text})")
    if not options.only:
        save("decide", goals, "what-if-twins" if options.twins else "what-if")


def _held(found: Sequence[Measured]) -> int:
    checks = [one.verification.checks[0] for one in found]
    return sum(one.predicted.low <= one.measured.median <= one.predicted.high for one in checks)


def goals_of(found: Sequence[Measured], kind: str) -> list[Goal]:
    errors = [abs(one.error) for one in found]
    within = sum(error <= WITHIN for error in errors)
    least = round(LEAST_SAME_SIGN / OF * len(found))
    return [
        Goal(
            f"{kind}: right sign, of {len(found)}",
            sum(one.same_sign for one in found),
            at_least=least,
        ),
        Goal(f"{kind}: size within 10 %, of {len(found)}", within, at_least=len(found)),
        Goal(f"{kind}: error of the size, median", 100 * float(np.median(errors)), "%"),
        Goal(f"{kind}: error of the size, worst", 100 * max(errors), "%"),
        *(
            [Goal(f"{kind}: 90 % intervals hold it, of {len(found)}", _held(found))]
            if "twins" in kind
            else []
        ),
    ]


def _kept(case: Case | TwinCase, keep: Path | None, launches: int) -> Measured:
    path = keep / f"{case.name.replace(' ', '-')}.json" if keep else None
    if path and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Measured)
    found = measure(case, launches) if isinstance(case, Case) else measure_twin(case, launches)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    return found


def measure(case: Case, launches: int) -> Measured:
    """Predict, build and measure a case."""
    question, one = question_of(case)
    with tempfile.TemporaryDirectory() as folder:
        found = verify(question, one, Bench(Path(folder), question.scale, launches))
    return Measured(case.name, case.subject.name, case.changes, case.plan, found)


def measure_twin(case: TwinCase, launches: int) -> Measured:
    """Predict on a twin, and build what it is the twin of."""
    plan = "permutation" if case.into is None else f"into number {case.into}"
    workload = PlannedWorkload(PLANS["permutation"] if case.into is None else _into(case.into))
    of_twin, of_lab = (alternative([text], case.name) for text in (case.of_twin, case.of_lab))
    scale = min(case.lab_scale, carried_scale([case.lab.median, of_lab.after(case.lab.median)]))
    foreseen = foresee(WhatIfQuestion(case.twin, [of_twin], [workload], scale / case.lab_scale))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), scale, launches)
        found = verify(WhatIfQuestion(case.lab, [of_lab], [workload], scale), of_lab, bench)
    check = _of_twin(found.checks[0], foreseen.outcomes[0].effects[0])
    checked = msgspec.structs.replace(found, checks=(check,))
    return Measured(case.name, case.lab.name, (case.of_twin,), plan, checked)


def _into(host: int) -> dict[str, object]:
    senders = ",".join([str(one) for one in range(1, 4) if one != host][:2])
    return _counted("96 KiB", pattern="streams", senders=senders, receivers=str(host))


def _of_twin(check: Check, effect: PredictedEffect) -> Check:
    """What was measured beside what the twin predicted."""
    sides = ("s", "s") if effect.by == "time" else ("mbps", "mbps")
    ends = [
        getattr(effect, f"{side}_{unit}").median
        for side, unit in zip(("before", "after"), sides, strict=True)
    ]
    return msgspec.structs.replace(
        check,
        predicted=effect.speedup,
        error=check.measured.median / effect.speedup.median - 1,
        same_sign=direction(check.measured.median) == direction(effect.speedup.median),
        predicted_ends=tuple(ends),
    )
