"""sites.toml: which sites are watched, from where, over which networks, and how often."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Self

from msgspec import Meta, field

from weft.base.amount import BitsPerSecond, ByteCount, Part, Seconds
from weft.base.errors import RequestError
from weft.base.files.text_file import read_text
from weft.base.toml_file import TomlFile, TomlTable, Word, WordList, WrongKey
from weft.links.analysis.local_time import USUAL, zone_of
from weft.links.watch.alerts.settings import AlertSettings
from weft.links.watch.store.thinning import LONGEST_TO_S
from weft.runs.probes import AGENT_KINDS

USUAL_PORT = 9770
LARGEST_BYTES = 60_000
USUAL_SIZES = (8, 20_000)
_FRAME_BYTES = 1500
_HEADERS_BYTES = 58
"""Ethernet, IP and the longest of ICMP, UDP and TCP without options: what each frame of a probe costs besides."""


class _ProbeSize(ByteCount):
    from_zero = True
    most = LARGEST_BYTES


class _Sizes(tuple[int, ...]):
    @classmethod
    def read(cls, value: object) -> Self:
        try:
            return cls(int(_ProbeSize.read(text)) for text in WordList.read(value)) or cls(
                USUAL_SIZES
            )
        except ValueError:
            raise ValueError(
                f'must be sizes up to {LARGEST_BYTES} B, such as ["8 B", "20 kB"]'
            ) from None


class _Kinds(WordList):
    @classmethod
    def read(cls, value: object) -> Self:
        return super().read(value).of(AGENT_KINDS) or cls(AGENT_KINDS)


class _Days(Seconds):
    @classmethod
    def read(cls, value: object) -> Self:
        found = super().read(value)
        if found < 86_400:
            raise ValueError("must be a day or more")
        return found


class _ThinTo(Seconds):
    @classmethod
    def read(cls, value: object) -> Self:
        found = super().read(value)
        if found > LONGEST_TO_S:
            raise ValueError(f"must be {LONGEST_TO_S:g} s or less, for the least of each quarter")
        return found


class Thinning(TomlTable, frozen=True):
    """Of days that are over since `after_s`, one probe stays for each `to_s`."""

    after_s: _Days | None = field(name="after", default=None)
    to_s: _ThinTo = field(name="to", default=_ThinTo(60.0))


class Settings(TomlTable, frozen=True):
    """How links are probed. `budget` is a share of the link's rate, in each direction. Days are removed and thinned
    whole."""

    interval_s: Seconds = field(name="interval", default=Seconds(1.0))
    budget: Part = Part(0.002)
    timeout_s: Seconds = field(name="timeout", default=Seconds(2.0))
    rate_bits_s: BitsPerSecond = field(name="rate", default=BitsPerSecond(100e6))
    sizes: _Sizes = _Sizes(USUAL_SIZES)
    kinds: _Kinds = _Kinds(AGENT_KINDS)
    port: Annotated[int, Meta(ge=1, le=65_000)] = USUAL_PORT
    keep_bytes: ByteCount = field(name="keep", default=ByteCount(64_000_000))
    retain_s: _Days | None = field(name="retain", default=None)
    thin: Thinning | None = None

    def __post_init__(self) -> None:
        if self.thin is None:
            return
        if self.thin.after_s is None:
            raise WrongKey("thin", 'needs `after`, such as { after = "30 d", to = "1 min" }')
        if self.retain_s is not None and self.thin.after_s >= self.retain_s:
            raise WrongKey("thin.after", "must be less than `retain`")

    def link_interval_s(self, rate_bits_s: float) -> float:
        """The least time from one probe of a link to the next that keeps to the budget."""
        mean = sum(map(wire_bytes, self.sizes)) / len(self.sizes)
        return max(float(self.interval_s), mean * 8 / (self.budget * rate_bits_s))


class SiteEntry(TomlTable, frozen=True):
    """A site: `on` is a testbed of which one node is it, "" where there is no agent and it is only probed. `timezone`
    is "" where it is not said."""

    name: Word
    on: Word = ""
    address: Word = ""
    others: dict[str, str] = field(name="networks", default_factory=dict)
    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None
    timezone: Word = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}", self.name):
            raise WrongKey("name", "a site needs a name of letters, digits and -")
        if not self.on and not self.address:
            raise WrongKey("address", "a site without `on` needs an address")
        try:
            zone_of(self.timezone or USUAL)
        except RequestError as error:
            raise WrongKey("timezone", f"is no time zone of the IANA, {error.hint}") from None

    @property
    def networks(self) -> Mapping[str, str]:
        """Its addresses; "" is the network without a name."""
        return {"": self.address} | self.others


class _Pair(TomlTable, frozen=True):
    between: WordList
    rate_bits_s: BitsPerSecond | None = field(name="rate", default=None)
    interval_s: Seconds = field(name="interval", default=Seconds(0.0))


class _Document(TomlTable, frozen=True):
    watch: Settings = Settings()
    sites: tuple[SiteEntry, ...] = ()
    links: tuple[_Pair, ...] = ()
    alerts: AlertSettings = AlertSettings()

    def __post_init__(self) -> None:
        names = [site.name for site in self.sites]
        if len(names) < 2 or len(set(names)) < len(names):
            raise WrongKey("sites", "must be two sites or more, each with its own name")
        for index, link in enumerate(self.links):
            if len(set(link.between)) != 2 or not set(link.between) <= set(names):
                raise WrongKey(f"links[{index}].between", f"must be two of {', '.join(names)}")

    def pairs(self) -> list[tuple[str, str, float]]:
        """The sites of each, and the interval in seconds; without [[links]] all that there are."""
        every_s = self.watch.link_interval_s
        usual = self.watch.rate_bits_s
        chosen = [
            (*one.between, max(float(one.interval_s), every_s(one.rate_bits_s or usual)))
            for one in self.links
        ]
        return chosen or [
            (one.name, other.name, every_s(usual)) for one, other in combinations(self.sites, 2)
        ]


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
    found = TomlFile(text, name, "docs/watch-links.md has an example").decode(_Document)
    links = tuple(link for pair in found.pairs() for link in _links(*pair, found.sites))
    if not links:
        raise RequestError(
            f"{name}: no link can be probed", 'at least one site needs `on = "ssh:NODE"`'
        )
    if len(links) > MOST_LINKS:
        raise RequestError(
            f"{name}: {len(links):,} links; a watch has at most {MOST_LINKS:,}",
            "name those that matter as [[links]], or watch in several folders",
        )
    return SitesFile(text, found.watch, found.sites, links, found.alerts)


MOST_LINKS = 1 << 15
"""Probes name theirs by a number of 16 bits."""


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
