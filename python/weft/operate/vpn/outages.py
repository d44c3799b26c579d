"""How long a tunnel takes to carry packets again after an outage of the path below it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from itertools import pairwise

from weft.measure.testbed.base import Testbed
from weft.operate.vpn.comparison import TunnelOutage
from weft.operate.vpn.kind import VpnKind

EVERY_S = 0.2
SILENT_S = 3 * EVERY_S
LATE_S = 5.0
_REMEDIES = {
    (
        "openvpn",
        "udp",
    ): "on both ends `ping 1` and `ping-restart 10` (in a server `keepalive 1 10`): so long after the "
    "last packet it begins anew; a client takes 120 s if not told, and other ends never do",
    (
        "openvpn",
        "tcp",
    ): "on both ends `ping 1` and `ping-restart 10`, and `connect-retry 1 5` on the client; over UDP "
    "it needs no connection",
    (
        "wireguard",
        "udp",
    ): "`PersistentKeepalive = 25` on the end behind NAT or a firewall; a name of an endpoint is "
    "resolved once, so that `wg set` has to say a changed address",
}
_REPLY = re.compile(r"^\[(\d+\.\d+)\].* bytes from ", re.MULTILINE)


async def watch(testbed: Testbed, path: str, tunnel: str, for_s: float) -> list[TunnelOutage]:
    """Ping both addresses from the first node at intervals, and compare their silences."""
    if not for_s:
        return []
    began_s = time.time()
    asked = _replies(testbed, path, for_s), _replies(testbed, tunnel, for_s)
    ours, theirs = await asyncio.gather(*asked)
    return outages(ours, theirs, began_s)


def outages(
    path: Sequence[float], tunnel: Sequence[float], began_s: float = 0.0
) -> list[TunnelOutage]:
    """Each silence of the path that ended, from the times of replies over both, in seconds."""
    found = []
    for last, first in pairwise(path):
        if first - last > SILENT_S:
            later = next((one - first for one in tunnel if one >= first), None)
            watched_s = round(path[-1] - first, 2)
            began, lasted = round(last - began_s, 2), round(first - last, 2)
            found.append(TunnelOutage(began, lasted, _rounded(later), watched_s))
    return found


def remedy_of(kind: VpnKind, found: Sequence[TunnelOutage]) -> str:
    """What to set if a tunnel answered late or not at all; "" if none did, or the VPN is unknown."""
    late = [
        one for one in found if (one.watched_s if one.later_s is None else one.later_s) >= LATE_S
    ]
    return _REMEDIES.get((kind.name, kind.protocol), "") if late else ""


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


async def _replies(testbed: Testbed, address: str, for_s: float) -> list[float]:
    """The times of an address's replies, on the node's clock."""
    words = ["ping", "-n", "-D", "-i", f"{EVERY_S}", "-w", f"{max(1, round(for_s))}", address]
    process = await asyncio.create_subprocess_exec(
        *testbed.node_command(testbed.nodes[0], words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    said, _ = await process.communicate()
    return [float(one) for one in _REPLY.findall(said.decode(errors="replace"))]
