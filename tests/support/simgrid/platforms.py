"""SimGrid platforms from seeds: zones in zones of all routings, clusters of all kinds, gateways anywhere."""

import random
from dataclasses import dataclass, field

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
_ROUTINGS = ("Full", "Floyd", "Dijkstra", "DijkstraCache")
_FLAT = (
    "",
    'sharing_policy="SHARED"',
    'sharing_policy="FATPIPE"',
    'limiter_link="77Mbps"',
    'bb_bw="50Mbps" bb_lat="3us"',
    'bb_bw="50Mbps" bb_lat="3us" bb_sharing_policy="FATPIPE" limiter_link="33Mbps"',
    'loopback_bw="1Gbps" loopback_lat="0"',
)
_TOPOLOGIES = (
    ('topology="FAT_TREE" topo_parameters="2;2,3;1,2;2,1"', 6),
    ('topology="FAT_TREE" topo_parameters="3;2,2,2;1,2,2;1,1,1"', 8),
    ('topology="TORUS" topo_parameters="3,3"', 9),
    ('topology="DRAGONFLY" topo_parameters="2,1;2,2;2,1;1"', 8),
)


@dataclass(frozen=True)
class Part:
    """A zone or cluster: its text, its name, and the hosts and routers where ways may enter it."""

    text: str
    name: str
    gateways: list[str]


@dataclass
class Maker:
    """Makes up a platform; hosts are node-0, node-1 and so on, links have names that say nothing."""

    rng: random.Random
    hosts: int = 0
    names: int = 0
    links: dict[str, str] = field(default_factory=dict)

    def platform(self) -> str:
        return f"{HEAD}{self._part(self.rng.choice([1, 1, 2])).text}</platform>\n"

    def _part(self, depth: int) -> Part:
        kinds = [self._flat, self._topology, self._star, self._leaf, self._leaf]
        return self._tree(depth) if depth else self.rng.choice(kinds)()

    def _tree(self, depth: int) -> Part:
        """Zones in a zone. SimGrid's Dijkstra finds no way through a zone with two gateways."""
        routing = self.rng.choice(_ROUTINGS)
        count = self.rng.randint(2, 3)
        parts = {part.name: part for part in (self._part(depth - 1) for _ in range(count))}
        only = {name: self.rng.choice(part.gateways) for name, part in parts.items()}
        declared, names = self._links(4)
        body = "".join(part.text for part in parts.values()) + declared

        def gateway(name: str) -> str:
            any_of = [only[name]] if "Dijkstra" in routing else parts[name].gateways
            return self.rng.choice(any_of)

        for src, dst, symmetrical in self._pairs(list(parts), routing):
            body += (
                f'<zoneRoute src="{src}" dst="{dst}" gw_src="{gateway(src)}" gw_dst="{gateway(dst)}" '
                f'symmetrical="{symmetrical}">{self._crossed(names)}</zoneRoute>\n'
            )
        gateways = [one for part in parts.values() for one in part.gateways]
        return self._zone(routing, body, gateways)

    def _leaf(self) -> Part:
        routing = self.rng.choice(_ROUTINGS)
        nodes = [self._host(), *(self._node() for _ in range(self.rng.randint(1, 5)))]
        declared, names = self._links(4)
        tags = (
            ("host", 'speed="1Gf"') if one.startswith("node") else ("router", "") for one in nodes
        )
        body = "".join(
            f'<{tag} id="{one}" {more}/>\n' for one, (tag, more) in zip(nodes, tags, strict=True)
        )
        body += declared
        for src, dst, symmetrical in self._pairs(nodes, routing):
            body += (
                f'<route src="{src}" dst="{dst}" symmetrical="{symmetrical}">'
                f"{self._crossed(names)}</route>\n"
            )
        return self._zone(routing, body, nodes)

    def _star(self) -> Part:
        router = self._name("r")
        body, hosts = f'<router id="{router}"/>\n', [self._host() for _ in range(2)]
        for host in hosts:
            declared, names = self._links(2)
            up, down = (
                f"{name}_UP" if self.links[name] == "SPLITDUPLEX" else name for name in names
            )
            body += f'<host id="{host}" speed="1Gf"/>\n{declared}'
            body += f'<host_link id="{host}" up="{up}" down="{down}"/>\n'
        body += f'<cabinet id="{self._name("c")}" {self._radical(2)} speed="1Gf" bw="9Mbps" lat="4us"/>\n'
        if self.rng.random() < 0.7:
            body += f'<backbone id="{self._name("b")}" bandwidth="70Mbps" latency="5us"/>\n'
        return self._zone("Cluster", body, [router, *hosts])

    def _flat(self) -> Part:
        first = self.hosts
        return self._cluster(self.rng.choice(_FLAT), self.rng.randint(1, 4), f"node-{first}", True)

    def _topology(self) -> Part:
        shape, count = self.rng.choice(_TOPOLOGIES)
        return self._cluster(shape, count, f"node-{self.hosts + self.rng.randrange(count)}", False)

    def _cluster(self, more: str, count: int, host: str, has_router: bool) -> Part:
        name = self._name("z")
        rate = f'bw="{self.rng.randint(1, 99)}Mbps" lat="2us"'
        text = f'<cluster id="{name}" {self._radical(count)} speed="1Gf" {rate} {more}/>\n'
        return Part(text, name, [f"node-{name}_router", host] if has_router else [host])

    def _zone(self, routing: str, body: str, gateways: list[str]) -> Part:
        name = self._name("z")
        return Part(f'<zone id="{name}" routing="{routing}">\n{body}</zone>\n', name, gateways)

    def _pairs(self, nodes: list[str], routing: str) -> list[tuple[str, str, str]]:
        """Pairs with a route: all of them, or enough to reach each host."""
        pairs = [(one, other) for at, one in enumerate(nodes) for other in nodes[at + 1 :]]
        if routing != "Full":
            joined = [(self.rng.choice(nodes[:at]), nodes[at]) for at in range(1, len(nodes))]
            pairs = [pair for pair in pairs if pair in joined or self.rng.random() < 0.3]
        self.rng.shuffle(pairs)
        found = []
        for src, dst in pairs:
            if self.rng.random() < 0.2:
                found += [(src, dst, "NO"), (dst, src, "NO")]
            else:
                found.append((*self.rng.sample([src, dst], 2), "YES"))
        return found

    def _links(self, count: int) -> tuple[str, list[str]]:
        """Declarations of new links, and their names."""
        names = [self._name("l") for _ in range(count)]
        text = ""
        for name in names:
            self.links[name] = self.rng.choice(["SHARED", "SPLITDUPLEX", "FATPIPE"])
            text += (
                f'<link id="{name}" bandwidth="{self.rng.randint(1, 99)}Mbps" latency="{self.rng.randint(0, 9)}us" '
                f'sharing_policy="{self.links[name]}"/>\n'
            )
        return text, names

    def _crossed(self, names: list[str]) -> str:
        """One to three of the links, maybe one of them again."""
        found = ""
        for name in self.rng.choices(names, k=self.rng.choice([1, 1, 1, 2, 3])):
            direction = f'direction="{self.rng.choice(["UP", "DOWN"])}"'
            said = direction if self.links[name] == "SPLITDUPLEX" else ""
            found += f'<link_ctn id="{name}" {said}/>'
        return found

    def _radical(self, count: int) -> str:
        first, self.hosts = self.hosts, self.hosts + count
        return f'prefix="node-" suffix="" radical="{first}-{first + count - 1}"'

    def _node(self) -> str:
        return self._name("r") if self.rng.random() < 0.3 else self._host()

    def _host(self) -> str:
        self.hosts += 1
        return f"node-{self.hosts - 1}"

    def _name(self, kind: str) -> str:
        self.names += 1
        return f"{kind}{self.names}"


def make_platform(seed: int) -> str:
    """The platform of a seed."""
    return Maker(random.Random(seed)).platform()
