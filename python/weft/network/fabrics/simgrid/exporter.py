"""Export a network as a SimGrid platform, version 4.1: one link a constraint, one route a pair of hosts."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from weft.base.errors import RequestError
from weft.network.fabrics.describe import Description
from weft.network.fabrics.losses import refuse_losses

MOST_HOSTS = 256
"""With more hosts, there would be too many routes to list."""
_UNLIMITED_BPS = 1e18
_HOST_SPEED = "1Gf"


def to_simgrid(description: Description) -> str:
    """The text of the platform; raises RequestError if the network is too large.

    Bandwidths are net of frame overhead, so that SimGrid's plain model (network/model:CM02, network/crosstraffic:0,
    network/TCP-gamma:0) shares them as `sim:` does.
    """
    count = len(description.hosts)
    if count > MOST_HOSTS:
        raise RequestError(
            f"{description.network.name} has {count} hosts: too many for a route for each pair",
            f"at most {MOST_HOSTS} can be exported",
        )
    if contended := description.network.contended():
        raise RequestError(
            f"the capacity of {contended[0]!r} depends on how many ports contend, which SimGrid cannot say",
            "give it one capacity",
        )
    refuse_losses(description.network.name, description.losses, "SimGrid cannot say")
    return "\n".join(_lines(description)) + "\n"


def _lines(description: Description) -> Iterator[str]:
    network, hosts = description.network, description.hosts
    share = 1 / network.expansion(0, len(hosts) - 1)
    yield "<?xml version='1.0'?>"
    yield '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    yield '<platform version="4.1">'
    yield f'  <zone id={quoteattr(network.name)} routing="Full">'
    for host in hosts:
        yield f'    <host id={quoteattr(host)} speed="{_HOST_SPEED}"/>'
    unshared = set(network.unshared())
    for at, hop in enumerate(description.hops()):
        policy = "FATPIPE" if at in unshared else "SHARED"
        rate_bps = _UNLIMITED_BPS if hop.mbps is None else hop.mbps * 1e6 * share
        yield (
            f'    <link id={quoteattr(hop.name)} bandwidth="{rate_bps!r}bps" '
            f'latency="{hop.delay_us!r}us" sharing_policy="{policy}"/>'
        )
    for src in range(len(hosts)):
        for dst in range(len(hosts)):
            yield from _route(description, src, dst)
    yield "  </zone>"
    yield "</platform>"


def _route(description: Description, src: int, dst: int) -> Iterator[str]:
    found = description.network.way(src, dst, 0) if src != dst else None
    if found is None:
        return
    ends = f"src={quoteattr(description.hosts[src])} dst={quoteattr(description.hosts[dst])}"
    links = "".join(f"<link_ctn id={quoteattr(description.constraints[i])}/>" for i in found[0])
    yield f'    <route {ends} symmetrical="NO">{links}</route>'
