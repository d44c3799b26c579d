"""Other work on a node: its agent waits for a processor more than those of other nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.evidence import add_evidence
from weft.acceptance.causes import causes
from weft.acceptance.verdict import Symptom
from weft.acceptance.waiting import ELAPSED, WAITING, waiting_above_others
from weft.execute.request import RunRequest, start_run


def test_a_node_with_other_work_is_found_by_what_its_agent_waits(tmp_path: Path) -> None:
    run = start_run(RunRequest("matrix", "sim:bad-cable", str(tmp_path / "run")))
    assert waiting_above_others(run) == {}
    elapsed_ns = run.samples[ELAPSED].to_numpy()
    shares = {0: 0.03, 1: 0.03, 2: 0.25}
    waiting = {(node, WAITING, None): share * elapsed_ns for node, share in shares.items()}
    add_evidence(run, {(2, ELAPSED, None): elapsed_ns, **waiting})
    found = waiting_above_others(run)
    assert found == pytest.approx({"n1": 0, "n2": 0, "n3": 0.22}, abs=0.001)
    late = Symptom("latency-high", ("n3",), "n3", None, {"waiting_above_others": found["n3"]})
    assert causes(late)[0].code == "other-work"
