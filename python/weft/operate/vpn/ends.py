"""The ends of a tunnel according to agents: interfaces, VPN, routes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.errors import RequestError
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.reply import CheckedInterface, InspectReply
from weft.measure.testbed.agent.request import Inspect
from weft.measure.testbed.base import Testbed
from weft.operate.vpn.kind import VpnKind, kind_of, merged
from weft.operate.vpn.node_look import VpnState, look

Places = tuple[str, str]


@dataclass(frozen=True)
class Tunnel:
    """Addresses (`places`) and interfaces of both nodes by path ("raw", "tunnel"), MTUs of the first node's, and each
    node's report on its VPN."""

    places: dict[str, Places]
    interfaces: dict[str, tuple[str, str]]
    mtus: dict[str, int | None]
    kind: VpnKind
    seen: tuple[VpnState, VpnState]


async def find_tunnel(testbed: Testbed, agents: Sequence[Agent], through: Places) -> Tunnel:
    """The tunnel between a testbed's first two nodes; raises RequestError for addresses that they do not have."""
    # Some addresses are known only after agents have been asked.
    raw = (testbed.nodes[0].address, testbed.nodes[1].address)
    places = {"raw": raw, "tunnel": through}
    pairs = zip(raw, through, strict=True)
    ends = [await _interfaces(*one) for one in zip(agents, pairs, strict=True)]
    names = {
        path: (str(ends[0][at]["name"]), str(ends[1][at]["name"])) for at, path in enumerate(places)
    }
    first, second = [
        await look(testbed, testbed.nodes[at], names["tunnel"][at], raw[1 - at]) for at in (0, 1)
    ]
    kinds = [
        kind_of(end[1].get("driver", ""), one, ":" in raw[0])
        for end, one in zip(ends, (first, second), strict=True)
    ]
    mtus = {path: ends[0][at].get("mtu_bytes") for at, path in enumerate(places)}
    return Tunnel(places, names, mtus, merged(kinds), (first, second))


async def _interfaces(agent: Agent, addresses: Sequence[str]) -> list[CheckedInterface]:
    """The interfaces with a node's addresses; raises RequestError."""
    await agent.send(Inspect(addresses=list(addresses)))
    found = (await agent.expect(InspectReply)).interfaces
    for address, interface in zip(addresses, found, strict=True):
        if interface is None:
            has = [f"{one.name} {' '.join(one.addresses)}" for one in agent.facts.interfaces]
            raise RequestError(
                f"--through: {agent.node} has no interface with the address {address}",
                f"it has {', '.join(has)}; give the tunnel's addresses in the order of the nodes",
            )
    return [one for one in found if one]
