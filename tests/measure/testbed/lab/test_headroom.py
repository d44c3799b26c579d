"""A lab's headroom, from the forwarder's counters to the run and the report."""

import dataclasses
from pathlib import Path

import pytest

from support.here import weft
from support.made.synthetic_cluster import Cluster, Step, write_cluster_run
from weft.runs.folder import RunFolder
from weft.understand.report.facts import run_facts

pytestmark = pytest.mark.timed


def test_a_run_in_a_lab_ends_with_the_headroom(tmp_path: Path, own_registry: None) -> None:
    out = tmp_path / "run"
    arguments = ["--scale", "0.1", "--launches", "1", "--set", "steps.ring.stop.trial='1500 ms'"]
    done = weft("run", "ring", "--on", "lab:fast-ethernet-pair", "--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    testbed = RunFolder.open(out).meta.testbed
    assert testbed["spec"] == "lab:fast-ethernet-pair"
    assert testbed["headroom"]["seconds"] >= 1
    assert "Headroom" in dict(run_facts(RunFolder.open(out)))


def test_the_report_tells_the_headroom_where_there_is_one(tmp_path: Path) -> None:
    run = write_cluster_run(tmp_path / "run", Cluster(4), [Step.matrix()])
    assert "Headroom" not in dict(run_facts(run))
    room = {"mean": 0.692, "least": 0.43, "seconds": 36}
    meta = dataclasses.replace(run.meta, testbed=run.meta.testbed | {"headroom": room})
    facts = dict(run_facts(dataclasses.replace(run, meta=meta)))
    told = "the lab's forwarder was idle 69 % of the time, 43 % in the busiest of 36 s"
    assert facts["Headroom"] == told
