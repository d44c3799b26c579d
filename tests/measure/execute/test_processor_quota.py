"""A run whose agents are stopped by a real quota of their control group, as in a container with a limit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command import WEFT
from weft.runs.folder import RunFolder

GROUPS = Path("/sys/fs/cgroup")
PERIOD_US, QUOTA_US = 100_000, 30_000


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group with 0.3 of a processor, of whichever version there is."""
    first = (GROUPS / "cpu").is_dir()
    made = (GROUPS / "cpu" if first else GROUPS) / f"weft-test-{os.getpid()}"
    try:
        made.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        if first:
            (made / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (made / "cpu.cfs_quota_us").write_text(str(QUOTA_US))
        elif (made / "cpu.max").exists():
            (made / "cpu.max").write_text(f"{QUOTA_US} {PERIOD_US}")
        else:
            pytest.skip("the processor controller is not given to new control groups here")
        yield made
    finally:
        made.rmdir()


@pytest.mark.timed
def test_a_quota_that_is_used_up_is_named(group: Path, tmp_path: Path) -> None:
    command = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    run = [*WEFT, "run", "latency", "--on", "local:", "--out", tmp_path / "r", "--launches", "3"]
    subprocess.run(["sh", "-c", command, group, *run], check=True, timeout=120)
    made = RunFolder.open(tmp_path / "r")
    assert "processor-quota" in {one["cause"] for one in made.meta.disturbed or ()}
    assert made.meta.warnings[0].code == "disturbed"
    assert "quota of its control group" in made.meta.warnings[0].message
