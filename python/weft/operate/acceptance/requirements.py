"""Requirements on a cluster: the keys of a TOML file, each with its quantity and the measurement that decides it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, defstruct

from weft import _core
from weft.base import catalog
from weft.base.amount import read_amount
from weft.base.errors import RequestError
from weft.base.quantity import format_mbps, format_us
from weft.base.toml_file import TomlFile
from weft.understand.limits.differences import TOLERANCE

Source = Literal["check", "pairs", "limits", "bisection", "all-to-all"]
"""The measurement that decides: only the check, single pairs, the search for limits, or full rounds."""
Value = Literal["count", "flag", "names", "share", "rate", "time", "size"]
_UNITS = {"share": "%", "rate": "Mb/s", "time": "us", "size": "bytes", "count": ""}
_WORTH = {"share": 100.0, "rate": 1e-6, "time": 1e6, "size": 1.0}
_EXAMPLES = {
    "count": "64",
    "flag": "true",
    "names": '["kernel", "driver"], or "all"',
}
HINT = "docs/accept-a-cluster.md lists all keys with an example"
MOST_PERCENT = 100.0
PROPERTIES = "all"
"""Stands for all properties instead of a list."""


class Metric(Struct, frozen=True):
    """The meaning of a key. `sense` says on which side of the limit a value is right; `title` may contain {limit}."""

    value: Value
    source: Source
    least_nodes: int
    sense: Literal["least", "most", "same"]
    title: str


KINDS = {
    "nodes.count": Metric("count", "check", 0, "least", "{limit} nodes answer, and their data networks connect"),
    "nodes.same": Metric("names", "check", 2, "same", "kernel, driver and settings are the same on all nodes"),
    "mtu.path": Metric("flag", "check", 2, "same", "packets as large as the interfaces take get through"),
    "mtu.at_least": Metric("size", "check", 1, "least", "MTU of each node at least {limit}"),
    "mtu.at_most": Metric("size", "check", 1, "most", "MTU of each node at most {limit}"),
    "clocks.offset": Metric("time", "check", 2, "most", "clocks at most {limit} apart from the others"),
    "loss.datagrams": Metric("share", "check", 2, "most", "small datagrams lost on the idle network at most {limit}"),
    "latency": Metric("time", "pairs", 2, "most", "latency of each pair at most {limit}"),
    "nodes.later": Metric("share", "pairs", 3, "most", "no node's latency more than {limit} above the others'"),
    "nodes.slower": Metric("share", "pairs", 3, "most", "no node sends or receives more than {limit} below the others"),
    "rate.pair": Metric("rate", "pairs", 2, "least", "each pair at least {limit}, in each direction"),
    "rate.node": Metric("rate", "pairs", 2, "least", "each node sends and receives at least {limit}"),
    "rate.below_declared": Metric("share", "pairs", 2, "most", "no pair more than {limit} below the declared links"),
    "rate.asymmetry": Metric("share", "pairs", 2, "most", "the directions of a pair differ by at most {limit}"),
    "loss.retransmits": Metric("share", "pairs", 2, "most", "TCP segments sent again at most {limit}"),
    "network.limits": Metric("share", "limits", 4, "most", "no limit more than {limit} narrower than declared"),
    "network.places": Metric("flag", "limits", 4, "same", "nodes are behind the switches that the fabric declares"),
    "network.bisection": Metric("share", "bisection", 4, "least", "random bisections deliver at least {limit}"),
    "network.all_to_all": Metric("share", "all-to-all", 3, "least", "all-to-all delivers at least {limit}"),
}  # fmt: skip
"""By section and key, cheapest first; the keys of [latency] are message sizes."""


@dataclass(frozen=True)
class Requirement:
    """A requirement. `limit` is in `unit`; `names` lists what must be equal; `place` is its place in the file."""

    key: str
    kind: Metric
    limit: float | None = None
    names: tuple[str, ...] = ()
    size_bytes: int = 0
    place: str = ""

    @property
    def unit(self) -> str:
        return _UNITS.get(self.kind.value, "")

    @property
    def limit_text(self) -> str:
        """The limit as text."""
        return "" if self.limit is None else value_text(self.limit, self.unit)

    @property
    def title(self) -> str:
        what = f"{self.size_bytes} B: " if self.size_bytes else ""
        return what + self.kind.title.format(limit=self.limit_text)

    def refuse(self, why: str, right: str) -> RequestError:
        """An error that says what contradicts the requirement, with its place in the file."""
        return RequestError(f"{self.place}{self.key} = {self.limit_text}: {why}", right)


def value_text(value: float, unit: str) -> str:
    """A value as text."""
    match unit:
        case "Mb/s":
            return format_mbps(value)
        case "us":
            return format_us(value)
        case "bytes":
            return f"{value:.0f} B"
        case "%":
            return f"{value:.3g} %" if abs(value) >= 1e-3 else "0 %"
    return f"{value:g}"


def requirement(key: str, value: object, place: str = "") -> Requirement:
    """The requirement for a key and its value; raises RequestError."""
    section, _, name = key.partition(".")
    if section == "latency":
        size = read_amount(name, f"{place}latency", "size")
        found = Requirement(key, KINDS["latency"], size_bytes=round(size.worth), place=place)
    else:
        found = Requirement(key, KINDS[key], place=place)
    return _with_value(found, value)


def read_requirements(file: str) -> list[Requirement]:
    """The requirements of a TOML file; raises RequestError with line, key and a hint."""
    path = Path(file)
    if path.is_dir():
        raise RequestError(f"{file}: is a folder", "give a TOML file of requirements")
    toml = TomlFile(catalog.read(path), file, HINT)
    toml.decode(_DOCUMENT)
    found = [
        requirement(key, value, toml.where(key).removesuffix(key))
        for section, table in toml.table.items()
        for key, value in _keys(section, table)
    ]
    if not found:
        raise RequestError(f"{file}: no requirements", HINT)
    refuse_contradictions(found)
    return found


def refuse_contradictions(requirements: list[Requirement]) -> None:
    """Raise RequestError if no cluster can meet two of the requirements at once."""
    by_key = {one.key: one for one in requirements}
    least, most = by_key.get("mtu.at_least"), by_key.get("mtu.at_most")
    if least and most and (least.limit or 0) > (most.limit or 0):
        raise least.refuse(
            f"contradicts mtu.at_most = {most.limit_text}", "give at_least <= at_most"
        )
    narrow = by_key.get("network.limits")
    if narrow and narrow.limit is not None and narrow.limit < 100 * TOLERANCE:
        raise narrow.refuse(
            "finer than limits are told apart", f"give {100 * TOLERANCE:g} % or more"
        )
    sizes = [one for one in requirements if one.size_bytes]
    for small in sizes:
        for large in sizes:
            if small.size_bytes == large.size_bytes and small.limit != large.limit:
                raise large.refuse(f"contradicts {small.key} = {small.limit_text}", "keep one")


def _with_value(wanted: Requirement, value: object) -> Requirement:
    kind, where = wanted.kind, f"{wanted.place}{wanted.key}"
    if kind.value == "names":
        return replace(wanted, names=_names(value, where))
    if kind.value == "flag":
        if value is not True:
            raise _wrong(where, value, "flag")
        return wanted
    if kind.value == "count":
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise _wrong(where, value, "count")
        return replace(wanted, limit=float(value))
    worth = read_amount(value, where, kind.value).worth * _WORTH[kind.value]
    if worth < 0 or (kind.value == "share" and worth > MOST_PERCENT and kind.sense == "least"):
        raise RequestError(f"{where} = {value!r}: out of range", "give a share from 0 % to 100 %")
    return replace(wanted, limit=worth)


def _names(value: object, where: str) -> tuple[str, ...]:
    if value == PROPERTIES:
        return ()
    known = known_properties()
    if not isinstance(value, list) or not value:
        raise _wrong(where, value, "names")
    for name in value:
        if name not in known:
            raise RequestError(f"{where}: {_core.unknown_key(str(name), known)}")
    return tuple(value)


def known_properties() -> list[str]:
    """The properties that `weft check` compares between nodes."""
    from weft.operate.preflight.differences import OF_INTERFACES, OF_NODES

    return [one.code for one in (*OF_NODES, *OF_INTERFACES)]


def _wrong(where: str, value: object, kind: str) -> RequestError:
    return RequestError(f"{where} = {value!r}: cannot be read", f"give {_EXAMPLES[kind]}")


def _section(name: str) -> type:
    if name == "latency":
        return dict[str, object]
    keys = [key.partition(".")[2] for key in KINDS if key.startswith(f"{name}.")]
    fields = [(key, Any, None) for key in keys]
    return defstruct(name, fields, forbid_unknown_fields=True, frozen=True)


_DOCUMENT = defstruct(
    "_DOCUMENT",
    [
        ("title", Any, None),
        *(
            (name, _section(name) | None, None)
            for name in {key.partition(".")[0]: 0 for key in KINDS}
        ),
    ],
    forbid_unknown_fields=True,
)
"""The possible content of a file, by which its keys are checked."""


def _keys(section: str, table: object) -> Iterator[tuple[str, object]]:
    """The keys of a section, prefixed with its name, and their values."""
    values = table.items() if isinstance(table, dict) else ()
    return ((f"{section}.{name}", value) for name, value in values)
