"""What-ifs of twins: predicted on what was measured of a lab, then built as the lab itself is.

The lab's own description is not known to the twin. It serves to build what is predicted: a limit of the twin is that of
the lab which the same hosts share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common.decide.labs import SCALE, MeasuredLab, lab_of, measure_seen
from weft import _core
from weft.decisions.twin.build import make_twin
from weft.decisions.what_if.network import Subject, open_subject
from weft.network.fabrics.changes.wiring import FabricWiring
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import NetworkDraw

SEEDS = (901, 902, 1, 2)
"""Those whose labs the bench of twins measures first."""
WIDER = "rate*=2"


@dataclass(frozen=True)
class TwinCase:
    """The same change in words of the twin and of the lab; seen in a permutation, or in what goes into one host."""

    name: str
    twin: Subject
    lab: Subject
    lab_scale: float
    of_twin: str
    of_lab: str
    into: int | None = None


def twin_cases(keep: Path) -> list[TwinCase]:
    """Of each lab its tightest limit, twice as wide, and its slowest host's cable, as fast as the others'."""
    return [case for seed in SEEDS for case in _cases(lab_of(seed, keep))]


def _cases(lab: MeasuredLab) -> Iterator[TwinCase]:
    measure_seen(lab)
    folder = lab.folder / "twin-of-what-if"
    if not folder.exists():
        make_twin([str(run) for run in lab.seen], folder)
    twin = open_subject(str(folder))
    own = Subject(f"lab {lab.seed}", NetworkDraw(FabricDocument.of_text(lab.fabric.text, "lab")))
    assert isinstance(twin.median, NetworkDraw) and isinstance(own.median, NetworkDraw)
    seen, true = _Limits(twin.median.document), _Limits(own.median.document)
    for key, target in seen.tightest_first():
        if match := true.of_hosts(key, seen.hosts_below(target)):
            yield TwinCase(
                f"double the tightest limit of lab {lab.seed}",
                twin,
                own,
                SCALE,
                _words(key, target),
                _words(key, match),
            )
            break
    slow = seen.slowest_host()
    if slow is not None:
        host, usual_bps = slow
        yield TwinCase(
            f"replace the slowest cable of lab {lab.seed}",
            twin,
            own,
            SCALE,
            f"hosts.{host}.rate={usual_bps} b/s",
            f"hosts.{host}.rate=100 Mb/s",
            seen.wiring.hosts.index(host) + 1,
        )


def _words(key: str, target: str) -> str:
    return f"switches.{target}.capacity*=2" if key == "capacity" else f"links.{target}.rate*=2"


class _Limits:
    """What several hosts share in a fabric."""

    def __init__(self, document: FabricDocument) -> None:
        self.wiring = FabricWiring.of(document)
        tree = _core.fabric_tree(json.dumps(document.resolved()), 0)
        self._above = {name: upper for name, upper in tree if upper is not None}
        self._uplinks = {
            f"{one.ends[0]}-{one.ends[1]}": one.forward.rate_bits_per_s or 0
            for one in self.wiring.trunks()
        }
        self._capacities = {one.name: one.capacity_bits_per_s or 0 for one in self.wiring.switches}

    def tightest_first(self) -> list[tuple[str, str]]:
        """Uplinks and switches by what each of their hosts may get."""
        found = [
            (rate / len(self.hosts_below(target)), key, target)
            for key, rates in (("rate", self._uplinks), ("capacity", self._capacities))
            for target, rate in rates.items()
            if rate
        ]
        return [(key, target) for _, key, target in sorted(found)]

    def of_hosts(self, key: str, hosts: frozenset[str]) -> str | None:
        """The limit of that kind that these hosts share, or all others."""
        rates = self._uplinks if key == "rate" else self._capacities
        others = frozenset(self.wiring.hosts) - hosts
        same = (hosts, others) if key == "rate" else (hosts,)
        return next(
            (one for one, rate in rates.items() if rate and self.hosts_below(one) in same), None
        )

    def hosts_below(self, target: str) -> frozenset[str]:
        """The hosts below a switch, or below the lower end of a link."""
        ends = {target} if target in self._capacities else set(target.split("-"))
        lower = (
            next(iter(ends))
            if len(ends) == 1
            else next(one for one in ends if self._above.get(one) in ends)
        )
        return frozenset(
            cable.ends[0]
            for cable in self.wiring.ports_of_hosts()
            if lower in self._way_up(cable.ends[1])
        )

    def slowest_host(self) -> tuple[str, int] | None:
        """The host whose cable is the slowest, where one is slower than most by a fifth, and what most have."""
        rates = {
            one.ends[0]: one.forward.rate_bits_per_s or 0 for one in self.wiring.ports_of_hosts()
        }
        usual = sorted(rates.values())[len(rates) // 2]
        host = min(rates, key=rates.__getitem__)
        return (host, usual) if rates[host] < 0.8 * usual else None

    def _way_up(self, switch: str) -> Iterator[str]:
        at: str | None = switch
        while at is not None:
            yield at
            at = self._above.get(at)
