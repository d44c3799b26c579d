"""Parts of a series: their medians are those of the answers in them, whatever was lost."""

import numpy as np
import pytest

from weft.links.analysis.cells import cells
from weft.links.analysis.series import ProbeSeries


def test_each_part_has_the_median_of_its_answers() -> None:
    rng = np.random.default_rng(1)
    time_s = np.sort(rng.uniform(0, 3600, 400))
    time_s = time_s[(time_s < 1200) | (time_s > 1500)]
    rtt_s = np.where(rng.random(len(time_s)) < 0.3, np.nan, rng.exponential(size=len(time_s)))
    rtt_s[time_s < 60] = np.nan
    zeros = np.zeros(len(time_s), np.int64)
    found = cells(ProbeSeries("a", "b", 30.0, time_s, rtt_s, zeros + 8, zeros.astype(np.int8)), 60)
    minutes = (30 + time_s) // 60
    parts = [rtt_s[minutes == one] for one in np.unique(minutes)]
    answered = [part[~np.isnan(part)] for part in parts]
    medians = [np.median(part) if len(part) else np.nan for part in answered]
    assert np.isnan(medians[0])
    assert len({len(part) % 2 for part in answered}) == 2
    assert found.rtt_s == pytest.approx(medians, rel=0, nan_ok=True)
    assert found.begin_s == pytest.approx(np.unique(minutes) * 60)
    assert found.probes.tolist() == [len(part) for part in parts]
    assert found.lost.tolist() == [int(np.isnan(part).sum()) for part in parts]
