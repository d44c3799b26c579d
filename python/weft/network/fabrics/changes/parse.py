"""Parse the text of changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from weft.base.errors import RequestError
from weft.network.fabrics.changes.change import FabricChange
from weft.network.fabrics.changes.hosts import Add, Move, Remove, Swap
from weft.network.fabrics.changes.values import Kind, set_value
from weft.network.fabrics.changes.whole import Oversubscription, Packets, SecondNetwork, Topology
from weft.network.fabrics.document import FabricDocument

FORMS = (
    "links.backplane.rate=1.6 Gb/s",
    "links.rack1-upper.rate*=2",
    "hosts.n7.rate=100 Mb/s",
    "switches.rack1.capacity=none",
    "remove n[1-4]",
    "add 8 hosts to rack2",
    "move n7 to rack2",
    "swap n20 n21",
    "mtu=9000",
    "oversubscription 1:1",
    "second network like rack[1-4] at 100 Mb/s",
    "topology=FABRIC",
)
"""An example of each form."""

_VALUE = re.compile(
    r"(links|hosts|switches)\.(?P<rest>[^=*]*?)(?P<sign>\*=|/=|=\s*\*|=)(?P<value>.+)"
)


def parse_change(text: str) -> FabricChange:
    """The change that a text means; raises RequestError with the accepted forms."""
    text = " ".join(text.split())
    if form := _VALUE.fullmatch(text):
        sign = "*=" if "*" in form["sign"] else form["sign"]
        return set_value(
            text, cast(Kind, form[1]), form["rest"].strip(), sign, form["value"].strip()
        )
    for pattern, make in _WORDS:
        if words := pattern.fullmatch(text):
            return make(text, words)
    raise RequestError(f"{text!r} is not a change", f"for example {'; '.join(FORMS)}")


def _ratio(text: str, words: re.Match[str]) -> Oversubscription:
    ratio = float(words["ratio"]) / float(words["one"] or 1)
    if not 0.01 <= ratio <= 1000:
        raise RequestError(f"{text}: must be from 0.01 to 1000", "for example oversubscription 2:1")
    return Oversubscription(text, ratio)


def _packets(text: str, words: re.Match[str]) -> Packets:
    if not 576 <= int(words["mtu"]) <= 65_535:
        raise RequestError(f"{text}: must be from 576 to 65535 bytes", "for example mtu=9000")
    return Packets(text, int(words["mtu"]))


Maker = Callable[[str, re.Match[str]], FabricChange]
_NUMBER = r"\d+(?:\.\d+)?"
_WORDS: list[tuple[re.Pattern[str], Maker]] = [
    (re.compile(pattern), make)
    for pattern, make in (
        (r"remove (?P<what>\S+)", lambda text, words: Remove(text, words["what"])),
        (
            r"add (?P<count>\d{1,9}) hosts?(?: to (?P<to>\S+))?",
            lambda text, words: Add(text, int(words["count"]), words["to"]),
        ),
        (
            r"move (?P<hosts>\S+) to (?P<to>\S+)",
            lambda text, words: Move(text, words["hosts"], words["to"]),
        ),
        (
            r"swap (?P<one>\S+) (?:and )?(?P<other>\S+)",
            lambda text, words: Swap(text, words["one"], words["other"]),
        ),
        (r"mtu(?:_bytes)? ?= ?(?P<mtu>\d{1,9})", _packets),
        (
            rf"oversubscription ?=? ?(?P<ratio>{_NUMBER})(?: ?: ?(?P<one>{_NUMBER}))?",
            _ratio,
        ),
        (
            r"second network(?: like (?P<like>\S+))?(?: at (?P<rate>.+))?",
            lambda text, words: SecondNetwork(text, words["like"], words["rate"]),
        ),
        (
            r"topology ?= ?(?P<name>.+)",
            lambda text, words: Topology(text, FabricDocument.read(words["name"])),
        ),
    )
]
