"""Is what weft says of VPN tunnels right?

What `weft vpn` says of real tunnels, beside the arithmetic of their headers.

usage: bench/run.py vpn [KIND...]
tier: peers

OpenVPN over UDP and TCP and WireGuard (wireguard-go) between two hosts of a lab of 20 Mb/s, with as many blocks as the
command takes by itself: throughput beside what headers leave, and how long it takes. The same between hosts that the
kernel alone joins, where a processor must be the limit. Then a hundredth of packets is dropped in either direction:
what tunnel and path carry. Then all packets are dropped for some seconds: how much later than the path each tunnel
answers again. Kinds are openvpn-udp, openvpn-tcp and wireguard; each is saved by itself.

Takes four minutes a kind, with the machine to itself.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from support.live.tunnels import KINDS, enter, tunnel
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.lab.testbed import open_lab
from weft.operate.vpn.comparison import TunnelComparison, TunnelOutage
from weft.operate.vpn.measure import VpnRequest, measure_vpn
from weft.operate.vpn.outages import watch

SHAPED = 'rate = "20 Mb/s"\ndelay = "1 ms"'
WITHIN_PCT, WITHIN_S = 3.0, 180.0
CUT_AT_S, CUT_S, WATCH_S = 2.0, 8.0, 30.0
LOSS = 0.01


@contextmanager
def site(kind: str, link: str) -> Iterator[tuple[Testbed, tuple[str, str]]]:
    """Two hosts and a tunnel between them."""
    with tempfile.TemporaryDirectory() as place:
        fabric = Path(place, "sites.toml")
        text = 'name = "sites"\n[[hosts]]\nids = "n[1-2]"\n[[links]]\nbetween = ["n1", "n2"]\n'
        fabric.write_text(text + link)
        with open_lab(str(fabric)) as lab, tunnel(kind, lab, Path(place)) as through:
            yield lab, through


def measured(kind: str, link: str, loss: float = 0.0) -> TunnelComparison:
    with site(kind, link) as (lab, through):
        if loss:
            lose(lab, loss)
        found = measure_vpn(lab, VpnRequest(through, blocks=4 if loss else 8))
    beside = found.beside_arithmetic
    name = f"loss {100 * loss:g} %" if loss else "20 Mb/s" if link else "no limit"
    print(
        f"{kind:<12} {name:<9} {found.kind.text:<50} "
        f"{found.raw_measured.mbps:8.4g} {found.tunnel_measured.mbps:8.4g} Mb/s  "
        f"{100 * found.ratio:5.1f} %, headers {100 * (found.expected or 0):5.1f} %, "
        f"{100 * (beside or 0):+5.1f} %; {found.limit}: {found.reason}; {found.tunnel_measured.vpn_s_per_gb:.4g} s/GB; "
        f"{found.seconds:.0f} s",
        flush=True,
    )
    return found


def recovered(kind: str) -> TunnelOutage | None:
    """What is seen of a cable that is out."""
    with site(kind, SHAPED) as (lab, through):
        cut = threading.Timer(CUT_AT_S, cut_cable, [lab])
        cut.start()
        found = asyncio.run(watch(lab, lab.nodes[1].address, through[1], WATCH_S))
        cut.join()
    one = max(found, key=lambda each: each.path_s, default=None)
    if one:
        print(
            f"{kind:<12} path silent for {one.path_s} s, tunnel later by {one.later_s} s",
            flush=True,
        )
    return one


def lose(lab: Testbed, share: float) -> None:
    """Drops a share of what arrives from the other host, at random, until the lab is gone."""
    for node in (0, 1):
        drop(lab, node, f"numgen random mod 1000 < {1000 * share:.0f}")


def drop(lab: Testbed, node: int, which: str = "") -> None:
    """Drops what arrives from the other host."""
    chain = "type filter hook input priority 0;"
    rule = f"ip saddr {lab.nodes[1 - node].address} {which} drop"
    enter(lab, node, "nft", f"table ip cut {{ chain input {{ {chain} {rule}; }}; }}")


def cut_cable(lab: Testbed) -> None:
    """Drops all that arrives at the second host from the first, for a while; its interface stays up."""
    drop(lab, 1)
    try:
        threading.Event().wait(CUT_S)
    finally:
        enter(lab, 1, "nft", "delete table ip cut")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    print(machine(), flush=True)
    for kind in parser.parse_args().kinds:
        save("vpn", goals_of(kind), part=kind, versions=versions())


def goals_of(kind: str) -> list[Goal]:
    """A kind of tunnel on a link, without one, with loss, and after a cut."""
    linked, unlimited = measured(kind, SHAPED), measured(kind, "")
    lossy, after = measured(kind, SHAPED, LOSS), recovered(kind)
    beside = linked.beside_arithmetic
    off = None if beside is None else 100 * abs(beside)
    loss = f"{100 * LOSS:g} % of packets lost"
    return [
        Goal(f"{kind}, 20 Mb/s: throughput off header arithmetic", off, "%", at_most=WITHIN_PCT),
        Goal(f"{kind}, 20 Mb/s: time of the command", linked.seconds, "s", at_most=WITHIN_S),
        Goal(
            f"{kind} without a link's limit: is called limited by a processor",
            float(unlimited.limit == "processor"),
            at_least=1,
        ),
        Goal(f"{kind}, {loss}: path", lossy.raw_measured.mbps, "Mb/s"),
        Goal(f"{kind}, {loss}: tunnel", lossy.tunnel_measured.mbps, "Mb/s"),
        Goal(f"{kind}, {loss}: round trip in the tunnel", lossy.tunnel_measured.rtt_us, "us"),
        Goal(
            f"{kind}: later than the path after {CUT_S:g} s without it",
            after.later_s if after else None,
            "s",
        ),
    ]


def versions() -> dict[str, str]:
    """Of the VPNs' programs."""
    first = subprocess.run(["openvpn", "--version"], capture_output=True, text=True, check=False)
    second = subprocess.run(
        ["wireguard-go", "--version"], capture_output=True, text=True, check=False
    )
    return {
        "openvpn": first.stdout.split()[1],
        "wireguard-go": second.stdout.split()[1].lstrip("v"),
    }


if __name__ == "__main__":
    main()
