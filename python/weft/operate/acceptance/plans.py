"""The plans of an acceptance, as TOML: each is written beside its run, so that it can be repeated."""

from __future__ import annotations

from collections.abc import Sequence

from weft.operate.acceptance.decide import LAUNCHES
from weft.operate.acceptance.declared import Route
from weft.operate.acceptance.pairs import AGAIN, SCREEN

SIZES = (1, 1400)
"""Message sizes for latency besides those with a limit: one for software and wires, one that fills a frame."""
SEARCH_S = 90
LIMITS = "limits"
MESSAGE = "1 KiB"
"""Message size for rates: small enough for slow ports to carry many in a trial."""
COMPUTED_S = 0.04
LEAST_BYTES, MOST_BYTES = 4 << 10, 64 << 20


def computed_message(slowest_mbps: float) -> str:
    """A large message that the slowest port carries in a trial; large, since each simulated message also takes the
    delay of the route."""
    size = min(MOST_BYTES, slowest_mbps * 1e6 / 8 * COMPUTED_S)
    return f"{max(LEAST_BYTES, round(size))} B"


def screen_plan(positions: str, sizes: Sequence[int], message: str) -> str:
    """Every pair once, in rounds of disjoint pairs; rates are measured with `message`."""
    return _head(SCREEN, "Every pair once, in rounds of disjoint pairs", 1) + _pair_steps(
        "", positions, sizes, message, repeats=20
    )


def again_plan(pairs: Sequence[Route], sizes: Sequence[int], message: str) -> str:
    """Some pairs, one after the other, with fresh connections in each launch."""
    steps = "".join(
        _pair_steps(f"-{number}", f"{a + 1},{b + 1}", sizes, message, repeats=50)
        for number, (a, b) in enumerate(pairs, 1)
    )
    return _head(AGAIN, "The pairs that looked worst, each alone", LAUNCHES) + steps


def bisection_plan(positions: str) -> str:
    """Random halves of the nodes, paired across, in both directions at once."""
    return (
        _head("bisection", "Random bisections", 1)
        + f"""
[[steps]]
name = "bisections"
pattern = "random"
shape = "bisection"
nodes = "{positions}"
permutations = 12
seed = 1
sizes = ["4 KiB"]
stop = {{ rule = "time", trial = "250 ms", trials = 1 }}
"""
    )


def all_to_all_plan(positions: str) -> str:
    """All-to-all in phases of disjoint transfers."""
    return (
        _head("all-to-all", "All-to-all in n-1 phases", LAUNCHES)
        + f"""
[[steps]]
name = "all-to-all"
pattern = "alltoall"
mode = "phased"
nodes = "{positions}"
sizes = ["400 kB"]
stop = {{ rule = "count", repeats = 1, trials = 1 }}
"""
    )


def limits_plan(positions: str) -> str:
    """The search for limits, including its survey."""
    return (
        _head(LIMITS, "Where the network's limits are", 1)
        + f"""
[[steps]]
name = "latency"
pattern = "matrix"
measure = "latency"
nodes = "{positions}"
sizes = ["1400 B"]
stop = {{ rule = "count", repeats = 20, trials = 1 }}

[[steps]]
name = "rates"
pattern = "matrix"
duplex = "full"
nodes = "{positions}"
sizes = ["1 KiB"]
stop = {{ rule = "time", trial = "80 ms", trials = 1 }}

[[steps]]
name = "search"
pattern = "xray"
nodes = "{positions}"
time = "{SEARCH_S} s"
sizes = ["1 KiB"]
stop = {{ rule = "time", trial = "250 ms", trials = 1 }}
"""
    )


def positions_of(nodes: Sequence[int]) -> str:
    """Positions from 1, as plans number nodes."""
    return ",".join(str(node + 1) for node in nodes)


def _head(name: str, title: str, launches: int) -> str:
    return f'name = "{name}"\ntitle = "{title}"\nlaunches = {launches}\n'


def _pair_steps(
    suffix: str, positions: str, sizes: Sequence[int], message: str, repeats: int
) -> str:
    listed = ", ".join(f'"{size} B"' for size in sizes)
    return f"""
[[steps]]
name = "latency{suffix}"
pattern = "matrix"
measure = "latency"
nodes = "{positions}"
sizes = [{listed}]
stop = {{ rule = "count", repeats = {repeats}, trials = 1 }}

[[steps]]
name = "rate{suffix}"
pattern = "matrix"
measure = "rate"
duplex = "half"
nodes = "{positions}"
sizes = ["{message}"]
stop = {{ rule = "time", trial = "100 ms", trials = 1 }}
"""
