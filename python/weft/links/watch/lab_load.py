"""Load of probes on labs that a watch builds: far below what the cables carry, so no lab needs a scale."""

from __future__ import annotations

from collections.abc import Iterator

from weft.base.quantity import format_mbps
from weft.links.watch.sites import SitesFile, wire_bytes
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.lab_scale.settle import fabric_to_build, surely_carried_mbps


def overloads(sites: SitesFile) -> Iterator[str]:
    """Messages for labs whose probes this machine may not carry; fewer probes help, a smaller scale does not."""
    for spec, names in _sites_of_labs(sites).items():
        probes_mbps = _probes_mbps(sites, names)
        carried_mbps = surely_carried_mbps(OfferedLoad(tuple(range(len(names)))))
        if probes_mbps > carried_mbps:
            yield (
                f"{spec}: the probes of its links send {format_mbps(probes_mbps)}, and this machine surely carries "
                f"{format_mbps(carried_mbps)} of a lab: what they find may be this machine's. A longer `interval` or a "
                "smaller `budget` sends fewer"
            )


def _sites_of_labs(sites: SitesFile) -> dict[str, set[str]]:
    """Names of sites by the lab that is built for them."""
    found: dict[str, set[str]] = {}
    for site in sites.measuring():
        spec = site.on.partition("/")[0]
        if site.on.startswith("lab:") and fabric_to_build(spec):
            found.setdefault(spec, set()).add(site.name)
    return found


def _probes_mbps(sites: SitesFile, names: set[str]) -> float:
    """Rate of probes and their answers."""
    sizes = sites.settings.sizes
    bits = 2 * 8 * sum(map(wire_bytes, sizes)) / len(sizes)
    return sum(bits / link.interval_s for link in sites.links if link.src in names) / 1e6
