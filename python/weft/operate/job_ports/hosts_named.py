"""The nodes in a job's command, as mpirun and srun name them."""

from __future__ import annotations

from collections.abc import Sequence

_OPTIONS = {"--host", "-host", "-H", "--hosts", "-hosts", "-w", "--nodelist"}


def hosts_named(command: Sequence[str]) -> list[str]:
    """The nodes after --host and similar options, without their slots (a:2); empty if there is no such option."""
    for at, word in enumerate(command):
        option, is_joined, value = word.partition("=")
        if option in _OPTIONS:
            names = value if is_joined else "".join(command[at + 1 : at + 2])
            return [one.partition(":")[0] for one in names.split(",") if one]
    return []
