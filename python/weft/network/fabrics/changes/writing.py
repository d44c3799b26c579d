"""Write a fabric's wiring as tables of its file, with equal parts in one entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from msgspec.structs import replace

from weft.base.nodeset import fold_in_order
from weft.network.fabrics.amounts import RATES, SHARES, TIMES, written
from weft.network.fabrics.changes.wiring import (
    DEFAULT_MTU_BYTES,
    DEFAULT_QUEUE_FRAMES,
    Cable,
    CableDirection,
    Detour,
    FabricWiring,
    WiredSwitch,
)
from weft.network.fabrics.document import FabricDocument

Entry = dict[str, object]
_WIRED = ("hosts", "switches", "links", "attachments", "overrides", "paths")


def rewired(document: FabricDocument, wiring: FabricWiring) -> FabricDocument:
    """The document with other nodes and cables; raises RequestError if these are no valid fabric."""
    kept = {key: value for key, value in document.table.items() if key not in _WIRED}
    return document.with_table(
        kept | {key: value for key, value in _tables(wiring).items() if value}
    )


def _tables(wiring: FabricWiring) -> dict[str, list[Entry]]:
    own = wiring.ports_of_hosts()
    usual = _usual(own)
    bases = [usual[one.ends[1], one.network] if _can_override(one, usual) else one for one in own]
    placed = [
        replace(base, ends=one.ends, network=one.network, dead=False)
        for one, base in zip(own, bases, strict=True)
    ]
    hosts = [one for one in placed if one.network == 0]
    return {
        "hosts": list(_attached(hosts, "ids")) or [{"ids": fold_in_order(wiring.hosts)}],
        "switches": list(_switches(wiring.switches)),
        "links": list(_links(wiring.trunks())),
        "attachments": list(_attached([one for one in placed if one.network > 0], "hosts")),
        "overrides": list(_overrides(own, placed)),
        "paths": [_path(one) for one in wiring.paths],
    }


def _usual(own: list[Cable]) -> dict[tuple[str, int], Cable]:
    """The most common cable of hosts, by switch and network."""
    by_switch: dict[tuple[str, int], Counter[Cable]] = {}
    for one in own:
        by_switch.setdefault((one.ends[1], one.network), Counter())[one.alike()] += 1
    return {place: counts.most_common(1)[0][0] for place, counts in by_switch.items()}


def _can_override(cable: Cable, usual: Mapping[tuple[str, int], Cable]) -> bool:
    """Whether an override of the usual cable can express it: overrides can set limits, but not remove them."""
    base = usual[cable.ends[1], cable.network]
    if cable.inside != base.inside:
        return False
    return all(
        _says_more(way, other)
        for way, other in ((cable.forward, base.forward), (cable.backward, base.backward))
    )


def _says_more(way: CableDirection, base: CableDirection) -> bool:
    lifted = (way.rate_bits_per_s is None) > (base.rate_bits_per_s is None)
    # The file has one key of these for both directions.
    same = (way.drops_above_bytes, way.loss_ppm) == (base.drops_above_bytes, base.loss_ppm)
    return same and not lifted


def _attached(cables: Iterable[Cable], key: str) -> Iterator[Entry]:
    """Entries of successive hosts at the same switch with the same cable."""

    def place(cable: Cable) -> tuple[int, str, Cable]:
        return cable.network, cable.ends[1], cable.alike()

    for (_, switch, link), run in groupby(cables, key=place):
        ids = fold_in_order([cable.ends[0] for cable in run])
        keys = _keys(link)
        yield {key: ids, "attach": switch} | ({"link": keys} if keys else {})


def _overrides(own: list[Cable], placed: list[Cable]) -> Iterator[Entry]:
    """The differences of single hosts' cables, and which of them are dead."""
    alike: dict[tuple[int, Cable, Cable], list[str]] = {}
    for cable, base in zip(own, placed, strict=True):
        if cable.alike() != base.alike():
            kinds = (cable.network, cable.alike(), base.alike())
            alike.setdefault(kinds, []).append(cable.ends[0])
    for (network, cable, base), hosts in alike.items():
        yield _override(network, hosts) | {"link": _differences(cable, base)}
    for network in dict.fromkeys(one.network for one in own if one.dead):
        dead = [one.ends[0] for one in own if one.dead and one.network == network]
        yield _override(network, dead) | {"dead": True}


def _override(network: int, hosts: list[str]) -> Entry:
    return {"ids": fold_in_order(hosts)} | ({"network": network + 1} if network else {})


def _switches(switches: Iterable[WiredSwitch]) -> Iterator[Entry]:
    for alike, run in groupby(switches, key=lambda one: replace(one, name="")):
        entry: Entry = {"ids": fold_in_order([one.name for one in run])}
        if alike.ports is not None:
            entry["ports"] = alike.ports
        if alike.capacity_by_ports:
            entry["capacity"] = {
                str(ports): written(rate, RATES) for ports, rate in alike.capacity_by_ports
            }
        elif alike.capacity_bits_per_s is not None:
            entry["capacity"] = written(alike.capacity_bits_per_s, RATES)
        if alike.queue_frames != DEFAULT_QUEUE_FRAMES:
            entry["queue_frames"] = alike.queue_frames
        yield entry


def _links(trunks: Iterable[Cable]) -> Iterator[Entry]:
    """Equal links to the same node are one entry; parallel ones are two."""
    for run in _runs(trunks, lambda one: (one.ends[1], one.alike())):
        lower = fold_in_order([cable.ends[0] for cable in run])
        inside: Entry = {"inside": True} if run[0].inside else {}
        yield {"between": [lower, run[0].ends[1]]} | _keys(run[0]) | inside


def _runs(cables: Iterable[Cable], key: Callable[[Cable], object]) -> Iterator[list[Cable]]:
    """Successive cables with the same key, none of which start at the same node."""
    run: list[Cable] = []
    for cable in cables:
        known = {one.ends[0] for one in run}
        if run and (key(cable) != key(run[0]) or cable.ends[0] in known):
            yield run
            run = []
        run.append(cable)
    if run:
        yield run


def _path(path: Detour) -> Entry:
    entry: Entry = {"from": path.from_, "to": path.to}
    if path.lane.rate_bits_per_s is not None:
        entry["rate"] = written(path.lane.rate_bits_per_s, RATES)
    if path.lane.delay_ns:
        entry["delay"] = written(path.lane.delay_ns, TIMES)
    entry |= _losses(path.lane)
    if path.queue_frames != DEFAULT_QUEUE_FRAMES:
        entry["queue_frames"] = path.queue_frames
    return entry | ({"network": path.network + 1} if path.network else {})


def _keys(cable: Cable) -> Entry:
    """The keys of a cable's limits."""
    entry = _rates(cable)
    if cable.forward.delay_ns or cable.backward.delay_ns:
        entry |= _delays(cable)
    if cable.mtu_bytes != DEFAULT_MTU_BYTES:
        entry["mtu_bytes"] = cable.mtu_bytes
    if cable.queue_frames != DEFAULT_QUEUE_FRAMES:
        entry["queue_frames"] = cable.queue_frames
    return entry | _losses(cable.forward)


def _differences(cable: Cable, base: Cable) -> Entry:
    """The keys of an override; if one direction of a key differs, both are written, as one alone would hold for
    both."""
    sizes = [
        {key: getattr(one, key) for key in ("mtu_bytes", "queue_frames")} for one in (cable, base)
    ]
    parts = [(_rates(cable), _rates(base)), (_delays(cable), _delays(base))]
    changed: Entry = {key: size for key, size in sizes[0].items() if size != sizes[1][key]}
    for mine, other in parts:
        changed |= mine if mine != other else {}
    return changed


def _rates(cable: Cable) -> Entry:
    there, back = cable.forward.rate_bits_per_s, cable.backward.rate_bits_per_s
    rates = {"rate": there, "rate_back": back if back != there else None}
    if there is not None and back is None:
        # Without it, the rate would hold for both directions; no network is faster than this.
        rates["rate_back"] = 10**14
    return {key: written(rate, RATES) for key, rate in rates.items() if rate is not None}


def _delays(cable: Cable) -> Entry:
    there, back = cable.forward.delay_ns, cable.backward.delay_ns
    entry: Entry = {"delay": written(there, TIMES)}
    return entry | ({"delay_back": written(back, TIMES)} if back != there else {})


def _losses(way: CableDirection) -> Entry:
    """The keys for losses; both directions are equal, as the file cannot express anything else."""
    entry: Entry = {}
    if way.loss_ppm:
        entry["loss"] = written(way.loss_ppm, SHARES)
    if way.drops_above_bytes is not None:
        entry["drops_above_bytes"] = way.drops_above_bytes
    return entry
