"""Labs that nothing was tuned to: what a twin is made of, and what it is held against, measured and kept."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from common.decide.plans import unseen_plan
from common.ensembles import Override
from support.made.generated_fabric import Extent, KnownFabric, generate
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.runs.folder import RunFolder

SCALE = 0.1
"""8 to 24 hosts at a tenth of their rates are what two cores carry, whatever all of them send."""
EVEN, UNEVEN = (Extent((8, most), (3, 8), (1, 2)) for most in (24, 16))
"""An uneven one has up to eight hosts more, on its top switch."""
SEEN: dict[str, list[Override]] = {
    "xray": [("steps.search.time", '"90 s"')],
    "latency": [],
    "random-permutations": [
        ("launches", "1"),
        ("steps.*.permutations", "6"),
        ("steps.*.stop.trial", '"500 ms"'),
    ],
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
    def path(self) -> Path:
        """Its fabric file."""
        return self.folder / "fabric.toml"

    @property
    def seen(self) -> list[Path]:
        """The runs that a twin may be made of."""
        return [self.folder / plan for plan in SEEN]

    @property
    def unseen(self) -> RunFolder:
        """Thirty patterns beside them."""
        return RunFolder.open(self.folder / "unseen")

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
    lab = lab_of(seed, keep)
    measure_seen(lab)
    measure_unseen(lab)
    return lab


def lab_of(seed: int, keep: Path) -> MeasuredLab:
    """The lab of a seed as far as it was measured."""
    is_uneven = seed % 2 == 0
    fabric = generate(seed, SCALE, is_uneven, UNEVEN if is_uneven else EVEN)
    lab = MeasuredLab(seed, fabric, keep / f"lab-{seed}")
    if not lab.path.exists():
        lab.folder.mkdir(parents=True)
        lab.path.write_text(fabric.text)
    return lab


def measure_seen(lab: MeasuredLab) -> None:
    """What a twin is made of."""
    if (lab.folder / "took-s").exists():
        return
    begun = time.monotonic()
    for plan, overrides in SEEN.items():
        start_run(
            RunRequest(
                plan,
                f"lab:{lab.path}",
                RunOptions(out=lab.folder / plan, scale=SCALE, settings=dict(overrides)),
            )
        )
    (lab.folder / "took-s").write_text(f"{time.monotonic() - begun:.1f}\n")


def measure_unseen(lab: MeasuredLab) -> None:
    """What it is held against."""
    if not (lab.folder / "unseen").exists():
        out = str(lab.folder / "unseen")
        start_run(RunRequest(lab.unseen_plan, f"lab:{lab.path}", RunOptions(out=out, scale=SCALE)))
