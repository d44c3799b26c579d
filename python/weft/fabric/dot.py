"""A declared fabric as a graph for Graphviz, its links coloured by what they carried in a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq

from weft.errors import RequestError
from weft.run.folder import Run
from weft.run.tables import LOADS_NAME


def to_dot(fabric: dict[str, Any], run: Run | None = None) -> str:
    """The graph of a resolved fabric (weft.fabric.load); raises RequestError when a run has no loads."""
    shares = _shares(fabric, run) if run else {}
    return "\n".join(_lines(fabric, shares)) + "\n"


def _lines(fabric: dict[str, Any], shares: dict[str, float]) -> Iterator[str]:
    yield f"graph {_quoted(fabric['name'])} {{"
    yield '  graph [overlap=false, splines=true]; node [fontname="sans-serif"];'
    for host in fabric["hosts"]:
        yield f"  {_quoted(host['name'])} [shape=ellipse];"
    for switch in fabric["switches"]:
        capacity = switch["capacity_bits_per_s"]
        label = switch["name"] + (f"\n{_rate_text(capacity)} inside" if capacity else "")
        yield f"  {_quoted(switch['name'])} [shape=box, label={_quoted(label)}];"
    linked = {frozenset(link["ends"]) for link in fabric["links"]}
    for link in fabric["links"]:
        yield _edge(link, shares)
    for switch in fabric["switches"]:
        parent = switch["parent"]
        if parent and frozenset((switch["name"], parent)) not in linked:
            yield f"  {_quoted(switch['name'])} -- {_quoted(parent)} [style=dotted];"
    yield "}"


def _edge(link: dict[str, Any], shares: dict[str, float]) -> str:
    one, other = link["ends"]
    rates = [link[way]["rate_bits_per_s"] for way in ("forward", "backward")]
    label = " / ".join(dict.fromkeys(_rate_text(rate) for rate in rates if rate))
    found = [shares[name] for name, _ in _constraints(link) if name in shares]
    attributes = {"label": label, "style": "dashed" if link["dead"] else "solid"}
    if found:
        share = max(found)
        attributes["color"] = f"{0.33 * (1 - min(share, 1)):.3f} 0.9 0.8"
        attributes["penwidth"] = f"{1 + 4 * min(share, 1):.1f}"
        attributes["label"] = f"{label}\n{100 * share:.0f} %".strip()
    text = ", ".join(f"{key}={_quoted(value)}" for key, value in attributes.items())
    return f"  {_quoted(one)} -- {_quoted(other)} [{text}];"


def _shares(fabric: dict[str, Any], run: Run) -> dict[str, float]:
    """The busiest phase of each direction of a link, as a part of what it can carry."""
    path = run.directory / LOADS_NAME
    if not path.exists():
        raise RequestError(
            f"{run.directory}: has no {LOADS_NAME}", "only simulated runs know what links carried"
        )
    if run.meta.testbed.get("fabric", {}).get("name") != fabric["name"]:
        raise RequestError(f"{run.directory}: was not simulated on {fabric['name']}")
    peaks: dict[str, float] = {}
    for row in pq.read_table(path, columns=["constraint", "mbps"]).to_pylist():
        peaks[row["constraint"]] = max(row["mbps"], peaks.get(row["constraint"], 0.0))
    every = [named for link in fabric["links"] for named in _constraints(link)]
    rates = {name: rate for name, rate in every if rate}
    return {name: peak * 1e6 / rates[name] for name, peak in peaks.items() if name in rates}


def _constraints(link: dict[str, Any]) -> Iterator[tuple[str, float | None]]:
    """What the simulator may call the two directions of a link (of a host, or between switches), and their rates."""
    one, other = link["ends"]
    network = f" (network {link['network'] + 1})" if link["network"] else ""
    forward, backward = (link[way]["rate_bits_per_s"] for way in ("forward", "backward"))
    for end, away, towards in ((one, forward, backward), (other, backward, forward)):
        yield f"{end}{network} out", away
        yield f"{end}{network} in", towards
    yield f"{one} to {other}", forward
    yield f"{other} to {one}", backward


def _rate_text(bits_per_s: float) -> str:
    for unit, size in (("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)):
        if bits_per_s >= size:
            return f"{bits_per_s / size:g} {unit}"
    return f"{bits_per_s:g} b/s"


def _quoted(text: str) -> str:
    """DOT's quoted strings are close to JSON's: backslash escapes, a newline as \\n."""
    return json.dumps(text, ensure_ascii=False)
