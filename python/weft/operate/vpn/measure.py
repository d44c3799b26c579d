"""Inspects a tunnel between two nodes, measures it and the path below it, and judges the result."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from weft.base.errors import RequestError
from weft.measure.execute.crew import Crew
from weft.measure.execute.pair import endpoint
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.reply import EchoReply, EchoStopReply, TryReply
from weft.measure.testbed.agent.request import Echo, PathsRequest, Peer, StopEcho
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.operate.vpn.blocks import AgentPair, PathTrial, run_blocks
from weft.operate.vpn.comparison import Ends, TunnelComparison, compare
from weft.operate.vpn.document import checked
from weft.operate.vpn.ends import Places, find_tunnel
from weft.operate.vpn.mpi import choice
from weft.operate.vpn.outages import remedy_of, watch
from weft.runs.meta import Warning
from weft.runs.run_warnings import gathered
from weft.runs.work_document import write_json

FILE_NAME = "vpn.json"


class VpnRequest(Struct, frozen=True):
    """`through` are the tunnel's addresses on the first two nodes. At most `blocks` blocks of paired trials of
    `trial_s` are measured, and no more than fit into `within_s`. The path's outages are watched for `watch_s`. `notes`
    are warnings about the testbed's scale."""

    through: Places
    blocks: int = 8
    trial_s: float = 4.0
    within_s: float = 150.0
    watch_s: float = 0.0
    notes: tuple[Warning, ...] = ()


def measure_vpn(
    testbed: Testbed, request: VpnRequest, out: str | None = None, reporter: Reporter | None = None
) -> TunnelComparison:
    """Measure raw path and tunnel between a testbed's first two nodes; writes vpn.json to the folder `out`.

    Raises RequestError for addresses that nodes do not have, and AgentError.
    """
    folder = checked(testbed, out, FILE_NAME)
    found, blocks = run_to_end(_visit(testbed, request, reporter or Reporter()))
    warnings = gathered([(out or "", (*request.notes, *testbed.warnings))])
    found = msgspec.structs.replace(found, warnings=warnings)
    if folder:
        write_json(folder / FILE_NAME, found.to_json() | {"trials": blocks})
    return found


async def _visit(
    testbed: Testbed, request: VpnRequest, reporter: Reporter
) -> tuple[TunnelComparison, list[list[PathTrial]]]:
    began_s = time.monotonic()
    reporter.start(request.blocks + 1)
    reporter.describe("starting agents")
    crew = await Crew.start(testbed, range(2))
    try:
        agents = crew.need(range(2))
        found = await find_tunnel(testbed, agents, request.through)
        path_mtus = await _path_mtus(agents, found.places)
        pids = [[process.pid for process in one.processes] for one in found.seen]
        reporter.advance(1)
        pair = AgentPair(testbed, agents, found.places, (pids[0], pids[1]))
        blocks = await run_blocks(pair, request.blocks, request.trial_s, request.within_s, reporter)
        outages = await watch(testbed, found.places["raw"][1], request.through[1], request.watch_s)
    finally:
        await crew.close()
    segments = {one.path: one.segment_bytes for block in blocks for one in block}
    raw, tunnel = [
        Ends(place, found.interfaces[path], found.mtus[path], mtu, segments[path])
        for (path, place), mtu in zip(found.places.items(), path_mtus, strict=True)
    ]
    names = raw.interfaces[0], tunnel.interfaces[0]
    mpi = choice(agents[0].facts.interfaces, found.seen[0], *names)
    compared = compare(found.kind, (raw, tunnel), blocks, mpi, time.monotonic() - began_s)
    remedy = remedy_of(found.kind, outages)
    return msgspec.structs.replace(compared, outages=outages, remedy=remedy), blocks


async def _path_mtus(agents: Sequence[Agent], places: dict[str, Places]) -> list[int | None]:
    """The largest packets that pass from the first node to the second unfragmented, over each path."""
    asker, answerer = agents
    token = secrets.token_hex(32)
    await answerer.send(Echo(addresses=[one[1] for one in places.values()], token=token))
    ports = (await answerer.expect(EchoReply)).ports
    peers = [
        Peer(node=1, network=at, from_=one[0], to=endpoint(one[1], port))
        for at, (one, port) in enumerate(zip(places.values(), ports, strict=True))
    ]
    await asker.send(PathsRequest(peers=peers, token=token))
    tried = (await asker.expect(TryReply)).paths
    await answerer.send(StopEcho())
    await answerer.expect(EchoStopReply)
    if error := next((one.connect_error for one in tried if one.connect_error), None):
        raise RequestError(f"{asker.node} to {answerer.node}: {error}", "is the tunnel up?")
    return [one.mtu_bytes for one in sorted(tried, key=lambda one: one.network)]
