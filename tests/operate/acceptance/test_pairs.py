"""What runs of pairs say where some nodes of the testbed cannot be measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.operate.acceptance.pairs import pairs_of
from weft.operate.acceptance.plans import MESSAGE, SIZES, screen_plan


def test_a_node_that_cannot_be_measured_has_no_row(tmp_path: Path) -> None:
    plan = tmp_path / "pairs.toml"
    plan.write_text(screen_plan("1,2,7", SIZES, MESSAGE))
    run = start_run(RunRequest(str(plan), "sim:bad-cable", RunOptions(out=tmp_path / "run")))
    found = pairs_of(["n1", "n2", "n7"], [run], None, is_exact=True)
    assert found is not None and found.mbps.shape == (3, 3)
    slow = found.mbps[:, 2]
    assert np.isnan(slow[2]) and (slow[:2] < found.mbps[0, 1] / 5).all()
