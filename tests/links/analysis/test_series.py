"""Which kind of probe is analysed does not hang on single losses."""

import numpy as np
import pytest

from support.made.probes import probes
from weft.links.analysis.findings import analyse
from weft.links.analysis.series import ProbeSeries
from weft.links.analysis.times import hourly, overall
from weft.runs.probes import KINDS

ICMP, CONNECT, ECHO, UDP = map(KINDS.index, ("icmp", "tcp-connect", "tcp-echo", "udp-echo"))


def link() -> ProbeSeries:
    """Twelve hours, four kinds in turn at a probe a second; 1 Gb/s behind 20 ms, a connection takes 0.16 ms more, and
    20 kB over TCP a round trip more."""
    series = probes(
        43_200, kinds=(ICMP, CONNECT, ECHO, UDP), sizes=(8, 20_000), alpha_s=20e-3, beta_s=8e-9
    )
    series.size_bytes[series.kind == CONNECT] = 0
    series.rtt_s[:] = 2 * (20e-3 + 8e-9 * series.size_bytes)
    series.rtt_s[series.kind == CONNECT] += 160e-6
    series.rtt_s[(series.kind == ECHO) & (series.size_bytes == 20_000)] += 40e-3
    return series


def lost(series: ProbeSeries, kind: int, share: float) -> ProbeSeries:
    """Evenly over sizes and time."""
    at = np.flatnonzero(series.kind == kind)
    series.rtt_s[at[np.random.default_rng(1).random(len(at)) < share]] = np.nan
    return series


@pytest.mark.parametrize("share", [1 / 43_200, 0.01, 0.2, 0.45])
def test_losses_of_icmp_change_neither_alpha_nor_the_rate(share: float) -> None:
    series = lost(link(), ICMP, share)
    series.rtt_s[0] = np.nan
    times = overall(hourly(series))
    assert times and times.beta_s
    assert times.alpha_s.median == pytest.approx(20e-3, rel=1e-6)
    assert 8e-6 / times.beta_s.median == pytest.approx(1000, rel=1e-6)
    [found] = analyse([series]).links
    assert found.kind == "icmp"


@pytest.mark.parametrize(
    ("filtered", "kind"),
    [((ICMP,), UDP), ((ICMP, UDP), ECHO), ((ICMP, UDP, ECHO), CONNECT)],
)
def test_a_kind_that_hardly_answers_is_left(filtered: tuple[int, ...], kind: int) -> None:
    series = link()
    for one in filtered:
        lost(series, one, 0.6)
    assert set(series.main_kind().kind) == {kind}


def test_large_probes_that_are_filtered_do_not_make_a_kind_another() -> None:
    """Each of half of its probes is lost: one more or less must not change what is analysed."""
    series = link()
    series.rtt_s[(series.kind == ICMP) & (series.size_bytes == 20_000)] = np.nan
    series.rtt_s[np.flatnonzero(series.kind == ICMP)[::100]] = np.nan
    assert set(series.main_kind().kind) == {ICMP}


def test_a_kind_that_was_probed_for_a_few_hours_only_is_left() -> None:
    series = link()
    series = series.where((series.kind != ICMP) | (series.time_s < 4 * 3600))
    assert set(series.main_kind().kind) == {UDP}


def test_a_restart_of_tcp_is_no_rate() -> None:
    series = link()
    times = overall(hourly(series.where(series.kind == ECHO)))
    assert times and times.beta_s is None
    assert times.alpha_s.median == pytest.approx(20e-3, rel=1e-5)


def test_a_link_that_never_answered_has_the_first_kind_that_was_probed() -> None:
    series = link()
    series.rtt_s[:] = np.nan
    assert set(series.main_kind().kind) == {ICMP}
    assert set(series.where(series.kind != ICMP).main_kind().kind) == {UDP}
    assert len(series.where(series.kind < 0).main_kind()) == 0
