"""Host files of Open MPI (`node1 slots=4 max_slots=8`) and MPICH (`node1:4 binding=...`): one host a line."""

from __future__ import annotations

import re

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"
_LINE = re.compile(
    rf"((?:{_NAME}@)?{_NAME})(?::\d+)?((?:\s+(?:slots|max[_-]slots|cpu|count|user|ifname|binding)\s*=\s*[^\s=]+)*)\s*"
)


def hosts_of_mpi(text: str) -> list[str] | None:
    """The hosts in order, each once, whatever its number of processes; None if it is no such file."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    found = [_LINE.fullmatch(line) for line in lines if line]
    if not found or None in found:
        return None
    return list(dict.fromkeys(one[1] for one in found if one))
