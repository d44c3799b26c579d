"""A program that takes the processors of agents, or of a lab's forwarder: the run is right, or says that it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.here import weft, weft_json
from weft.runs.folder import RunFolder

pytestmark = [pytest.mark.timed, pytest.mark.usefixtures("own_registry")]

SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
CPUS = sorted(os.sched_getaffinity(0))


@contextmanager
def load(cpu: int) -> Iterator[None]:
    """Two programs that never sleep."""
    programs = [subprocess.Popen([sys.executable, "-c", SPIN, str(cpu)]) for _ in range(2)]
    try:
        yield
    finally:
        for one in programs:
            one.kill()
            one.wait()


def latency(folder: Path) -> RunFolder:
    weft_json("run", "latency", "--on", "lab:gigabit-pair", "--out", folder)
    return RunFolder.open(folder)


@pytest.mark.skipif(len(CPUS) < 2, reason="agents and forwarder share the only processor")
@pytest.mark.parametrize("cpu", [CPUS[0], CPUS[-1]], ids=["of the agents", "of the forwarder"])
def test_no_verdict_rests_on_a_competing_load(cpu: int, tmp_path: Path) -> None:
    """On a quiet machine the two runs are alike; a difference that is called one must not be the load's."""
    quiet = latency(tmp_path / "quiet")
    with load(cpu):
        loaded = latency(tmp_path / "loaded")
    assert loaded.meta.disturbed
    assert loaded.meta.warnings[0].code in ("disturbed", "launches-disturbed")
    assert {one["cause"] for one in loaded.meta.disturbed} <= {
        "processor-contention",
        "lab-late",
        "stolen-time",
    }
    found = weft_json("compare", quiet.directory, loaded.directory)
    if not found["not_comparable"]:
        assert not any(one["significant"] for one in found["points"])
    if loaded.meta.warnings[0].code == "disturbed":
        said = weft("compare", quiet.directory, loaded.directory).stdout
        assert said.startswith("not comparable: ")
        assert weft("show", loaded.directory).stdout.startswith("disturbed: ")
