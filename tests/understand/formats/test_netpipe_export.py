from pathlib import Path

import numpy as np
import pytest

from support.paths import DATA
from support.runs import affine_us, launches_of, pingpong_run, step_plan, step_rows, write_run
from weft.base.errors import RequestError
from weft.understand.curve.points import points
from weft.understand.formats.exporters import export_run
from weft.understand.formats.importers import import_file

SIZES = [2**power for power in range(20)]


@pytest.mark.parametrize("name", ["np3.7.2.np.out", "np3.7.2_loopback.np.out"])
def test_export_of_an_import_is_the_file_within_rounding(tmp_path: Path, name: str) -> None:
    original = (DATA / name).read_text()
    exported = export_run(import_file("netpipe", DATA / name, tmp_path / "run"), "netpipe")
    pairs = zip(original.splitlines(), exported.splitlines(), strict=True)
    for before, after in pairs:
        assert after[:9] == before[:9]
        assert len(after) == len(before)
        (rate, seconds), (rate_after, seconds_after) = before.split()[1:], after.split()[1:]
        assert float(rate_after) == pytest.approx(float(rate), rel=2e-4)
        assert float(seconds_after) == pytest.approx(float(seconds), abs=1.01e-8)


def test_import_of_an_export_is_the_run_within_rounding(tmp_path: Path) -> None:
    run = pingpong_run(tmp_path / "run", SIZES, launches_of(affine_us(SIZES, 28.0, 94.1)))
    path = tmp_path / "np.out"
    path.write_text(export_run(run, "netpipe"))
    back = points(import_file("netpipe", path, tmp_path / "back"))
    expected = [point.throughput_mbps.median for point in points(run)]
    assert [point.throughput_mbps.median for point in back] == pytest.approx(expected, rel=1e-4)


def test_the_best_of_all_batches_and_launches_is_written(tmp_path: Path) -> None:
    times_us = np.array([[[10.0, 11.0], [8.0, 12.0]]])
    run = pingpong_run(tmp_path / "run", [1024], times_us)
    assert export_run(run, "netpipe") == f"    1024 {8192 / 8e-6 / 2**20:f}   0.00000800\n"


def test_a_run_without_pingpong_and_an_unknown_format_are_refused(tmp_path: Path) -> None:
    rows = step_rows(SIZES, launches_of(affine_us(SIZES, 1.0, 10.0)), "stream")
    run = write_run(tmp_path / "run", [rows], [step_plan("stream")])
    with pytest.raises(RequestError, match="no ping-pong"):
        export_run(run, "netpipe")
    with pytest.raises(RequestError, match="unknown format 'csv'") as caught:
        export_run(run, "csv")
    assert "netpipe" in caught.value.hint
