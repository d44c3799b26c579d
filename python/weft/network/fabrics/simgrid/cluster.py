"""SimGrid clusters: a crossbar, or one of its topologies; alone or in a zone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from weft import _core
from weft.network.fabrics.listing import FabricListing
from weft.network.fabrics.simgrid.routes import ClusterRoutes, Dragonfly, FatTree, GeneratedCluster
from weft.network.fabrics.simgrid.star import Star
from weft.network.fabrics.simgrid.xml import BITS, SECONDS, XmlElement, hosts_of_radical
from weft.network.fabrics.simgrid.zones import Stretch, Zone

_POLICIES = {
    "sharing_policy": ["SPLITDUPLEX", "SHARED", "FATPIPE", "FULLDUPLEX"],
    "bb_sharing_policy": ["SHARED", "FATPIPE"],
}
"""The accepted values of these attributes; the first is the default."""
_TOPOLOGIES = ("FLAT", "FAT_TREE", "TORUS", "DRAGONFLY")


class SimGridCluster:
    """A <cluster>; raises RequestError that names its line if it is not supported."""

    def __init__(self, element: XmlElement) -> None:
        self._element = element
        for name, known in _POLICIES.items():
            policy = element.attributes.get(name, known[0])
            if policy not in known:
                raise element.wrong(f'{name}="{policy}": only {" and ".join(known[:3])} here')
        self._topology = element.attributes.get("topology", "FLAT")
        if self._topology not in _TOPOLOGIES:
            raise element.wrong(
                f'topology="{self._topology}": only {", ".join(_TOPOLOGIES)} are supported'
            )
        if self._topology != "FLAT":
            self._check_plain()

    @property
    def name(self) -> str:
        return self._element.get("id")

    @cached_property
    def hosts(self) -> list[str]:
        return hosts_of_radical(self._element)

    @property
    def router(self) -> str | None:
        """The router through which outside routes enter; in SimGrid, only clusters without topology have one."""
        if self._topology != "FLAT":
            return None
        prefix, suffix = (self._element.attributes.get(name, "") for name in ("prefix", "suffix"))
        return self._element.attributes.get("router_id") or f"{prefix}{self.name}_router{suffix}"

    def generated(self) -> _core.Network | None:
        """The network if a generator has the same routes, which supports any number of hosts; else None."""
        shape = self._element.attributes.get("topo_parameters", "")
        if self._topology == "TORUS":
            return self._generate("torus", {"dims": shape.replace(",", "x")})
        if self._topology == "FAT_TREE":
            _, down, up, cables = (part.strip() for part in (shape + ";;;").split(";")[:4])
            if not set(cables.replace(",", "")) - {"1"}:
                values = {"down": down.replace(",", "x"), "up": up.replace(",", "x")}
                return self._generate("xgft", values)
        return None

    def zone(self, listing: FabricListing, label: str) -> Zone:
        """The cluster as a zone, with its constraints added to a listing; names of those of all hosts together start
        with a label."""
        if self._topology == "FLAT":
            return self._star(listing, label)
        shape = self._element.get("topo_parameters")
        try:
            rule: ClusterRoutes
            if self._topology == "FAT_TREE":
                rule = FatTree.parse(shape, self.hosts)
            elif self._topology == "DRAGONFLY":
                rule = Dragonfly.parse(shape, self.hosts)
            else:
                rule = GeneratedCluster(self._generate("torus", {"dims": shape.replace(",", "x")}))
        except ValueError as error:
            raise self._element.wrong(f"topo_parameters: {error}") from None
        places = {host: at for at, host in enumerate(self.hosts)}
        return _Ruled(places, rule, listing, label, self._link())

    def _check_plain(self) -> None:
        """Refuse attributes that only clusters without topology may have here."""
        if self._element.attributes.get("limiter_link"):
            raise self._element.wrong(f"limiter_link with {self._topology} is not supported")
        policy = self._element.attributes.get("sharing_policy", "SPLITDUPLEX")
        if policy not in ("SPLITDUPLEX", "FULLDUPLEX"):
            only = 'only "SPLITDUPLEX" is supported with'
            raise self._element.wrong(f"sharing_policy: {only} {self._topology}")

    def _star(self, listing: FabricListing, label: str) -> Star:
        """All hosts at one switch, optionally with a backbone that everything crosses, and limits of single hosts."""
        star = Star()
        backbone = self._backbone(listing, label)
        for host in self.hosts:
            up, down = self._host_links(listing, host)
            limiter = self._limiter(listing, host)
            star.add(host, [*limiter, up, *backbone], [*backbone, down, *limiter])
        if self.router:
            star.add(self.router)
        return star

    def _backbone(self, listing: FabricListing, label: str) -> list[int]:
        if not self._element.attributes.get("bb_bw"):
            if self._element.attributes.get("bb_lat"):
                raise self._element.wrong("bb_lat without bb_bw")
            return []
        rate_bps = self._element.quantity("bb_bw", BITS)
        delay_s = self._element.quantity("bb_lat", SECONDS, "0")
        is_shared = self._element.attributes.get("bb_sharing_policy") != "FATPIPE"
        return [listing.add(f"{label}backbone", rate_bps, delay_s, is_shared)]

    def _host_links(self, listing: FabricListing, host: str) -> tuple[int, int]:
        """The constraints of a host's outgoing and incoming traffic; equal if one link carries both.

        Such a link is shared even if it is declared as FATPIPE: SimGrid 3.32 makes no difference here.
        """
        policy = self._element.attributes.get("sharing_policy", "SPLITDUPLEX")
        if policy in ("SPLITDUPLEX", "FULLDUPLEX"):
            out, into = (listing.add(f"{host} {way}", *self._link()) for way in ("out", "in"))
            return out, into
        both = listing.add(f"{host} link", *self._link())
        return both, both

    def _limiter(self, listing: FabricListing, host: str) -> list[int]:
        """The constraint on the sum of a host's traffic, if there is one."""
        if not self._element.attributes.get("limiter_link"):
            return []
        rate_bps = self._element.quantity("limiter_link", BITS)
        return [listing.add(f"{host} limiter", rate_bps, 0.0)]

    def _generate(self, name: str, values: dict[str, str]) -> _core.Network:
        rate_bps, delay_s = self._link()
        links = {
            "rate": f"{rate_bps:.0f} b/s",
            "delay": f"{delay_s * 1e9:.0f} ns",
            "framing": "bare",
        }
        try:
            network = _core.Network.generated(name, links | values, 1.0, self.hosts)
        except _core.RefusedError as error:
            raise self._element.wrong(error.message) from None
        assert network is not None
        made, told = len(network.hosts()), len(self.hosts)
        if made != told:
            raise self._element.wrong(f"topo_parameters make {made} hosts, radical {told}")
        return network

    def _link(self) -> tuple[float, float]:
        return self._element.quantity("bw", BITS), self._element.quantity("lat", SECONDS, "0")


@dataclass(frozen=True)
class _Ruled:
    """A cluster with computed routes, hop by hop; `link` is the rate and delay of a cable."""

    places: dict[str, int]
    rule: ClusterRoutes
    listing: FabricListing
    label: str
    link: tuple[float, float]

    def stretch(self, src: str, dst: str) -> Stretch | None:
        hops = self.rule.route(self.places[src], self.places[dst])
        rate_bps, delay_s = self.link
        add = self.listing.add
        links = [add(self.label + name, rate_bps * cables, delay_s) for name, cables in hops]
        return Stretch(tuple(links), src, dst)
