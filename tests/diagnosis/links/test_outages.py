"""Outages begin and end where they do, losses that cluster are none, and each has its class."""

from collections.abc import Callable

import numpy as np
import pytest

from support.probes import MONDAY, lose, probes, stop
from weft.diagnosis.links.availability import availability
from weft.diagnosis.links.causes import CLASSES, find_incidents
from weft.diagnosis.links.outages import find_outages
from weft.diagnosis.links.series import Series

DAY = 86400.0


def test_three_losses_in_a_row_are_an_outage_until_the_first_answer() -> None:
    [outage] = find_outages(lose(probes(DAY), 500, 503))
    assert (outage.begin_s - MONDAY, outage.end_s) == (500, MONDAY + 503)


def test_bursts_of_a_lossy_link_are_no_outage_but_a_long_one_is() -> None:
    series, generator = probes(DAY), np.random.default_rng(1)
    for begin in generator.integers(0, int(DAY), 400):
        lose(series, begin, begin + generator.geometric(0.5))
    lose(series, 40_000, 40_060)
    [outage] = find_outages(series)
    assert outage.begin_s - MONDAY == pytest.approx(40_000, abs=10)


def test_what_goes_on_has_no_end_and_a_gap_is_no_outage() -> None:
    series = lose(stop(probes(DAY), 1000, 9000), DAY - 60, DAY)
    [outage] = find_outages(series)
    assert outage.end_s is None
    assert series.gaps() == [(999, 9000)]


def test_gaps_count_neither_as_up_nor_as_down() -> None:
    up = availability(lose(stop(probes(10_000), 1000, 5001), 6000, 6500))
    assert up is not None
    assert up.down_s == pytest.approx(500, abs=2)
    assert up.share.median == pytest.approx(1 - 500 / 6000, abs=1e-3)


def _site_down(site: str) -> Callable[[list[Series]], list[Series]]:
    """A site's agent probes nothing while nothing reaches it."""

    def fail(links: list[Series]) -> list[Series]:
        return [
            stop(s, 500, 600) if s.src == site else lose(s, 500, 600) if s.dst == site else s
            for s in links
        ]

    return fail


def _cut_off(site: str) -> Callable[[list[Series]], list[Series]]:
    return lambda links: [lose(s, 500, 600) if site in (s.src, s.dst) else s for s in links]


def _between(src: str, dst: str, both: bool = True) -> Callable[[list[Series]], list[Series]]:
    pairs = {(src, dst), (dst, src)} if both else {(src, dst)}
    return lambda links: [lose(s, 500, 600) if (s.src, s.dst) in pairs else s for s in links]


def _mesh() -> list[Series]:
    names = "abc"
    return [probes(5000, src=x, dst=y) for x in names for y in names if x != y]


CASES = {
    "their host": (_site_down("b"), _mesh),
    "their carrier": (_cut_off("b"), _mesh),
    "our carrier": (_cut_off("a"), _mesh),
    "path": (_between("a", "b"), _mesh),
    "one direction": (_between("a", "b", both=False), _mesh),
    "ICMP filtered": (
        lambda links: [lose(links[0], 500, 600, kind=0)],
        lambda: [probes(5000, kinds=(0, 1))],
    ),
    "port filtered": (
        lambda links: [lose(links[0], 500, 600, kind=1)],
        lambda: [probes(5000, kinds=(0, 1))],
    ),
    "large packets": (
        lambda links: [lose(links[0], 500, 600, size=20_000)],
        lambda: [probes(5000, sizes=(8, 20_000))],
    ),
    "tunnel": (
        lambda links: [links[0], lose(links[1], 500, 600)],
        lambda: [probes(5000), probes(5000, network="vpn")],
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_an_outage_is_classified_by_what_failed_with_it(what: str) -> None:
    fail, links = CASES[what]
    found = find_incidents(fail(links()))
    ours = [one for one in found if (one.src, one.dst) == ("a", "b")]
    assert [one.what for one in ours] == [what]
    assert {one.what for one in found} <= set(CLASSES)
