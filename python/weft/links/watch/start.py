"""From sites.toml to running agents: the configuration of each site, and how it is reached."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Mapping

import msgspec

from weft.base.errors import RequestError
from weft.links.watch.sites import LinkEntry, SiteEntry, SitesFile
from weft.links.watch.store.store import Site, SiteLink, WatchRecord
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.request import WatchConfig, WatchedLink
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.open import open_testbed

PORT_KINDS = ("tcp-connect",)
"""Kinds besides ICMP that can probe a site without agent, if it has a port."""


def new_record(sites: SitesFile) -> WatchRecord:
    """The initial contents of run.json."""
    record = WatchRecord(token=secrets.token_hex(32))
    update_record(record, sites)
    return record


def update_record(record: WatchRecord, sites: SitesFile) -> None:
    """Update run.json from sites.toml; links that were removed keep their numbers."""
    record.config = sites.text
    record.sites = [
        Site(name=one.name, on=one.on, networks=dict(one.networks)) for one in sites.sites
    ]
    record.active = [record.link(_stored(link)) for link in sites.links]


def _stored(link: LinkEntry) -> SiteLink:
    return SiteLink(
        src=link.src,
        dst=link.dst,
        network=link.network,
        interval_s=link.interval_s,
        timezone=link.timezone,
    )


def watch_id(record: WatchRecord) -> bytes:
    """The identifier of this watch in its probes."""
    return hashlib.sha256(record.token.encode()).digest()[:8]


def place_of(record: WatchRecord, site: str) -> str:
    """Name of a site's folder on its own machine."""
    return f"{watch_id(record).hex()}-{site}"


def config_of(
    site: str,
    sites: SitesFile,
    record: WatchRecord,
    ports: Mapping[str, int],
    addresses: Mapping[str, str],
) -> WatchConfig:
    """The configuration of a site; `ports` and `addresses` are those known so far. The serial changes with the
    contents."""
    settings = sites.settings
    links = tuple(
        _watched(link, record.link(_stored(link)), sites, ports, addresses)
        for link in sites.links
        if link.src == site
        and (link.network or sites.site(link.dst).networks[""] or addresses.get(link.dst))
    )
    config = WatchConfig(
        site=site,
        serial=0,
        token=record.token,
        id=tuple(watch_id(record)),
        port=settings.port,
        spool_bytes=int(settings.keep_bytes),
        links=links,
    )
    serial = zlib.crc32(msgspec.json.encode(config)) + 1
    return msgspec.structs.replace(config, serial=serial)


def _watched(
    link: LinkEntry,
    number: int,
    sites: SitesFile,
    ports: Mapping[str, int],
    addresses: Mapping[str, str],
) -> WatchedLink:
    peer, settings = sites.site(link.dst), sites.settings
    kinds: tuple[str, ...] = settings.kinds
    port: int | None = ports.get(peer.name, settings.port)
    if not peer.on:
        port = peer.port
        kinds = tuple(one for one in kinds if one == "icmp" or (port and one in PORT_KINDS))
    return WatchedLink(
        link=number,
        peer=peer.networks[link.network] or addresses[peer.name],
        port=port,
        usual_port=settings.port,
        kinds=kinds,
        sizes=tuple(settings.sizes),
        interval_ms=round(link.interval_s * 1000),
        timeout_ms=round(settings.timeout_s * 1000),
        turn=(link.turn, 2),
    )


class Places:
    """The testbeds of sites, each opened once."""

    def __init__(self) -> None:
        self._open: dict[str, Testbed] = {}

    async def agent(self, site: SiteEntry) -> tuple[Agent, str]:
        """Start an agent at a site; returns it and its address in the testbed. Raises AgentError, RequestError."""
        testbed, node = self._find(site)
        started = (await testbed.start_agents([node]))[node]
        if isinstance(started, AgentError):
            raise started
        return started, testbed.nodes[node].address

    def check(self, site: SiteEntry) -> None:
        """Raise RequestError if the testbed or node does not exist."""
        self._find(site)

    def _find(self, site: SiteEntry) -> tuple[Testbed, int]:
        """The testbed and node of a site: the named node of lab:FABRIC/NODE and vm:FABRIC/NODE, the first one of other
        testbeds."""
        spec, wanted = site.on, ""
        if spec.startswith(("lab:", "vm:")):
            spec, _, wanted = spec.partition("/")
        if spec not in self._open:
            self._open[spec] = open_testbed(spec)
        testbed = self._open[spec]
        names = [node.name for node in testbed.nodes]
        if wanted and wanted not in names:
            raise RequestError(f"{site.on}: no node {wanted}", f"its nodes: {', '.join(names)}")
        return testbed, names.index(wanted) if wanted else 0

    @property
    def warnings(self) -> list[str]:
        """Warnings about the testbeds opened so far, such as a lab's scale."""
        return [
            f"{spec}: {one.message}"
            for spec, testbed in self._open.items()
            for one in testbed.warnings
        ]

    def close(self) -> None:
        """Close the testbeds."""
        for testbed in self._open.values():
            testbed.close()
