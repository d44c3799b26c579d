"""Platforms of zones in zones: their routes are those that SimGrid itself finds, where that is installed."""

import subprocess
from collections import Counter, defaultdict
from math import isclose
from pathlib import Path

import numpy as np
import pytest

from measure.testbed.computed.test_simgrid_peer import compared
from network.fabrics.test_formats import refusal_of, write
from support.made.cases import cases
from support.simgrid.peer import QUIET
from support.simgrid.platforms import HEAD, make_platform
from weft.measure.testbed.computed.network import open_simulated

Pairs = Counter[tuple[str, str]]
Limit = tuple[str, int, bool]

LINK = '<link id="l" bandwidth="1Gbps" latency="1us"/>'
DUPLEX = '<link id="l" bandwidth="1Gbps" latency="1us" sharing_policy="SPLITDUPLEX"/>'
INNER = '<zone id="{0}" routing="Full"><host id="node-{0}" speed="1Gf"/></zone>'


def check_routes(routes: Path, platform: Path) -> None:
    """The same links are crossed by the same pairs as often, and every way has the same latency.

    SimGrid does not list the links of a way in their order where Dijkstra finds a part of it.
    """
    network = open_simulated(str(platform)).model
    at = {host: index for index, host in enumerate(network.hosts())}
    names, unshared = network.constraints(), set(network.unshared())
    capacities, delays_s = (
        np.frombuffer(one).tolist() for one in (network.capacities(), network.delays())
    )
    mine: dict[Limit, Pairs] = defaultdict(Counter)
    theirs: dict[Limit, Pairs] = defaultdict(Counter)
    done = subprocess.run([routes, platform, *QUIET], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(at) * (len(at) - 1)
    for src, dst, latency, *links in (line.split("\t") for line in lines):
        way = network.way(at[src], at[dst], 0)
        assert (way is None) == (not links), f"{src} to {dst}"
        if way is None:
            continue
        delay_s = sum(delays_s[index] for index in way[0])
        assert isclose(delay_s, float(latency), rel_tol=1e-9, abs_tol=1e-12), f"{src} to {dst}"
        for index in way[0]:
            limit = names[index], round(capacities[index]), index in unshared
            mine[limit][src, dst] += 1
        for name, rate, is_fatpipe in zip(*(links[i::3] for i in range(3)), strict=True):
            theirs[name, round(8 * float(rate)), is_fatpipe == "1"][src, dst] += 1
    assert crossed(mine) == crossed(theirs)


def crossed(limits: dict[Limit, Pairs]) -> Counter[tuple[int, bool, frozenset[object]]]:
    """Rates and who crosses them how often, without names."""
    return Counter((rate, fat, frozenset(who.items())) for (_, rate, fat), who in limits.items())


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_any_zones_in_zones_have_the_routes_of_simgrid(
    routes: Path, tmp_path: Path, first: int
) -> None:
    for seed in range(first, first + 10):
        platform = tmp_path / f"{seed}.xml"
        platform.write_text(make_platform(seed))
        check_routes(routes, platform)


@pytest.mark.parametrize("seed", [3, 7, 11, 21])
def test_transfers_across_zones_end_when_they_do_in_simgrid(
    peer: Path, tmp_path: Path, seed: int
) -> None:
    """Without delays, which SimGrid has before a transfer and weft behind it."""
    platform = tmp_path / "platform.xml"
    text = make_platform(seed)
    for delay_us in range(10):
        text = text.replace(f'"{delay_us}us"', '"0"')
    platform.write_text(text)
    assert compared(peer, platform) < 1e-5


def test_a_dijkstra_that_would_cross_a_zone_inside_is_refused(tmp_path: Path) -> None:
    cluster = (
        '<cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" bw="1Gbps" lat="0"/>'
    )
    route = '<zoneRoute src="{}" dst="{}" gw_src="{}" gw_dst="{}"><link_ctn id="l"/></zoneRoute>'
    body = (
        f'<zone id="w" routing="{{}}">\n{INNER.format(8)}{cluster}{INNER.format(9)}{LINK}'
        f"{route.format(8, 'c', 'node-8', 'node-0')}{route.format('c', 9, 'node-1', 'node-9')}</zone>"
    )
    why = refusal_of(write(tmp_path, body.format("Dijkstra"), HEAD))
    assert ':4: routing="Dijkstra": the way from 8 to 9 enters a zone at node-0 and leaves' in why
    assert open_simulated(str(write(tmp_path, body.format("Floyd"), HEAD))).nodes


@pytest.mark.parametrize(("body", "why"), cases("platforms", "zones_not_supported"))
def test_what_stays_unsupported_is_named_with_its_line(tmp_path: Path, body: str, why: str) -> None:
    assert why in refusal_of(write(tmp_path, body, HEAD))
