"""A thinned day says the same of outages, gaps, quarters and availability as before, in a fifth of the bytes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.made.watched import MONDAY_S, probes, record
from weft.links.analysis.findings import analyse
from weft.links.analysis.outages.outages import find_outages
from weft.links.analysis.outages.periods import find_periods
from weft.links.analysis.quarters import quarters
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.store.days import standing_for_one
from weft.links.watch.store.history import history
from weft.links.watch.store.store import StoredWatch
from weft.links.watch.store.thinning import thin
from weft.runs.probes import SCHEMA


def eventful(seconds: int, seed: int = 1) -> pa.Table:
    """Two links with losses; an outage of all, one of a kind, a long gap and one of 20 s, and congestion."""
    parts = []
    for link in (0, 1):
        table = probes(MONDAY_S, seconds, link, seed + link)
        at = table["time_us"].to_numpy() / 1e6 - MONDAY_S
        rtt = table["rtt_ns"].to_pandas().to_numpy(float).copy()
        kind = table["kind"].to_numpy()
        rare = np.isnan(rtt) & (np.random.default_rng(seed).random(len(rtt)) < 0.9)
        rtt[rare] = 1.5e6
        rtt[(at > 7000) & (at < 7400)] = np.nan
        rtt[(at > 15_000) & (at < 15_900) & (kind == 0)] = np.nan
        rtt[(at > 40_000) & (at < 48_000)] += 3e6
        table = table.set_column(
            4, "rtt_ns", pa.array(np.round(rtt), from_pandas=True).cast(pa.int64())
        )
        measured = ~(((at > 20_000) & (at < 22_000)) | ((at > 30_000) & (at < 30_020)))
        parts.append(table.filter(pa.array(measured)))
    return standing_for_one(pa.concat_tables(parts).combine_chunks())


def series(table: pa.Table, tmp_path=None) -> list[ProbeSeries]:
    return history(StoredWatch(tmp_path, record(), {"day": table}, [], []))


@pytest.mark.parametrize("to_s", [180.0])
def test_what_is_said_of_a_thinned_day_stays(to_s: float) -> None:
    whole, thinned = (eventful(86_400), thin(eventful(86_400), to_s))
    assert thinned.num_rows < 0.25 * whole.num_rows
    before, after = analyse(series(whole)), analyse(series(thinned))
    assert after.outages == before.outages
    assert [one.what for one in before.outages][-2:] == 2 * ["ICMP filtered"]
    for old, new in zip(before.links, after.links, strict=True):
        assert new.probes == old.probes
        assert new.gaps == old.gaps
        assert len(old.gaps) == 2
        assert new.changes == old.changes
        assert old.availability and new.availability
        assert new.availability.answered == pytest.approx(old.availability.answered)
        assert new.availability.share.median == pytest.approx(
            old.availability.share.median, rel=1e-4
        )
        assert new.availability.measured_s == pytest.approx(old.availability.measured_s, rel=1e-3)
        assert old.times and new.times
        assert new.times.alpha_s.median == pytest.approx(old.times.alpha_s.median, rel=0.01)
    assert any(one.changes for one in before.links)


def test_each_quarter_keeps_its_minimum_and_its_median() -> None:
    whole, thinned = (eventful(86_400), thin(eventful(86_400), 60))
    for old, new in zip(series(whole), series(thinned), strict=True):
        a, b = quarters(old), quarters(new)
        assert np.array_equal(a.time_s + a.start, b.time_s + b.start)
        assert np.array_equal(a.minimum_s, b.minimum_s)
        assert np.array_equal(a.jitter_s, b.jitter_s)


@settings(max_examples=15, deadline=None)
@given(
    lost=st.lists(st.integers(0, 1999), max_size=300),
    gone=st.lists(st.integers(0, 1999), max_size=300),
    times=st.integers(1, 50),
    seed=st.integers(0, 1000),
)
def test_any_pattern_of_losses_and_gaps_is_kept(
    lost: list[int], gone: list[int], times: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rtt = random.integers(1, times + 1, 2000).astype(float)
    rtt[lost] = np.nan
    time_us = (MONDAY_S * 10**6 + np.arange(2000) * 10**6).astype(np.int64)
    columns = [time_us, np.zeros(2000), np.arange(2000) % 2, np.full(2000, 8), rtt]
    whole = pa.table(
        [pa.array(c, from_pandas=True).cast(f.type) for c, f in zip(columns, SCHEMA, strict=True)],
        SCHEMA,
    )
    is_there = np.ones(2000, bool)
    is_there[gone] = False
    whole = standing_for_one(whole.filter(pa.array(is_there)))
    thinned = thin(whole, 180)
    assert thinned["stands"].to_numpy().sum() == whole.num_rows
    assert thinned["rtt_ns"].null_count == whole["rtt_ns"].null_count
    for old, new in zip(series(whole), series(thinned), strict=True):
        assert new.gaps() == old.gaps()
        assert find_periods(new) == find_periods(old)
        for name, group in old.groups().items():
            assert find_outages(new.groups()[name]) == find_outages(group)
        a, b = quarters(old), quarters(new)
        assert np.array_equal(a.minimum_s, b.minimum_s)
        assert np.array_equal(a.jitter_s, b.jitter_s)
