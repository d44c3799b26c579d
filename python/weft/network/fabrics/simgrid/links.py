"""The links of a SimGrid platform by name, as constraints."""

from __future__ import annotations

from weft.network.fabrics.listing import FabricListing
from weft.network.fabrics.simgrid.xml import BITS, SECONDS, XmlElement

_POLICIES = {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"}
_DUPLEX = {"SPLITDUPLEX", "FULLDUPLEX"}
_PROFILES = ("bandwidth_file", "latency_file", "state_file")


class PlatformLinks:
    """All links declared so far, in any zone: names are unique in a platform."""

    def __init__(self, listing: FabricListing) -> None:
        self._listing = listing
        self._plain: dict[str, int] = {}
        self._duplex: dict[str, tuple[int, int]] = {}

    def declare(self, link: XmlElement) -> None:
        """Add a <link> or <backbone>. Each direction of a duplex link is a link too, with suffix _UP or _DOWN."""
        name = link.get("id")
        policy = link.attributes.get("sharing_policy", "SHARED")
        if policy not in _POLICIES:
            raise link.wrong(
                f'sharing_policy="{policy}": only SHARED, SPLITDUPLEX and FATPIPE are supported'
            )
        for profile in _PROFILES:
            if link.attributes.get(profile):
                raise link.wrong(f"{profile}: links that change over time are not supported")
        rate_bps = link.quantity("bandwidth", BITS)
        delay_s = link.quantity("latency", SECONDS, "0")
        if policy in _DUPLEX:
            up = self._listing.add(f"{name} up", rate_bps, delay_s)
            down = self._listing.add(f"{name} down", rate_bps, delay_s)
            self._duplex[name] = up, down
            parts = {f"{name}_UP": up, f"{name}_DOWN": down}
        else:
            parts = {name: self._listing.add(name, rate_bps, delay_s, policy == "SHARED")}
        for part in parts:
            if part in self._plain:
                raise link.wrong(f"a second link {part!r}")
        self._plain |= parts

    def crossed(self, part: XmlElement) -> tuple[int, int]:
        """The constraints that a <link_ctn> of a route crosses, forward and reverse; raises RequestError."""
        name, direction = part.get("id"), part.attributes.get("direction", "NONE")
        if part.name != "link_ctn" or not (name in self._plain or name in self._duplex):
            raise part.wrong(f"no link {name!r} before this route")
        if direction not in ("UP", "DOWN", "NONE"):
            raise part.wrong(f'direction="{direction}": must be UP or DOWN')
        if name in self._plain:
            return self._plain[name], self._plain[name]
        if direction == "NONE":
            raise part.wrong(f"the SPLITDUPLEX link {name!r} needs a direction, UP or DOWN")
        up, down = self._duplex[name]
        return (up, down) if direction == "UP" else (down, up)

    def named(self, element: XmlElement, attribute: str) -> int:
        """The link that an attribute names; raises RequestError if there is none."""
        name = element.get(attribute)
        if name not in self._plain:
            raise element.wrong(f"no link {name!r} in this platform")
        return self._plain[name]
