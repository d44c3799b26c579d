"""A node's report on its tunnel: a shell script that reads /proc, and a parser of its output."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from msgspec import Struct

from weft.measure.testbed.base import Node, Testbed

WITHIN_S = 20.0

LOOK = r"""
own=$(readlink /proc/self/ns/net)
tell() {
    echo "process $1 $(cat /proc/$1/comm)"
    tr '\0' ' ' </proc/$1/cmdline | sed 's/^/command /'; echo
    for inode in $(ls -l /proc/$1/fd 2>/dev/null | sed -n 's/.*socket:\[\([0-9]*\)\].*/\1/p'); do
        for protocol in udp udp6 tcp tcp6; do
            awk -v inode="$inode" -v protocol=$protocol '$10 == inode { print "socket", protocol, $2, $3 }' \
                /proc/$1/net/$protocol 2>/dev/null
        done
    done
    words=$(tr '\0' ' ' </proc/$1/cmdline)
    file=$(echo "$words" | sed -n 's/.*--config \([^ ]*\).*/\1/p')
    [ -n "$file" ] || file=$(echo "$words" | sed -n 's/^[^ ]*openvpn \([^- ][^ ]*\).*/\1/p')
    [ -z "$file" ] || (cd /proc/$1/cwd 2>/dev/null; grep -E \
        '^(proto|cipher|data-ciphers|auth|secret|tls-client|tls-server|client|comp-lzo|compress)( |$)' \
        "$file" | sed 's/^secret.*/secret/; s/^/option /')
}
for info in $(grep -lsE "^iff:[[:space:]]*$1\$" /proc/[0-9]*/fdinfo/*); do
    pid=${info#/proc/}; pid=${pid%%/*}
    [ "$(readlink /proc/$pid/ns/net)" = "$own" ] && echo $pid
done | sort -un | while read -r pid; do tell "$pid"; done
echo "route $(ip -o route get "$2" 2>/dev/null)"
env | sed -n 's/^OMPI_MCA_btl_tcp_if_/mpi btl_tcp_if_/p'
grep -hs '^[[:space:]]*btl_tcp_if_' /etc/openmpi/openmpi-mca-params.conf ~/.openmpi/mca-params.conf |
    sed 's/[[:space:]]*=[[:space:]]*/=/; s/^[[:space:]]*/mpi /'
true
"""
"""Takes an interface and the other end's address. Secrets are not read: of a configuration only lines about the packet
format."""

COUNT = r"""
for pid in "$@"; do echo "ticks $(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f12,13)"; done
echo "second $(getconf CLK_TCK)"
awk '/^Tcp:/ && seen { print "resent", $13 } /^Tcp:/ { seen = 1 }' /proc/net/snmp
"""


CARRIED = r"""
awk -v name="$1:" '{ sub(/:/, ": ") } $1 == name { print $2 + $10, $3 + $11 }' /proc/net/dev
"""


class TunnelProcess(Struct, frozen=True):
    """A process that holds the tunnel's interface; `sockets` are (protocol, own port, is connected)."""

    pid: int
    name: str
    command: str
    sockets: tuple[tuple[str, int, bool], ...] = ()
    options: dict[str, str] = {}


class VpnState(Struct, frozen=True):
    """`route` is the interface for packets to the other end's raw address, "" if unknown; `mpi` are Open MPI's
    interface settings."""

    processes: tuple[TunnelProcess, ...] = ()
    route: str = ""
    mpi: dict[str, str] = {}


class VpnCount(Struct, frozen=True):
    """Processor time of the VPN's processes so far, and the retransmitted segments of the node's TCP."""

    process_s: float
    resent: int


class InterfaceTraffic(Struct, frozen=True):
    """What an interface has received and sent so far."""

    size_bytes: int = 0
    packets: int = 0

    def since(self, before: InterfaceTraffic) -> InterfaceTraffic:
        """The difference from an earlier reading."""
        return InterfaceTraffic(self.size_bytes - before.size_bytes, self.packets - before.packets)


async def look(testbed: Testbed, node: Node, interface: str, other: str) -> VpnState:
    """What holds an interface, and the route to the other end; empty if nothing can be read."""
    return parse(await _print(testbed, node, LOOK, interface, other))


async def count(testbed: Testbed, node: Node, pids: Sequence[int]) -> VpnCount:
    """The counters of a node; zeros if nothing can be read."""
    return parse_count(await _print(testbed, node, COUNT, *map(str, pids)))


async def carried(testbed: Testbed, node: Node, interface: str) -> InterfaceTraffic:
    """The traffic of an interface so far; zeros if nothing can be read."""
    numbers = (await _print(testbed, node, CARRIED, interface)).split()
    return (
        InterfaceTraffic(int(float(numbers[0])), int(float(numbers[1])))
        if len(numbers) == 2
        else InterfaceTraffic()
    )


def parse(text: str) -> VpnState:
    """Parse the output of LOOK."""
    processes: list[TunnelProcess] = []
    route, mpi = "", {}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "process":
            pid, _, name = rest.partition(" ")
            processes.append(TunnelProcess(int(pid), name, ""))
        elif word in ("command", "socket", "option") and processes:
            processes[-1] = _with(processes[-1], word, rest)
        elif word == "route":
            found = re.search(r" dev (\S+)", rest)
            route = found.group(1) if found else ""
        elif word == "mpi":
            name, _, value = rest.partition("=")
            mpi[name] = value
    return VpnState(tuple(processes), route, mpi)


def parse_count(text: str) -> VpnCount:
    """Parse the output of COUNT."""
    ticks, second, resent = 0, 100, 0
    for line in text.splitlines():
        word, *numbers = line.split()
        if word == "ticks":
            ticks += sum(map(int, numbers))
        elif word == "second" and numbers:
            second = int(numbers[0])
        elif word == "resent" and numbers:
            resent = int(numbers[0])
    return VpnCount(ticks / second, resent)


def _with(process: TunnelProcess, word: str, rest: str) -> TunnelProcess:
    replaced = {name: getattr(process, name) for name in process.__struct_fields__}
    if word == "command":
        replaced["command"] = rest.strip()
        replaced["options"] = _options_of(rest)
    elif word == "option":
        name, _, value = rest.strip().partition(" ")
        replaced["options"] = {name: value.strip()} | process.options
    else:
        protocol, local, remote = rest.split()
        socket = (protocol, int(local.rpartition(":")[2], 16), not remote.endswith(":0000"))
        replaced["sockets"] = (*process.sockets, socket)
    return TunnelProcess(**replaced)


def _options_of(command: str) -> dict[str, str]:
    """Options of a command: {"proto": "udp", "tls-client": ""} for "--proto udp --tls-client"; secrets are dropped."""
    found = re.findall(r"--([a-z-]+)((?: (?!--)\S+)*)", command)
    return {name: "" if name == "secret" else value.strip() for name, value in found}


async def _print(testbed: Testbed, node: Node, script: str, *words: str) -> str:
    """The output of a script on a node; if it takes too long, the output so far."""
    command = testbed.node_command(node, ["sh", "-c", script, "sh", *words])
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(WITHIN_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return said.decode(errors="replace")
