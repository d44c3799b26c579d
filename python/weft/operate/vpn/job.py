"""A job while it runs: how many bytes its nodes exchange through the tunnel, and how many outside it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from weft.base.errors import RequestError
from weft.base.result import Documented
from weft.measure.execute.crew import Crew
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.operate.vpn.document import checked
from weft.operate.vpn.ends import Places, Tunnel, find_tunnel
from weft.operate.vpn.headers import Encapsulation, added_bytes
from weft.operate.vpn.mpi import setting
from weft.operate.vpn.node_look import InterfaceTraffic, carried
from weft.runs.work_document import write_json

FILE_NAME = "job.json"
ChosenBatch = Literal["path", "tunnel"]
NEARLY_ALL = 0.95
LEAST_BYTES = 100_000
"""With fewer bytes between two nodes nothing is reported: launchers alone send this much."""
FRAME_BYTES = 14
"""An Ethernet header, which the path's interface counts and the tunnel's does not."""
SEGMENT_SHARE = 1.08
"""Bytes on the path per byte in OpenVPN's TCP, with headers of full segments and their acknowledgements."""
_OWN_SHARE = 0.05
"""Up to this share of the tunnel's packets on the path may be keepalives and rounding."""


class TunnelTraffic(Documented, Struct, frozen=True):
    """`tunnel_bytes` passed the tunnel's interfaces of both nodes, `path_bytes` the path's, without the tunnel's own
    packets (both directions together; traffic that only one node saw is not counted)."""

    DERIVED = ("tunnel_share", "is_wrong")

    command: list[str]
    status: int
    seconds: float
    interfaces: dict[str, tuple[str, str]]
    tunnel_bytes: int
    path_bytes: int
    wanted: ChosenBatch | None
    used: Literal["path", "tunnel", "both", "neither"]
    advice: str

    @property
    def tunnel_share(self) -> float | None:
        """The tunnel's share of the bytes between the nodes; None if there were none."""
        total = self.tunnel_bytes + self.path_bytes
        return self.tunnel_bytes / total if total else None

    @property
    def is_wrong(self) -> bool:
        """Whether it used something other than only what was wanted."""
        return self.wanted is not None and self.used not in (self.wanted, "neither")


def observe_job(
    testbed: Testbed,
    through: Places,
    command: Sequence[str],
    wanted: ChosenBatch | None,
    out: str | None = None,
) -> TunnelTraffic:
    """Run a command on the first node and count bytes; its output goes to standard error. Writes job.json to `out`.

    Raises RequestError for addresses that nodes do not have, and AgentError.
    """
    folder = checked(testbed, out, FILE_NAME)
    found = run_to_end(_observe(testbed, through, command, wanted))
    if folder:
        write_json(folder / FILE_NAME, found.to_json())
    return found


async def _observe(
    testbed: Testbed, through: Places, command: Sequence[str], wanted: ChosenBatch | None
) -> TunnelTraffic:
    crew = await Crew.start(testbed, range(2))
    try:
        found = await find_tunnel(testbed, crew.need(range(2)), through)
    finally:
        await crew.close()
    before = await _counts(testbed, found)
    began_s = time.monotonic()
    status = await _run(testbed, command)
    seconds = time.monotonic() - began_s
    after = await _counts(testbed, found)
    raw, tunnel = (_between(before[path], after[path]) for path in ("raw", "tunnel"))
    path_bytes = beside_tunnel(raw, tunnel, found.kind.wrapping)
    used = used_by(path_bytes, tunnel.size_bytes)
    return TunnelTraffic(
        command=list(command),
        status=status,
        seconds=round(seconds, 2),
        interfaces=found.interfaces,
        tunnel_bytes=tunnel.size_bytes,
        path_bytes=path_bytes,
        wanted=wanted,
        used=used,
        advice="" if status else _advice(found, wanted, used),
    )


def beside_tunnel(
    raw: InterfaceTraffic, tunnel: InterfaceTraffic, wrapping: Encapsulation | None
) -> int:
    """The path's bytes without the tunnel's packets, in bytes of IP packets."""
    whole = max(raw.size_bytes - raw.packets * FRAME_BYTES, 0)
    inner = tunnel.size_bytes // tunnel.packets if tunnel.packets else 0
    own = tunnel.size_bytes
    if wrapping:
        own += tunnel.packets * added_bytes(wrapping, inner, inner)
    if not wrapping or wrapping.protocol == "tcp":
        own = round(own * SEGMENT_SHARE)
    rest = whole - own
    return rest if rest > _OWN_SHARE * own else 0


def used_by(path_bytes: int, tunnel_bytes: int) -> Literal["path", "tunnel", "both", "neither"]:
    """Which path carried nearly all bytes."""
    total = path_bytes + tunnel_bytes
    if total < LEAST_BYTES:
        return "neither"
    if tunnel_bytes >= NEARLY_ALL * total:
        return "tunnel"
    return "path" if path_bytes >= NEARLY_ALL * total else "both"


def _advice(found: Tunnel, wanted: ChosenBatch | None, used: str) -> str:
    if used == "neither":
        return "are there ranks on both nodes? mpirun --host A,B --map-by node"
    if used == wanted or (wanted is None and used != "both"):
        return ""
    return "; ".join(
        f"for the {name}: {setting(found.interfaces[path], found.places[path])}"
        for name, path in (("path", "raw"), ("tunnel", "tunnel"))
        if wanted in (None, name)
    )


async def _counts(testbed: Testbed, found: Tunnel) -> dict[str, list[InterfaceTraffic]]:
    """The counters of each node, by path."""
    return {
        path: [
            await carried(testbed, node, name)
            for node, name in zip(testbed.nodes[:2], names, strict=True)
        ]
        for path, names in found.interfaces.items()
    }


def _between(
    before: Sequence[InterfaceTraffic], after: Sequence[InterfaceTraffic]
) -> InterfaceTraffic:
    """What the interfaces of both nodes carried; traffic with others is seen by only one."""
    gone = [new.since(old) for old, new in zip(before, after, strict=True)]
    return min(gone, key=lambda one: one.size_bytes)


async def _run(testbed: Testbed, command: Sequence[str]) -> int:
    """The job's exit status; raises RequestError if it cannot be started."""
    words = testbed.node_command(testbed.nodes[0], list(command))
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            stderr=sys.stderr.fileno(),
        )
    except OSError as error:
        raise RequestError(f"{words[0]}: cannot be started: {error.strerror}") from None
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
