"""The script that replaces ssh when an MPI starts its daemons on a testbed's nodes."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from weft.measure.testbed.base import Node, Testbed

LAB_INTERFACE = "eth0"
_COMMAND = "@COMMAND@"
_UNTIL_UP = (
    f"n=0; until [ $n -eq 40 ] || ip link show {LAB_INTERFACE} 2>&1 | grep -q 'state UP\\|not found'; "
    "do n=$((n+1)); sleep 0.05; done;"
)
"""The kernel may report up to a second late that an interface is up; until then MPICH's UCX would not use it."""
_HEAD = """#!/bin/sh
quoted() { printf "'"; printf %s "$1" | sed "s/'/'\\\\\\\\''/g"; printf "'"; }
while case "$1" in -*) true ;; *) false ;; esac; do shift; done
node=$1; shift
case "$node" in
"""


def write_remote_shell(testbed: Testbed, nodes: Sequence[int], path: Path) -> list[str]:
    """Write a script that, like ssh, runs its further arguments on the node that the first names.

    Returns the names of the nodes, in order; nodes with the same login are one machine and share a name.
    """
    names = {node: testbed.machine(testbed.nodes[node]) for node in nodes}
    cases = {
        name: _case(name, _words(testbed, testbed.nodes[node])) for node, name in names.items()
    }
    unknown = '*) echo "no host $node" >&2; exit 1 ;;\n'
    path.write_text(f"{_HEAD}{''.join(cases.values())}{unknown}esac\n")
    path.chmod(0o755)
    return list(names.values())


def _words(testbed: Testbed, node: Node) -> list[str]:
    """The command that runs a shell command on the node.

    All nodes of a lab have this machine's host name, which an MPI would take for one host with shared memory, so each
    gets a host name of its own. All stay off the processor of the lab's forwarder, as weft's agents do.
    """
    if not testbed.is_here:
        return testbed.node_command(node, ["sh", "-c", _COMMAND])
    cpus = ",".join(map(str, sorted(set(testbed.cpus or []))))
    pinned = ["taskset", "-c", cpus] if cpus else []
    script = f'hostname {node.name}; {_UNTIL_UP} eval "$1"'
    return testbed.node_command(
        node, [*pinned, "unshare", "--uts", "sh", "-c", script, "sh", _COMMAND]
    )


def _case(name: str, words: list[str]) -> str:
    """A case of the script with the full path of the user's ssh, because mpirun puts its own folder first in PATH."""
    words = [shutil.which(words[0]) or words[0], *words[1:]]
    return f"{shlex.quote(name)}) exec {' '.join(map(_filled, words))} ;;\n"


def _filled(word: str) -> str:
    """A word of the script with the command filled in: as it is, or quoted if it is part of a longer word."""
    if word == _COMMAND:
        return '"$*"'
    return '"$(quoted "$*")"'.join(
        shlex.quote(piece) if piece else "" for piece in word.split(_COMMAND)
    )
