"""Resolve the nodes and cables that a change names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from weft import _core
from weft.base.catalog import did_you_mean
from weft.base.errors import RequestError
from weft.base.nodeset import fold_names
from weft.network.fabrics.changes.wiring import Cable, FabricWiring


def nodes_of(text: str) -> list[str]:
    """The names of a node set, as parsed in fabric files; raises RequestError."""
    entry = json.dumps(text, ensure_ascii=False)
    try:
        resolved = _core.load_fabric(f'name = "x"\n[[hosts]]\nids = {entry}\n', "", 1.0)
    except _core.RefusedError:
        raise RequestError(
            f"{text!r} is not a set of nodes", "write for example n7 or n[1-4]"
        ) from None
    return [host["name"] for host in json.loads(resolved)["hosts"]]


def hosts_named(wiring: FabricWiring, text: str) -> list[str]:
    """The hosts of a set; raises RequestError that names an unknown one."""
    return _known(nodes_of(text), wiring.hosts, "host")


def switches_named(wiring: FabricWiring, text: str) -> list[str]:
    """The switches of a set; raises RequestError that names an unknown one."""
    return _known(nodes_of(text), [one.name for one in wiring.switches], "switch")


def trunks_named(wiring: FabricWiring, text: str) -> list[Cable]:
    """The links that END or END-END means: for switches those to other switches, for hosts their own. With two ends,
    cables are directed from the first. Raises RequestError if there are none."""
    all_nodes = {*wiring.hosts, *(one.name for one in wiring.switches)}
    alone = _expanded(text)
    if alone is not None and all_nodes.issuperset(alone):
        return _of_ends(wiring, alone, text)
    for left, right in _splits(text):
        if all_nodes.issuperset(left) and all_nodes.issuperset(right):
            return _between(wiring, left, right, text)
    raise RequestError(f"links.{text}: there is no such link", _links_hint(wiring, text))


def _of_ends(wiring: FabricWiring, names: Sequence[str], text: str) -> list[Cable]:
    ends, hosts = set(names), set(wiring.hosts)
    pool = wiring.ports_of_hosts() if ends & hosts else []
    found = [one for one in (*pool, *wiring.trunks()) if ends.intersection(one.ends)]
    if not found:
        hint = f"its hosts' cables are hosts.NAME; {_links_hint(wiring, text)}"
        raise RequestError(f"links.{text}: it has no link to another switch", hint)
    return found


def _between(
    wiring: FabricWiring, left: Sequence[str], right: Sequence[str], text: str
) -> list[Cable]:
    first, second = set(left), set(right)
    both = [one for cable in wiring.cables for one in (cable, cable.turned())]
    found = [one for one in both if one.ends[0] in first and one.ends[1] in second]
    if not found:
        raise RequestError(f"links.{text}: nothing joins the two", _links_hint(wiring, text))
    return found


def _splits(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """All ways to read a text as END-END, since names contain hyphens."""
    for at in (at for at, letter in enumerate(text) if letter == "-"):
        left, right = _expanded(text[:at]), _expanded(text[at + 1 :])
        if left is not None and right is not None:
            yield left, right


def _expanded(text: str) -> list[str] | None:
    try:
        return nodes_of(text)
    except RequestError:
        return None


def _known(names: Sequence[str], there: Sequence[str], noun: str) -> list[str]:
    known = set(there)
    wrong = next((name for name in names if name not in known), None)
    if wrong is None:
        return list(names)
    if not there:
        raise RequestError(f"there is no {noun} {wrong}", "the network is two hosts on one cable")
    raise RequestError(f"there is no {noun} {wrong}", _near(wrong, there))


def _near(wrong: str, there: Sequence[str]) -> str:
    return f"{did_you_mean(wrong, there)}there are {', '.join(fold_names(there))}"


def _links_hint(wiring: FabricWiring, text: str) -> str:
    trunks = [f"{one.ends[0]}-{one.ends[1]}" for one in wiring.trunks()]
    shown = ", ".join(trunks[:12]) + (f", ... ({len(trunks)} in all)" if len(trunks) > 12 else "")
    near = did_you_mean(text, [*trunks, *(one.name for one in wiring.switches)])
    return f"{near}links between switches: {shown or 'none'}; those of hosts are hosts.NAME"
