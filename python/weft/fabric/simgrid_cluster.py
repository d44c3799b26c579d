"""SimGrid's clusters: a crossbar, or one of its topologies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft import _core
from weft.fabric.listing import Listing
from weft.fabric.simgrid_routes import Dragonfly, FatTree, Routes
from weft.fabric.simgrid_xml import BITS, SECONDS, Element

_MOST_ROUTES = 4_000_000
_MOST_HOSTS = 1 << 20
_POLICIES = {
    "sharing_policy": ["SPLITDUPLEX", "SHARED", "FATPIPE"],
    "bb_sharing_policy": ["SHARED", "FATPIPE"],
}
"""What these may be; the first is what they are where nothing is said."""


def read_cluster(cluster: Element) -> _core.Network:
    """The network of a cluster; raises RequestError that names its line."""
    for name, known in _POLICIES.items():
        policy = cluster.attributes.get(name, known[0])
        if policy not in known:
            raise cluster.wrong(f'{name}="{policy}": only {" and ".join(known)} here')
    topology = cluster.attributes.get("topology", "FLAT")
    if topology not in _TOPOLOGIES:
        raise cluster.wrong(f'topology="{topology}": only {", ".join(_TOPOLOGIES)} are supported')
    if topology != "FLAT":
        _check_plain(cluster, topology)
    return _TOPOLOGIES[topology](cluster)


def _check_plain(cluster: Element, topology: str) -> None:
    """Refuses what only a cluster without a topology may have here."""
    if cluster.attributes.get("limiter_link"):
        raise cluster.wrong(f"limiter_link with {topology} is not supported")
    if cluster.attributes.get("sharing_policy", "SPLITDUPLEX") != "SPLITDUPLEX":
        raise cluster.wrong(f'sharing_policy: only "SPLITDUPLEX" is supported with {topology}')


def _crossbar(cluster: Element) -> _core.Network:
    """All hosts on a switch, with or without a backbone that everything passes, and with limits of single hosts."""
    hosts, listing = _hosts(cluster), Listing()
    up, down = _host_links(cluster, hosts, listing)
    limiters = _limiters(cluster, hosts, listing)
    backbone = []
    if cluster.attributes.get("bb_bw"):
        bb_bps, bb_s = cluster.quantity("bb_bw", BITS), cluster.quantity("bb_lat", SECONDS, "0")
        is_shared = cluster.attributes.get("bb_sharing_policy") != "FATPIPE"
        backbone = [listing.add("backbone", bb_bps, bb_s, is_shared)]
    _check_routes(cluster, hosts, "; sim:crossbar(hosts=...) simulates so many")
    listing.routes = {
        (src, dst): [*limiters[src], up[src], *backbone, down[dst], *limiters[dst]]
        for src in range(len(hosts))
        for dst in range(len(hosts))
        if src != dst
    }
    return listing.network(cluster.get("id"), hosts, cluster.origin)


def _host_links(
    cluster: Element, hosts: list[str], listing: Listing
) -> tuple[list[int], list[int]]:
    """What each host sends through, and what it receives through; the same where it is one link for both."""
    rate_bps, delay_s = _link(cluster)
    policy = cluster.attributes.get("sharing_policy", "SPLITDUPLEX")
    if policy != "SPLITDUPLEX":
        is_shared = policy == "SHARED"
        both = [listing.add(f"{host} link", rate_bps, delay_s, is_shared) for host in hosts]
        return both, both
    up = [listing.add(f"{host} out", rate_bps, delay_s) for host in hosts]
    return up, [listing.add(f"{host} in", rate_bps, delay_s) for host in hosts]


def _limiters(cluster: Element, hosts: list[str], listing: Listing) -> list[list[int]]:
    """What all that a host sends and receives shares, where there is such a limit."""
    if not cluster.attributes.get("limiter_link"):
        return [[] for _ in hosts]
    rate_bps = cluster.quantity("limiter_link", BITS)
    return [[listing.add(f"{host} limiter", rate_bps, 0.0)] for host in hosts]


def _torus(cluster: Element) -> _core.Network:
    shape = cluster.get("topo_parameters")
    return _generated(cluster, "torus", {"dims": shape.replace(",", "x")})


def _fat_tree(cluster: Element) -> _core.Network:
    """With one cable each it is a generator's, which takes any number of hosts."""
    shape = cluster.get("topo_parameters")
    _, down, up, cables = (part.strip() for part in (shape + ";;;").split(";")[:4])
    if set(cables.replace(",", "")) - {"1"}:
        return _routed(cluster, FatTree.parse)
    values = {"down": down.replace(",", "x"), "up": up.replace(",", "x")}
    return _generated(cluster, "xgft", values)


def _dragonfly(cluster: Element) -> _core.Network:
    return _routed(cluster, Dragonfly.parse)


_TOPOLOGIES: dict[str, Callable[[Element], _core.Network]] = {
    "FLAT": _crossbar,
    "FAT_TREE": _fat_tree,
    "TORUS": _torus,
    "DRAGONFLY": _dragonfly,
}


def _routed(cluster: Element, parse: Callable[[str, Sequence[str]], Routes]) -> _core.Network:
    """A cluster whose routes are followed one by one."""
    hosts, listing = _hosts(cluster), Listing()
    _check_routes(cluster, hosts, ", of which every route would be listed")
    try:
        rule = parse(cluster.get("topo_parameters"), hosts)
    except ValueError as error:
        raise cluster.wrong(f"topo_parameters: {error}") from None
    rate_bps, delay_s = _link(cluster)
    for src in range(len(hosts)):
        for dst in range(len(hosts)):
            if src != dst:
                hops = rule.route(src, dst)
                listing.routes[src, dst] = [
                    listing.add(name, rate_bps * times, delay_s) for name, times in hops
                ]
    return listing.network(cluster.get("id"), hosts, cluster.origin)


def _generated(cluster: Element, name: str, values: dict[str, str]) -> _core.Network:
    rate_bps, delay_s = _link(cluster)
    links = {
        "rate": f"{rate_bps:.0f} b/s",
        "delay": f"{delay_s * 1e9:.0f} ns",
        "framing": "bare",
    }
    hosts = _hosts(cluster)
    try:
        network = _core.Network.generated(name, links | values, 1.0)
    except ValueError as error:
        raise cluster.wrong(str(error)) from None
    assert network is not None
    if len(network.hosts()) != len(hosts):
        made = len(network.hosts())
        raise cluster.wrong(f"topo_parameters make {made} hosts, radical {len(hosts)}")
    return network


def _link(cluster: Element) -> tuple[float, float]:
    return cluster.quantity("bw", BITS), cluster.quantity("lat", SECONDS, "0")


def _check_routes(cluster: Element, hosts: list[str], why: str) -> None:
    if len(hosts) ** 2 > _MOST_ROUTES:
        raise cluster.wrong(f"{len(hosts)} hosts{why}")


def _hosts(cluster: Element) -> list[str]:
    prefix, suffix = (cluster.attributes.get(name, "") for name in ("prefix", "suffix"))
    return [f"{prefix}{number}{suffix}" for number in _radical(cluster)]


def _radical(cluster: Element) -> list[int]:
    found: list[int] = []
    for part in cluster.get("radical").split(","):
        first, _, last = part.partition("-")
        if not first.strip().isdecimal() or (last and not last.strip().isdecimal()):
            raise cluster.wrong(f"radical {part!r} is not a range such as 0-15")
        end = int(last or first)
        if end - int(first) >= _MOST_HOSTS:
            raise cluster.wrong(f"radical {part!r}: more hosts than can be simulated")
        found += range(int(first), end + 1)
    return found
