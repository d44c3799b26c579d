"""Launches that are disturbed while agents measure: marked, measured again, and said first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

import pytest

from support.live import loopback
from weft.measure.testbed.base import Frames
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed


class LateLab(loopback.Loopback):
    """Agents here, beside a forwarder whose frames are late all the time in the first launches."""

    def __init__(self, late_launches: int | None) -> None:
        super().__init__(2)
        self._growth: Iterator[int] = chain.from_iterable(
            (0, 10**12 if late_launches is None or launch < late_launches else 0)
            for launch in count()
        )
        self._seen = Frames(0, 0)

    def frames(self) -> Frames:
        """Some more at each look."""
        self._seen = Frames(self._seen.forwarded + 10, self._seen.late_ns + next(self._growth))
        return self._seen


def run(tmp_path: Path, late_launches: int | None) -> RunFolder:
    testbed = LateLab(late_launches)
    return loopback.live_run(tmp_path / "r", testbed, loopback.step([1, 64]), launches=3)


def launches(done: RunFolder) -> set[int]:
    return set(done.samples["launch"].to_pylist())


def test_a_disturbed_launch_is_measured_again_and_all_is_kept(tmp_path: Path) -> None:
    done = run(tmp_path, late_launches=1)
    assert done.meta.status == "complete"
    assert launches(done) == {0, 1, 2, 3}
    assert [(one["launch"], one["cause"], one["share"]) for one in done.meta.disturbed or []] == [
        (0, "lab-late", 1.0)
    ]
    assert done.meta.warnings[0].code == "launches-disturbed"
    assert RunFolder.open(done.directory).meta.disturbed == done.meta.disturbed


def test_a_run_that_stays_disturbed_ends_after_twice_its_launches_and_says_so_first(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, late_launches=None)
    assert done.meta.status == "complete"
    assert launches(done) == set(range(6))
    assert done.meta.warnings[0].code == "disturbed"


def test_a_quiet_run_says_that_nothing_disturbed_it(tmp_path: Path) -> None:
    done = run(tmp_path, late_launches=0)
    assert (launches(done), done.meta.disturbed) == ({0, 1, 2}, [])
