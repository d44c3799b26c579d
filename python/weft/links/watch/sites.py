"""sites.toml: which sites are watched, from where, over which networks, and how often."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from weft.base import quantity
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml, read_text
from weft.links.analysis.local_time import USUAL, zone_of
from weft.links.watch.alerts.settings import AlertSettings, parse_alerts
from weft.links.watch.store.thinning import LONGEST_TO_S
from weft.measure.testbed.hosts.checked_table import CheckedTable, Document
from weft.runs.probes import AGENT_KINDS

LONG = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0, "y": 365.25 * 86400}
RATES = {"kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}
SIZES = {"B": 1, "kB": 1000, "MB": 1_000_000}
PART = {"": 1.0, "%": 0.01}

USUAL_PORT = 9770
LARGEST_BYTES = 60_000
_FRAME_BYTES = 1500
_HEADERS_BYTES = 58
"""Ethernet, IP and the longest of ICMP, UDP and TCP without options: what each frame of a probe costs besides."""


@dataclass(frozen=True)
class Settings:
    """How links are probed. `budget` is a share of the link's rate, in each direction."""

    interval_s: float = 1.0
    budget: float = 0.002
    timeout_s: float = 2.0
    rate_bits_s: float = 100e6
    sizes: tuple[int, ...] = (8, 20_000)
    kinds: tuple[str, ...] = AGENT_KINDS
    port: int = USUAL_PORT
    keep_bytes: int = 64_000_000
    retain_s: float | None = None
    thin_after_s: float | None = None
    thin_to_s: float = 60.0

    def link_interval_s(self, rate_bits_s: float) -> float:
        """The least time from one probe of a link to the next that keeps to the budget."""
        mean = sum(map(wire_bytes, self.sizes)) / len(self.sizes)
        return max(self.interval_s, mean * 8 / (self.budget * rate_bits_s))


@dataclass(frozen=True)
class SiteEntry:
    """A site: `on` is a testbed of which one node is it, "" where there is no agent and it is only probed. `timezone`
    is "" where it is not said."""

    name: str
    on: str
    networks: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    timezone: str = ""


@dataclass(frozen=True)
class LinkEntry:
    """A direction that is probed; `turn` is 0 for the one and 1 for the other. Its hours are those of its source's
    `timezone`, else of its destination's."""

    src: str
    dst: str
    network: str
    interval_s: float
    turn: int
    timezone: str = USUAL


@dataclass(frozen=True)
class SitesFile:
    """All that sites.toml says."""

    text: str
    settings: Settings
    sites: tuple[SiteEntry, ...]
    links: tuple[LinkEntry, ...]
    alerts: AlertSettings

    def measuring(self) -> list[SiteEntry]:
        """Those that have an agent."""
        return [site for site in self.sites if site.on]

    def site(self, name: str) -> SiteEntry:
        """The site of that name."""
        return next(one for one in self.sites if one.name == name)


def wire_bytes(size_bytes: int) -> int:
    """What a probe takes of a link in one direction."""
    frames = -(-(size_bytes + 1) // (_FRAME_BYTES - 20))
    return size_bytes + frames * _HEADERS_BYTES


def read_sites(path: Path) -> SitesFile:
    """The file; raises RequestError that names file, line and key."""
    try:
        text = read_text(path, or_pipe=True)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    return parse_sites(text, str(path))


def parse_sites(text: str, name: str = "sites.toml") -> SitesFile:
    """The same of its text."""
    values = parse_toml(text, name)
    document = Document(name, text)
    top = CheckedTable(values, document, "", ["watch", "sites", "links", "alerts"])
    settings = _settings(
        _Table(_dict(values.get("watch", {}), name, "watch"), document, "watch."), name
    )
    sites = tuple(
        _site(_Table(_dict(one, name, "sites"), document, f"sites[{index}]."))
        for index, one in enumerate(_list(values.get("sites"), name, "sites"))
    )
    _check_names(sites, top)
    chosen = [
        _pair(_Table(_dict(one, name, "links"), document, f"links[{index}]."), sites, settings)
        for index, one in enumerate(_list(values.get("links", []), name, "links"))
    ]
    pairs = chosen or [
        (one.name, other.name, settings.link_interval_s(settings.rate_bits_s))
        for one, other in combinations(sites, 2)
    ]
    links = tuple(link for pair in pairs for link in _links(*pair, sites))
    if not links:
        raise RequestError(
            f"{name}: no link can be probed", 'at least one site needs `on = "ssh:NODE"`'
        )
    if len(links) > MOST_LINKS:
        raise RequestError(
            f"{name}: {len(links):,} links; a watch has at most {MOST_LINKS:,}",
            "name those that matter as [[links]], or watch in several folders",
        )
    alerts = parse_alerts(_dict(values.get("alerts", {}), name, "alerts"), document)
    return SitesFile(text, settings, sites, links, alerts)


MOST_LINKS = 1 << 15
"""Probes name theirs by a number of 16 bits."""
_KEYS = {
    "watch": "interval budget timeout rate sizes kinds port keep retain thin",
    "watch.thin": "after to",
    "sites": "name on address networks port timezone",
    "links": "between rate interval",
}


class _Table(CheckedTable):
    """A table with quantities."""

    def __init__(self, values: dict[str, object], document: Document, path: str) -> None:
        keys = _KEYS[re.sub(r"\[\d+\]", "", path).rstrip(".")]
        super().__init__(values, document, path, keys.split())

    def quantity(self, key: str, units: Mapping[str, float], default: float) -> float:
        """A number above 0 with a unit."""
        text = self.text(key)
        if text is None:
            return default
        value = quantity.parse(text, units)
        if value is None or value <= 0:
            units_said = ", ".join(unit or "no unit" for unit in units)
            raise self._wrong(key, f"must be a number above 0 with a unit: {units_said}")
        return value


def _settings(table: _Table, name: str) -> Settings:
    usual = Settings()
    sizes = [quantity.parse(text, SIZES) for text in table.texts("sizes")] or list(usual.sizes)
    if not all(size is not None and 0 <= size <= LARGEST_BYTES for size in sizes):
        raise table._wrong(
            "sizes", f'must be sizes up to {LARGEST_BYTES} B, such as ["8 B", "20 kB"]'
        )
    kinds = table.texts("kinds") or list(usual.kinds)
    if unknown := [kind for kind in kinds if kind not in AGENT_KINDS]:
        raise table._wrong("kinds", f"{unknown[0]} is none of {', '.join(AGENT_KINDS)}")
    retain_s = table.quantity("retain", LONG, 0.0) or None
    thin = _Table(
        _dict(table._values.get("thin", {}), name, "watch.thin"), table._document, "watch.thin."
    )
    after_s = thin.quantity("after", LONG, 0.0) or None
    _check_upkeep(table, thin, retain_s, after_s)
    return Settings(
        interval_s=table.quantity("interval", quantity.SECONDS, usual.interval_s),
        budget=table.quantity("budget", PART, usual.budget),
        timeout_s=table.quantity("timeout", quantity.SECONDS, usual.timeout_s),
        rate_bits_s=table.quantity("rate", RATES, usual.rate_bits_s),
        sizes=tuple(int(size or 0) for size in sizes),
        kinds=tuple(kinds),
        port=table.number("port", 1, 65_000) or usual.port,
        keep_bytes=int(table.quantity("keep", SIZES, usual.keep_bytes)),
        retain_s=retain_s,
        thin_after_s=after_s,
        thin_to_s=thin.quantity("to", quantity.SECONDS, usual.thin_to_s),
    )


def _check_upkeep(
    table: _Table, thin: _Table, retain_s: float | None, after_s: float | None
) -> None:
    """Days are removed and thinned whole, and only those that are over."""
    if retain_s is not None and retain_s < 86400:
        raise table._wrong("retain", "must be a day or more")
    if "thin" in table and after_s is None:
        raise table._wrong("thin", 'needs `after`, such as { after = "30 d", to = "1 min" }')
    if after_s is not None and after_s < 86400:
        raise thin._wrong("after", "must be a day or more")
    if after_s is not None and retain_s is not None and after_s >= retain_s:
        raise thin._wrong("after", "must be less than `retain`")
    if thin.quantity("to", quantity.SECONDS, 60.0) > LONGEST_TO_S:
        raise thin._wrong(
            "to", f"must be {LONGEST_TO_S:g} s or less, for the least of each quarter"
        )


def _site(table: _Table) -> SiteEntry:
    name = table.text("name") or ""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}", name):
        raise RequestError(f"{table.where('name')}: a site needs a name of letters, digits and -")
    networks = table._values.get("networks", {})
    if not isinstance(networks, dict) or not all(isinstance(one, str) for one in networks.values()):
        raise table._wrong("networks", 'must be addresses by name, such as { vpn = "10.8.0.1" }')
    address, on = table.text("address") or "", table.text("on") or ""
    if not on and not address:
        raise RequestError(f"{table.where('address')}: a site without `on` needs an address")
    port = table.number("port", 1, 65_535)
    return SiteEntry(name, on, {"": address} | networks, port, _timezone(table))


def _timezone(table: _Table) -> str:
    name = table.text("timezone") or ""
    try:
        return zone_of(name).key if name else ""
    except RequestError as error:
        raise table._wrong("timezone", f"is no time zone of the IANA, {error.hint}") from None


def _pair(
    table: _Table, sites: tuple[SiteEntry, ...], settings: Settings
) -> tuple[str, str, float]:
    between = table.texts("between")
    known = [site.name for site in sites]
    if len(set(between)) != 2 or not set(between) <= set(known):
        raise RequestError(f"{table.where('between')}: must be two of {', '.join(known)}")
    rate = table.quantity("rate", RATES, settings.rate_bits_s)
    least = table.quantity("interval", quantity.SECONDS, 0.0) if "interval" in table else 0.0
    return between[0], between[1], max(least, settings.link_interval_s(rate))


def _links(
    one: str, other: str, interval_s: float, sites: tuple[SiteEntry, ...]
) -> list[LinkEntry]:
    """Both directions, where their source has an agent, in each network that both are in."""
    by_name = {site.name: site for site in sites}
    zones = {site.name: site.timezone for site in sites}
    networks = [name for name in by_name[one].networks if name in by_name[other].networks]
    return [
        LinkEntry(src, dst, network, interval_s, turn, zones[src] or zones[dst] or USUAL)
        for network in networks
        for turn, (src, dst) in enumerate(((one, other), (other, one)))
        if by_name[src].on
    ]


def _check_names(sites: tuple[SiteEntry, ...], top: CheckedTable) -> None:
    names = [site.name for site in sites]
    if len(sites) < 2 or len(set(names)) < len(names):
        raise RequestError(
            f"{top.where('sites')}: must be two sites or more, each with its own name"
        )


def _dict(value: object, name: str, key: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise RequestError(f"{name}: {key} must be a table")
    return value


def _list(value: object, name: str, key: str) -> list[object]:
    if not isinstance(value, list):
        raise RequestError(f"{name}: it has no [[{key}]]", "docs/watch-links.md has an example")
    return value
