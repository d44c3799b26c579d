"""A declared fabric as a Graphviz graph, with links coloured by their load in a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.runs.link_loads import Loads, link_loads, loads_of
from weft.runs.records.fabric_records import FabricRecord, LinkRecord


def to_dot(fabric: FabricRecord, run: RunFolder | None = None) -> str:
    """The graph of a resolved fabric (weft.network.fabrics.load); raises RequestError if a run has no loads."""
    loads = _loads_on(fabric, run) if run else {}
    return "\n".join(_lines(fabric, loads)) + "\n"


def _loads_on(fabric: FabricRecord, run: RunFolder) -> Loads:
    loads = loads_of(run)
    if not loads:
        raise RequestError(
            f"{run.directory}: does not say what links carried",
            "simulated runs do, unless they have too many phases or transfers",
        )
    ran_on = run.meta.testbed.get("fabric")
    if ran_on is None or ran_on["name"] != fabric["name"]:
        raise RequestError(f"{run.directory}: was not simulated on {fabric['name']}")
    return loads


def _lines(fabric: FabricRecord, loads: Loads) -> Iterator[str]:
    yield f"graph {_quoted(fabric['name'])} {{"
    yield '  graph [overlap=false, splines=true]; node [fontname="sans-serif"];'
    for host in fabric["hosts"]:
        yield f"  {_quoted(host['name'])} [shape=ellipse];"
    for switch in fabric["switches"]:
        capacity = switch["capacity_bits_per_s"]
        label = switch["name"] + (f"\n{_rate_text(capacity)} inside" if capacity else "")
        yield f"  {_quoted(switch['name'])} [shape=box, label={_quoted(label)}];"
    linked = {frozenset(link["ends"]) for link in fabric["links"]}
    cables: Counter[frozenset[str]] = Counter()
    for link in fabric["links"]:
        ends = frozenset(link["ends"])
        cables[ends] += 1
        yield _edge(link, loads, cables[ends])
    for switch in fabric["switches"]:
        parent = switch["parent"]
        if parent and frozenset((switch["name"], parent)) not in linked:
            yield f"  {_quoted(switch['name'])} -- {_quoted(parent)} [style=dotted];"
    yield "}"


def _edge(link: LinkRecord, loads: Loads, cable: int) -> str:
    one, other = link["ends"]
    rates = [link[way]["rate_bits_per_s"] for way in ("forward", "backward")]
    label = " / ".join(dict.fromkeys(_rate_text(rate) for rate in rates if rate))
    found = [load.share for load in link_loads(link, loads, cable) if load]
    attributes = {"label": label, "style": "dashed" if link["dead"] else "solid"}
    if found:
        share = max(found)
        attributes["color"] = f"{0.33 * (1 - min(share, 1)):.3f} 0.9 0.8"
        attributes["penwidth"] = f"{1 + 4 * min(share, 1):.1f}"
        attributes["label"] = f"{label}\n{100 * share:.0f} %".strip()
    text = ", ".join(f"{key}={_quoted(value)}" for key, value in attributes.items())
    return f"  {_quoted(one)} -- {_quoted(other)} [{text}];"


def _rate_text(bits_per_s: float) -> str:
    for unit, size in (("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)):
        if bits_per_s >= size:
            return f"{bits_per_s / size:g} {unit}"
    return f"{bits_per_s:g} b/s"


def _quoted(text: str) -> str:
    """DOT's quoted strings are close to JSON's: backslash escapes, a newline as \\n."""
    return json.dumps(text, ensure_ascii=False)
