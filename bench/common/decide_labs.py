"""Labs that nothing was tuned to: what a twin is made of, and what it is held against, measured and kept."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from common.decide_plans import unseen_plan
from common.ensembles import Override
from support.generated_fabric import Extent, KnownFabric, generate
from weft.execute.request import RunRequest, start_run
from weft.runs.folder import Run

SCALE = 0.1
"""8 to 24 hosts at a tenth of their rates are what two cores carry, whatever all of them send."""
EVEN, UNEVEN = (Extent((8, most), (3, 8), (1, 2)) for most in (24, 16))
"""An uneven one has up to eight hosts more, on its top switch."""
SEEN: dict[str, list[Override]] = {
    "xray": [("steps.search.time", '"60 s"')],
    "latency": [],
    "random-permutations": [("launches", "2"), ("steps.*.permutations", "5")],
    "aapc": [("launches", "2"), ("steps.aapc.sizes", '["60 kB"]')],
}
"""What a twin is made of."""
MOST_S = 180.0


@dataclass(frozen=True)
class MeasuredLab:
    """A lab from a seed: its runs, by plan, and what the plans of `SEEN` took."""

    seed: int
    fabric: KnownFabric
    folder: Path

    @property
    def seen(self) -> list[Path]:
        """The runs that a twin may be made of."""
        return [self.folder / plan for plan in SEEN]

    @property
    def unseen(self) -> Run:
        """Thirty patterns beside them."""
        return Run.open(self.folder / "unseen")

    @property
    def unseen_plan(self) -> dict[str, object]:
        """Their plan."""
        return unseen_plan(len(self.fabric.network.hosts), self.seed)

    @property
    def took_s(self) -> float:
        """What measuring `seen` took."""
        return float((self.folder / "took-s").read_text())


def measured_lab(seed: int, keep: Path) -> MeasuredLab:
    """The lab of a seed, measured unless its folder has it already."""
    is_uneven = seed % 2 == 0
    fabric = generate(seed, SCALE, is_uneven, UNEVEN if is_uneven else EVEN)
    lab = MeasuredLab(seed, fabric, keep / f"lab-{seed}")
    path = lab.folder / "fabric.toml"
    if not path.exists():
        path.parent.mkdir(parents=True)
        path.write_text(fabric.text)
    on = f"lab:{path}"
    if not (lab.folder / "took-s").exists():
        begun = time.monotonic()
        for plan, overrides in SEEN.items():
            start_run(RunRequest(plan, on, str(lab.folder / plan), SCALE, overrides))
        (lab.folder / "took-s").write_text(f"{time.monotonic() - begun:.1f}\n")
    if not (lab.folder / "unseen").exists():
        start_run(RunRequest(lab.unseen_plan, on, str(lab.folder / "unseen"), SCALE))
    return lab
