"""What a click on a point shows."""

from pathlib import Path

import numpy as np
import pytest

from support.made.synthetic import FAST_ETHERNET, write_run
from weft.base.statistics import thinned_rows
from weft.understand.report import details as details_module
from weft.understand.report.details import details
from weft.understand.report.material import ReportMaterial


def test_a_point_has_its_batches_in_order_and_its_interval_at_each_look(tmp_path: Path) -> None:
    sizes = [1, 8192, 65536]
    run = write_run(tmp_path / "r", FAST_ETHERNET, sizes=sizes, launches=13, batches=5)
    found = details(ReportMaterial([run]))
    assert [one["size"] for one in found] == sizes
    two_modes = found[1]
    assert len(two_modes["us"]) == two_modes["of"] == 13 * 5
    assert two_modes["at"] == sorted(two_modes["at"])
    assert [round(at) for at in two_modes["at"]] == sorted(list(range(1, 14)) * 5)
    slow = np.array(two_modes["us"]).reshape(13, 5)[:, 1::2]
    assert slow.min() > max(np.array(two_modes["us"]).reshape(13, 5)[:, ::2].max(), 900)
    assert [look[0] for look in two_modes["looks"]] == [6, 12, 13]
    assert len(two_modes["modes"]) == 2 and not found[0]["modes"]


def test_thinning_is_even_and_keeps_the_fastest_and_the_slowest() -> None:
    times = np.full(1000, 5.0)
    times[[333, 777]] = 1.0, 9.0
    kept = thinned_rows(times, 100)
    assert set(range(0, 1000, 10)) | {333, 777} == set(kept.tolist())
    assert thinned_rows(times, 1000).tolist() == list(range(1000))


def test_points_share_the_batches_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(details_module, "MOST_BATCHES", 120)
    runs = [write_run(tmp_path / name, sizes=[1, 64], launches=20) for name in ("a", "b")]
    for one in details(ReportMaterial(runs)):
        assert 25 <= len(one["us"]) <= 36
        assert one["of"] == 100
