"""Platforms in weft and in SimGrid itself, where that is installed: every transfer ends at the same time."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from network.fabrics.test_formats import write
from support.made.cases import cases
from support.paths import DATA
from support.simgrid.peer import MODEL
from support.simgrid.platforms import HEAD
from weft.base.statistics import Floats
from weft.faces.api.start import simulate
from weft.measure.testbed.computed.network import open_simulated
from weft.network.model.maxmin import fair_rates_in_rounds

ONE_MB = {
    "steps.aapc.sizes": "['1 MB']",
    "steps.aapc.stop": {"rule": "count", "repeats": 1, "trials": 1},
}
CLUSTER = (
    '<zone id="w" routing="Full"><cluster id="c" prefix="node-" suffix="" speed="1Gf" bw="10Gbps" '
    'lat="0" radical="0-{last}" {shape}/></zone>'
)


def compared(peer: Path, platform: Path) -> float:
    """All-to-all in phases: the largest relative difference of an end."""
    hosts = len(open_simulated(str(platform)).nodes)
    ends = platform.with_suffix(".ends")
    command = [str(peer), "aapc", str(hosts), str(ends), str(platform), *MODEL]
    subprocess.run(command, check=True, capture_output=True)
    table = simulate("aapc", f"{platform}(overhead=0us)", settings=ONE_MB).stored.samples
    table = table.sort_by([("phase", "ascending"), ("src", "ascending")])
    assert table.num_rows == hosts * (hosts - 1)
    return float(np.max(np.abs(table["elapsed_ns"].to_numpy() / 1e9 / np.fromfile(ends) - 1)))


def random_bytes(index: int) -> float:
    """What the peer sends: from 0.5 to 1.5 MB by SplitMix64, another for each transfer."""
    mask = 2**64 - 1
    mixed = ((index + 1) * 0x9E3779B97F4A7C15) & mask
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & mask
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
    return float(np.floor(0.5e6 + 1e6 * ((mixed ^ (mixed >> 31)) >> 11) / 2**53))


def ends_by_filling(platform: Path) -> Floats:
    """All-to-all in phases with random sizes on the imported limits and routes, filled anew after every end."""
    network = open_simulated(str(platform)).model
    hosts = range(len(network.hosts()))
    capacities = np.frombuffer(network.capacities())
    unshared = network.unshared()
    phases = np.array([[(src, (src + far) % len(hosts)) for src in hosts] for far in hosts[1:]])
    crossings = np.zeros((*phases.shape[:2], len(capacities)), dtype=bool)
    for phase, src in np.ndindex(*phases.shape[:2]):
        way = network.way(*phases[phase, src].tolist(), 0)
        assert way is not None
        crossings[phase, src, way[0]] = True
    own = np.where(crossings[..., unshared], capacities[unshared], np.inf)
    own = own.min(axis=2, initial=np.inf)
    crossings[..., unshared] = False
    sizes = [[random_bytes(phase * len(hosts) + src) for src in hosts] for phase in hosts[:-1]]
    left, ends = 8 * np.array(sizes), np.zeros(phases.shape[:2])
    while (left > 0).any():
        rates = fair_rates_in_rounds(crossings, capacities, np.where(left > 0, own, 0.0))
        spans = np.divide(left, rates, out=np.full_like(left, np.inf), where=left > 0)
        next_s = np.where(np.isfinite(spans), spans, np.inf).min(axis=1, keepdims=True)
        ends += np.where(left > 0, np.where(np.isfinite(next_s), next_s, 0.0), 0.0)
        left = np.where(spans <= next_s * (1 + 1e-12), 0.0, left - rates * np.minimum(next_s, 1e9))
    return ends.ravel()


@pytest.mark.smoke("simgrid_update_xml", "g++")
@pytest.mark.parametrize("shape", cases("platforms", "clusters_with_random_sizes"))
def test_random_sizes_end_when_they_do_in_simgrid(peer: Path, tmp_path: Path, shape: str) -> None:
    text = CLUSTER.replace('radical="0-{last}" {shape}', shape)
    platform = write(tmp_path, text, HEAD)
    ends = platform.with_suffix(".ends")
    hosts = len(open_simulated(str(platform)).nodes)
    command = [str(peer), "aapc-random", str(hosts), str(ends), str(platform), *MODEL]
    subprocess.run(command, check=True, capture_output=True)
    assert np.max(np.abs(ends_by_filling(platform) / np.fromfile(ends) - 1)) < 1e-5


@pytest.mark.parametrize(("hosts", "shape"), cases("platforms", "clusters"))
def test_a_cluster_takes_as_long_as_in_simgrid(
    peer: Path, tmp_path: Path, hosts: int, shape: str
) -> None:
    platform = write(tmp_path, CLUSTER.format(last=hosts - 1, shape=shape), HEAD)
    assert compared(peer, platform) < 1e-5


def test_a_fatpipe_gives_each_what_it_gives_in_simgrid(peer: Path, tmp_path: Path) -> None:
    body = (DATA / "platforms/fatpipe.xml").read_text()
    assert compared(peer, write(tmp_path, body, HEAD)) < 1e-5
