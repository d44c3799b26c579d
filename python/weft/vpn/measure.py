"""A tunnel between two nodes is looked at, measured beside the path below it, and judged."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from weft.errors import RequestError
from weft.execute.crew import Crew
from weft.execute.pair import endpoint
from weft.execute.progress import Reporter
from weft.testbed.agent.agent import Agent
from weft.testbed.agent.reply import CheckedInterface, Echoing, EchoStopped, Inspected, Tried
from weft.testbed.agent.request import Echo, Inspect, Paths, Peer, StopEcho
from weft.testbed.base import Testbed
from weft.testbed.event_loop import run_to_end
from weft.vpn.blocks import Pair, Trial, run_blocks
from weft.vpn.comparison import Comparison, Ends, compare
from weft.vpn.kind import kind_of, merged
from weft.vpn.mpi import choice
from weft.vpn.node_look import look
from weft.vpn.outages import watch

FILE_NAME = "vpn.json"
Places = tuple[str, str]


class VpnRequest(Struct, frozen=True):
    """`through` are the tunnel's addresses on the first two nodes. At most `blocks` blocks of paired trials of
    `trial_s` are measured, and no more than fit into `within_s`. For `watch_s` the path's outages are watched."""

    through: Places
    blocks: int = 8
    trial_s: float = 4.0
    within_s: float = 150.0
    watch_s: float = 0.0


def measure_vpn(
    testbed: Testbed, request: VpnRequest, out: str | None = None, reporter: Reporter | None = None
) -> Comparison:
    """Measure raw path and tunnel between a testbed's first two nodes; writes vpn.json to the folder `out`.

    Raises RequestError for addresses that nodes do not have, and AgentError.
    """
    if testbed.is_computed:
        raise RequestError(
            f"{testbed.kind}:{testbed.name} is computed: there is no tunnel",
            "give a testbed that runs: ssh:a,b or a lab that is up",
        )
    if len(testbed.nodes) < 2:
        raise RequestError("a tunnel has two ends", "give a testbed of two nodes, such as ssh:a,b")
    folder = Path(out) if out else None
    if folder and (folder / FILE_NAME).exists():
        raise RequestError(f"{folder}: has a {FILE_NAME} already", "give another folder")
    found, blocks = run_to_end(_visit(testbed, request, reporter or Reporter()))
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        document = found.to_json() | {"trials": msgspec.to_builtins(blocks)}
        (folder / FILE_NAME).write_text(json.dumps(document, indent=1) + "\n")
    return found


async def _visit(
    testbed: Testbed, request: VpnRequest, reporter: Reporter
) -> tuple[Comparison, list[list[Trial]]]:
    began_s = time.monotonic()
    reporter.start(request.blocks + 1)
    reporter.describe("starting agents")
    crew = await Crew.start(testbed, range(2))
    try:
        agents = crew.need(range(2))
        # Some addresses are known only now that agents have been asked for theirs.
        raw = (testbed.nodes[0].address, testbed.nodes[1].address)
        places = {"raw": raw, "tunnel": request.through}
        interfaces = [
            await _interfaces(*one)
            for one in zip(agents, zip(raw, request.through, strict=True), strict=True)
        ]
        names = [tuple(str(end[at]["name"]) for end in interfaces) for at in (0, 1)]
        path_mtus = await _path_mtus(agents, places)
        seen = [await look(testbed, testbed.nodes[at], names[1][at], raw[1 - at]) for at in (0, 1)]
        drivers = [end[1].get("driver", "") for end in interfaces]
        kind = merged(
            [kind_of(driver, one, ":" in raw[0]) for driver, one in zip(drivers, seen, strict=True)]
        )
        pids = [[process.pid for process in one.processes] for one in seen]
        reporter.advance(1)
        pair = Pair(testbed, agents, places, (pids[0], pids[1]))
        blocks = await run_blocks(pair, request.blocks, request.trial_s, request.within_s, reporter)
        outages = await watch(testbed, raw[1], request.through[1], request.watch_s)
    finally:
        await crew.close()
    segments = {one.path: one.segment_bytes for block in blocks for one in block}
    ends = [
        Ends(
            places[path],
            (names[at][0], names[at][1]),
            interfaces[0][at].get("mtu_bytes"),
            path_mtus[at],
            segments[path],
        )
        for at, path in enumerate(places)
    ]
    mpi = choice(agents[0].facts.interfaces, seen[0], names[0][0], names[1][0])
    found = compare(kind, (ends[0], ends[1]), blocks, mpi, time.monotonic() - began_s)
    return msgspec.structs.replace(found, outages=outages), blocks


async def _interfaces(agent: Agent, addresses: Sequence[str]) -> list[CheckedInterface]:
    """Those that have a node's addresses; raises RequestError."""
    await agent.send(Inspect(addresses=list(addresses)))
    found = (await agent.expect(Inspected)).interfaces
    for address, interface in zip(addresses, found, strict=True):
        if interface is None:
            has = [f"{one.name} {' '.join(one.addresses)}" for one in agent.facts.interfaces]
            raise RequestError(
                f"--through: {agent.node} has no interface with the address {address}",
                f"it has {', '.join(has)}; give the tunnel's addresses in the order of the nodes",
            )
    return [one for one in found if one]


async def _path_mtus(agents: Sequence[Agent], places: dict[str, Places]) -> list[int | None]:
    """The largest packets that get from the first node to the second unfragmented, over each path."""
    asker, answerer = agents
    token = secrets.token_hex(32)
    await answerer.send(Echo(addresses=[one[1] for one in places.values()], token=token))
    ports = (await answerer.expect(Echoing)).ports
    peers = [
        Peer(node=1, network=at, from_=one[0], to=endpoint(one[1], port))
        for at, (one, port) in enumerate(zip(places.values(), ports, strict=True))
    ]
    await asker.send(Paths(peers=peers, token=token))
    tried = (await asker.expect(Tried)).paths
    await answerer.send(StopEcho())
    await answerer.expect(EchoStopped)
    if error := next((one.connect_error for one in tried if one.connect_error), None):
        raise RequestError(f"{asker.node} to {answerer.node}: {error}", "is the tunnel up?")
    return [one.mtu_bytes for one in sorted(tried, key=lambda one: one.network)]
