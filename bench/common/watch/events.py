"""Faults for a lab of six sites, planted by a seed: what fails, where, when, and what each link should say of it.

Sites 1 and 2 are behind one switch, 3 and 4 behind another, 5 and 6 behind a third; all pairs of the first four are
watched, 1 and 3 over a second network, too, and 5 with 6. Faults of the first four come one after the other; so do
those of the other two, at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from msgspec import Struct

LinkKey = tuple[str, str, str]
"""Source, destination, network."""

MESH = ("n1", "n2", "n3", "n4")
PAIR = ("n5", "n6")
VPN = ("n1", "n3")
EAST = {"n3", "n4"}

INTERVAL_S = 0.5
PAIR_INTERVAL_S = 0.2

FABRIC = """name = "six-sites"
title = "Six sites behind three switches, and a second network between two of them"

[[hosts]]
ids = "n[1-6]"
attach = "site[1-6]"
per_switch = 1
link = { rate = "100 Mb/s", delay = "50 us" }

[[switches]]
ids = "site[1-6],west,east,north,vpn"

[[links]]
between = ["site[1-2]", "west"]
rate = "50 Mb/s"
delay = "1 ms"

[[links]]
between = ["site[3-4]", "east"]
rate = "50 Mb/s"
delay = "1 ms"

[[links]]
between = ["site[5-6]", "north"]
rate = "50 Mb/s"
delay = "1 ms"

[[links]]
between = ["west", "east"]
rate = "50 Mb/s"
delay = "2 ms"

[[links]]
between = ["north", "west"]
rate = "50 Mb/s"
delay = "2 ms"

[[attachments]]
hosts = "n1,n3"
attach = "vpn"
per_switch = 2
link = { rate = "50 Mb/s", delay = "3 ms" }
"""


def sites_text(lab: str) -> str:
    """sites.toml for the lab of that name."""
    lines = ["[watch]", f'interval = "{PAIR_INTERVAL_S * 1e3:.0f} ms"', 'rate = "10 Gb/s"']
    lines += ['timeout = "300 ms"']
    for name in MESH + PAIR:
        lines += ["[[sites]]", f'name = "{name}"', f'on = "lab:{lab}/{name}"']
        if name in VPN:
            lines += [f'networks = {{ vpn = "10.1.0.{name[1:]}" }}']
    for src, dst, network in links():
        if src < dst and not network:
            interval_s = PAIR_INTERVAL_S if src in PAIR else INTERVAL_S
            lines += ["[[links]]", f'between = ["{src}", "{dst}"]']
            lines += [f'interval = "{interval_s * 1e3:.0f} ms"']
    return "\n".join(lines) + "\n"


def links() -> list[LinkKey]:
    """All links that are watched."""
    found = [(a, b, "") for group in (MESH, PAIR) for a in group for b in group if a != b]
    return found + [(a, b, "vpn") for a in VPN for b in VPN if a != b]


class Planted(Struct, kw_only=True):
    """A fault: `weather` are the keys of its [[weather]] tables, `stopped` the site whose agent gets SIGSTOP instead.

    `expected` has the class that each link should have, of which `judged` decides; `kills` the site whose agent ends.
    `begin_s` and `end_s` are Unix times at which it really was.
    """

    id: str
    kind: str
    lane: str
    for_s: float
    weather: list[str] = []
    stopped: str = ""
    kills: str = ""
    expected: list[tuple[LinkKey, str]] = []
    judged: LinkKey = ("", "", "")
    shown: LinkKey = ("", "", "")
    begin_s: float = 0.0
    end_s: float = 0.0
    back_s: float = 0.0

    @property
    def expects(self) -> str:
        """The class of the judged link."""
        return next(what for link, what in self.expected if link == self.judged)


OUTAGES = (
    "their host",
    "our host",
    "reboot",
    "their carrier",
    "our carrier",
    "path",
    "one direction",
    "ICMP filtered",
    "TCP filtered",
    "UDP filtered",
    "tunnel",
    "large packets",
    "machine",
)
"""Kinds of faults that are outages."""
CHANGES = ("congestion", "re-route")
"""Kinds that are none, nor loss."""

_MESH_COUNTS = {
    "their host": 3,
    "our host": 3,
    "reboot": 3,
    "their carrier": 3,
    "our carrier": 3,
    "path": 3,
    "one direction": 3,
    "ICMP filtered": 3,
    "TCP filtered": 2,
    "UDP filtered": 2,
    "tunnel": 2,
    "large packets": 3,
    "loss": 1,
}
_PAIR_COUNTS = {"loss": 3, "machine": 3, "congestion": 2, "re-route": 2}


@dataclass
class _Draft:
    weather: list[str] = field(default_factory=list)
    expected: dict[LinkKey, str] = field(default_factory=dict)
    for_s: tuple[float, float] = (10.0, 30.0)
    stopped: str = ""
    kills: str = ""
    prefer: str = ""


def schedule(seed: int, share: float = 1.0) -> list[Planted]:
    """Faults in the order of their lanes: 40 and four changes, or a share of each kind's number."""
    generator = Random(seed)
    planted: list[Planted] = []
    for lane, counts in (("mesh", _MESH_COUNTS), ("pair", _PAIR_COUNTS)):
        kinds = [kind for kind, count in counts.items() for _ in range(round(count * share))]
        generator.shuffle(kinds)
        planted += [_planted(kind, lane, generator, f"{lane}{n}") for n, kind in enumerate(kinds)]
    return planted


def _planted(kind: str, lane: str, generator: Random, name: str) -> Planted:
    draft = _DRAFTS[kind](generator, lane)
    fitting = [link for link, what in draft.expected.items() if draft.prefer in what]
    judged = generator.choice(sorted(fitting))
    # What a dead site's own links say is a silence: its begin and end are seen by those that probe it.
    shown = judged
    if kind == "our host":
        shown = generator.choice(sorted(k for k, what in draft.expected.items() if "their" in what))
    if kind == "machine" and "our" in draft.expected[judged]:
        shown = judged[1], judged[0], judged[2]
    return Planted(
        id=name,
        kind=kind,
        lane=lane,
        for_s=round(generator.uniform(*draft.for_s), 1),
        weather=draft.weather,
        stopped=draft.stopped,
        kills=draft.kills,
        expected=sorted(draft.expected.items()),
        judged=judged,
        shown=shown,
    )


def _of_site(site: str, what: str) -> dict[LinkKey, str]:
    """Classes of all links of a site, seen from each end."""
    return {
        link: f"{'our' if link[0] == site else 'their'} {what}"
        for link in links()
        if site in link[:2]
    }


def _across(what: str, networks: tuple[str, ...] = ("",)) -> dict[LinkKey, str]:
    """The same class for all links between west and east."""
    return {
        link: what
        for link in links()
        if link[0] in MESH and link[2] in networks and (link[0] in EAST) != (link[1] in EAST)
    }


def _host(prefer: str, for_s: tuple[float, float]) -> Callable[[Random, str], _Draft]:
    def draft(generator: Random, lane: str) -> _Draft:
        site = generator.choice(MESH)
        weather = [f'ids = "{site}"\noff = true']
        return _Draft(weather, _of_site(site, "host"), for_s, kills=site, prefer=prefer)

    return draft


def _carrier(prefer: str) -> Callable[[Random, str], _Draft]:
    def draft(generator: Random, lane: str) -> _Draft:
        site = generator.choice(MESH)
        switch = "east" if site in EAST else "west"
        weather = [f'between = ["site{site[1:]}", "{switch}"]\ndead = true']
        if site in VPN:
            weather.append(f'ids = "{site}"\nnetwork = 2\ndead = true')
        return _Draft(weather, _of_site(site, "carrier"), prefer=prefer)

    return draft


def _trunk(what: str, change: str, least_s: float = 10.0) -> Callable[[Random, str], _Draft]:
    def draft(generator: Random, lane: str) -> _Draft:
        weather = [f'between = ["west", "east"]\n{change}']
        return _Draft(weather, _across(what), (least_s, 30.0))

    return draft


def _path(generator: Random, lane: str) -> _Draft:
    weather = ['between = ["west", "east"]\ndead = true', 'ids = "n1"\nnetwork = 2\ndead = true']
    return _Draft(weather, _across("path", ("", "vpn")))


def _one_direction(generator: Random, lane: str) -> _Draft:
    direction = generator.choice(["out", "in"])
    weather = [f'between = ["west", "east"]\ndead = true\ndirection = "{direction}"']
    return _Draft(weather, _across("one direction"))


def _tunnel(generator: Random, lane: str) -> _Draft:
    weather = [f'ids = "{generator.choice(VPN)}"\nnetwork = 2\ndead = true']
    return _Draft(weather, {(a, b, "vpn"): "tunnel" for a in VPN for b in VPN if a != b})


def _pair_link(
    what: str, change: str, for_s: tuple[float, float]
) -> Callable[[Random, str], _Draft]:
    """On the cable of a site of the pair, or of a site of the mesh."""

    def draft(generator: Random, lane: str) -> _Draft:
        site = generator.choice(PAIR if lane == "pair" else MESH)
        expected = {link: what for link in links() if site in link[:2] and not link[2]}
        return _Draft([f'ids = "{site}"\n{change}'], expected, for_s)

    return draft


def _machine(generator: Random, lane: str) -> _Draft:
    site = generator.choice(PAIR)
    return _Draft(expected=_of_site(site, "machine"), for_s=(12.0, 20.0), stopped=site)


_DRAFTS: dict[str, Callable[[Random, str], _Draft]] = {
    "their host": _host("their", (12.0, 30.0)),
    "our host": _host("our", (12.0, 30.0)),
    "reboot": _host("their", (6.0, 9.0)),
    "their carrier": _carrier("their"),
    "our carrier": _carrier("our"),
    "path": _path,
    "one direction": _one_direction,
    "ICMP filtered": _trunk("ICMP filtered", 'blocks = ["icmp"]', 15.0),
    "TCP filtered": _trunk("port filtered", 'blocks = ["tcp/9770"]', 15.0),
    "UDP filtered": _trunk("port filtered", 'blocks = ["udp/9770"]', 15.0),
    "tunnel": _tunnel,
    "large packets": _trunk("large packets", "drops_above_bytes = 1400", 15.0),
    "loss": _pair_link("loss", 'loss = "30 %"', (20.0, 30.0)),
    "machine": _machine,
    "congestion": _pair_link("congestion", 'delay = "2 ms"\njitter = "8 ms"', (100.0, 140.0)),
    "re-route": _pair_link("re-route", 'delay = "5 ms"', (120.0, 160.0)),
}
