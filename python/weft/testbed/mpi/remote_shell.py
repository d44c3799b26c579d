"""What takes the place of ssh when an MPI starts its daemons on a testbed's nodes."""

from __future__ import annotations

import shlex
from pathlib import Path

from weft.testbed.base import Testbed


def write_remote_shell(testbed: Testbed, path: Path) -> None:
    """Write a script that runs its further arguments, as ssh would, on the node with the address of its first.

    All nodes of a lab have this machine's name, which an MPI takes for one host with shared memory, so each gets a
    host name of its own. All stay off the processor that the lab's forwarder needs, as weft's agents do.
    """
    cpus = ",".join(map(str, sorted(set(testbed.cpus or []))))
    pinned = ["taskset", "-c", cpus] if cpus else []
    cases = []
    for node in testbed.nodes:
        shell = ["unshare", "--uts", "sh", "-c", f'hostname {node.name}; eval "$1"', "sh"]
        enter = shlex.join(testbed.node_command(node, [*pinned, *shell]))
        cases.append(f'{node.address}) shift; exec {enter} "$*" ;;\n')
    unknown = '*) echo "no host $1" >&2; exit 1 ;;\n'
    path.write_text(f'#!/bin/sh\ncase "$1" in\n{"".join(cases)}{unknown}esac\n')
    path.chmod(0o755)
