"""What `weft vpn` says of real tunnels, beside the arithmetic of their headers.

usage: bench/vpn.py

OpenVPN over UDP and TCP and WireGuard (wireguard-go) between two hosts of a lab of 20 Mb/s, with as many blocks as the
command takes by itself: throughput beside what headers leave, and how long it takes. The same between hosts that the
kernel alone joins, where a processor must be the limit. Then packets are dropped for some seconds: how much later than
the path each tunnel answers again.

Takes seven minutes, with the machine to itself.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from common.machine import machine
from common.results import Goal, save
from support.tunnels import KINDS, enter, tunnel
from weft.testbed.base import Testbed
from weft.testbed.lab.testbed import open_lab
from weft.vpn.comparison import Comparison, Outage
from weft.vpn.measure import VpnRequest, measure_vpn
from weft.vpn.outages import watch

SHAPED = 'rate = "20 Mb/s"\ndelay = "1 ms"'
WITHIN_PCT, WITHIN_S = 3.0, 180.0
CUT_AT_S, CUT_S, WATCH_S = 2.0, 8.0, 30.0


@contextmanager
def site(kind: str, link: str) -> Iterator[tuple[Testbed, tuple[str, str]]]:
    """Two hosts and a tunnel between them."""
    with tempfile.TemporaryDirectory() as place:
        fabric = Path(place, "sites.toml")
        text = 'name = "sites"\n[[hosts]]\nids = "n[1-2]"\n[[links]]\nbetween = ["n1", "n2"]\n'
        fabric.write_text(text + link)
        with open_lab(str(fabric)) as lab, tunnel(kind, lab, Path(place)) as through:
            yield lab, through


def measured(kind: str, link: str) -> Comparison:
    with site(kind, link) as (lab, through):
        found = measure_vpn(lab, VpnRequest(through))
    beside = found.beside_arithmetic
    print(
        f"{kind:<12} {'20 Mb/s' if link else 'no limit':<9} {found.kind.text:<50} "
        f"{found.raw_measured.mbps:8.4g} {found.tunnel_measured.mbps:8.4g} Mb/s  "
        f"{100 * found.ratio:5.1f} %, headers {100 * (found.expected or 0):5.1f} %, "
        f"{100 * (beside or 0):+5.1f} %; {found.limit}; {found.tunnel_measured.vpn_s_per_gb:.4g} s/GB; "
        f"{found.seconds:.0f} s",
        flush=True,
    )
    return found


def recovered(kind: str) -> Outage | None:
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


def cut_cable(lab: Testbed) -> None:
    """Drops all that arrives at the second host from the first, for a while; its interface stays up."""
    rule = ["INPUT", "-s", lab.nodes[0].address, "-j", "DROP"]
    enter(lab, 1, "iptables", "-A", *rule)
    try:
        threading.Event().wait(CUT_S)
    finally:
        enter(lab, 1, "iptables", "-D", *rule)


def main() -> None:
    print(machine(), flush=True)
    goals = []
    for kind in KINDS:
        found = measured(kind, SHAPED)
        beside = found.beside_arithmetic
        off = None if beside is None else 100 * abs(beside)
        goals += [
            Goal(
                f"{kind}, 20 Mb/s: throughput off header arithmetic", off, "%", at_most=WITHIN_PCT
            ),
            Goal(f"{kind}, 20 Mb/s: time of the command", found.seconds, "s", at_most=WITHIN_S),
        ]
    limits = [measured(kind, "").limit for kind in KINDS]
    goals += [
        Goal(
            f"tunnels without a link's limit that are called limited by a processor, of {len(KINDS)}",
            limits.count("processor"),
            at_least=len(KINDS),
        )
    ]
    for kind in KINDS:
        one = recovered(kind)
        later = one.later_s if one else None
        goals.append(Goal(f"{kind}: later than the path after {CUT_S:g} s without it", later, "s"))
    save("vpn", goals, versions=versions())


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
