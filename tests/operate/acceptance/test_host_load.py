"""Work on a node that is not the measurement's, beside what hosts of other nodes do."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.made.evidence import add_evidence
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.operate.acceptance.causes import causes
from weft.operate.acceptance.judgement import ELAPSED, above_others
from weft.operate.acceptance.verdict import Symptom

CAUSES = {
    "waiting_above_others": ("process_waiting_ns", "other-work"),
    "softirq_above_others": ("cpu_softirq_ns", "softirq"),
    "stolen_above_others": ("cpu_steal_ns", "stolen-time"),
}


def test_what_a_host_does_more_than_others_is_the_first_cause(tmp_path: Path) -> None:
    run = start_run(RunRequest("matrix", "sim:bad-cable", RunOptions(out=tmp_path / "run")))
    assert above_others(run) == {}
    elapsed_ns = run.samples[ELAPSED].to_numpy()
    counters = {(2, ELAPSED, None): elapsed_ns}
    for name, _ in CAUSES.values():
        cpu = 1 if name.startswith("cpu_") else None
        for node, share in {0: 0.03, 1: 0.03, 2: 0.25}.items():
            counters[node, name, cpu] = share * elapsed_ns
    add_evidence(run, counters)
    found = above_others(run)
    for fact, (_, cause) in CAUSES.items():
        by_node = {name: facts[fact] for name, facts in found.items()}
        assert by_node == pytest.approx({"n1": 0, "n2": 0, "n3": 0.22}, abs=0.001)
        late = Symptom("latency-high", ("n3",), "n3", None, {fact: by_node["n3"]})
        assert causes(late)[0].code == cause
