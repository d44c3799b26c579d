"""A tunnel compared with the path below it, on a terminal."""

from __future__ import annotations

from weft.base.quantity import number
from weft.faces.cli.tables.layout import plain_table, terminal, titled
from weft.faces.cli.tables.run_warnings import print_run_warnings
from weft.operate.vpn.comparison import Ends, PathMedians, TunnelComparison
from weft.operate.vpn.job import TunnelTraffic
from weft.runs.run_warnings import in_doubt


def print_comparison(found: TunnelComparison) -> None:
    """Print the verdict, then both paths, then the consequences for jobs."""
    console = terminal(soft_wrap=True)
    console.print(f"{found.kind.text}: {found.kind.why}")
    console.print(in_doubt(_verdict(found), found.doubts))
    console.print(f"limit: {found.limit}: {found.reason}")
    paths = [
        _row("raw path", found.raw, found.raw_measured),
        _row("tunnel", found.tunnel, found.tunnel_measured),
    ]
    headings = ["us round trip", "Mb/s", "s/GB", "VPN s/GB", "MTU", "path MTU", "segment"]
    title = f"{found.blocks} blocks of both in random order, {found.seconds:.0f} s"
    titled(console, title, plain_table("", *headings, rows=paths))
    console.print("s/GB is time of all processors of both nodes; VPN s/GB that of its processes")
    titled(console, "jobs", f" {found.mpi.text}")
    if found.mpi.advice:
        console.print(f"   {found.mpi.advice}", style="dim")
    if found.tcp_over_tcp:
        console.print(
            " TCP over TCP: after a loss both layers wait and send again; use UDP where a firewall lets it pass"
        )
    for one in found.outages:
        later = (
            f"and the tunnel did not answer in the {one.watched_s:.1f} s after it"
            if one.later_s is None
            else f"the tunnel answered {one.later_s:.1f} s after the path did"
        )
        console.print(
            f" at {one.begin_s:.1f} s the path was silent for {one.path_s:.1f} s; {later}"
        )
    if found.remedy:
        console.print(f" so that it recovers sooner: {found.remedy}")
    print_run_warnings(console, found.warnings)


_USED = {
    "path": "the job used the path, and not the tunnel",
    "tunnel": "the job used the tunnel",
    "both": "the job spread its bytes over the path and the tunnel, whose packets take the same path",
    "neither": "the job sent next to nothing between these nodes",
}


def print_observed(found: TunnelTraffic) -> None:
    """Print which path a job's bytes took, and how to change it."""
    console = terminal(soft_wrap=True)
    wrong = f": wrong, the {found.wanted} was wanted" if found.is_wrong else ""
    console.print(f"{_USED[found.used]}{wrong}")
    total = max(found.path_bytes + found.tunnel_bytes, 1)
    rows = [
        [name, ", ".join(dict.fromkeys(names)), f"{size / 1e6:.3f}", f"{100 * size / total:.1f} %"]
        for name, names, size in (
            ("path", found.interfaces["raw"], found.path_bytes),
            ("tunnel", found.interfaces["tunnel"], found.tunnel_bytes),
        )
    ]
    ended = f"ended with {found.status} after {found.seconds:.1f} s"
    table = plain_table("", "interfaces", "MB both ways", "share", rows=rows)
    titled(console, f"{' '.join(found.command)}: {ended}", table)
    console.print("the path's bytes are without the tunnel's packets")
    if found.advice:
        console.print(found.advice)


def _verdict(found: TunnelComparison) -> str:
    percent = f"{100 * found.ratio:.1f} %"
    if found.interval:
        percent += f" ({100 * found.interval.low:.1f} to {100 * found.interval.high:.1f})"
    text = f"the tunnel carries {percent} of the path's throughput"
    if found.expected and found.beside_arithmetic is not None:
        text += (
            f"; headers alone leave {100 * found.expected:.1f} % "
            f"(measured is {100 * found.beside_arithmetic:+.1f} % of that)"
        )
    return f"{text}; a round trip takes {number(found.rtt_added_us)} us more"


def _row(name: str, ends: Ends, measured: PathMedians) -> list[str]:
    spent = measured.processor_s_per_gb
    return [
        name,
        number(measured.rtt_us),
        number(measured.mbps),
        "" if spent is None else number(spent),
        number(measured.vpn_s_per_gb) if name == "tunnel" else "",
        *(str(one or "") for one in (ends.mtu_bytes, ends.path_mtu_bytes, ends.segment_bytes)),
    ]
