"""The agent's program, as it is copied to nodes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from weft.base import binaries
from weft.base.errors import RequestError

_MACHINE_AT = 18
_MACHINES = {21: "ppc64le", 22: "s390x", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""e_machine of an ELF header (elf(5)), and its name in `uname -m`."""


@dataclass(frozen=True)
class AgentProgram:
    """A program: its name, content, SHA-256, and architecture."""

    name: str
    content: bytes
    digest: str
    machine: str


Programs: TypeAlias = Mapping[str, AgentProgram]
"""The program for each architecture, by the name that `uname -m` prints."""


def agent_program() -> AgentProgram:
    """The agent for nodes like this machine; raises RequestError."""
    return read_program(binaries.find("weft-probe"))


def agent_programs() -> Programs:
    """The agents for all architectures that this installation contains; raises RequestError."""
    own, others = agent_program(), binaries.elsewhere("weft-probe")
    return {own.machine: own} | {machine: read_program(path) for machine, path in others.items()}


def read_program(path: Path) -> AgentProgram:
    """Read a Linux program; raises RequestError if the file is not one."""
    content = path.read_bytes()
    number = int.from_bytes(content[_MACHINE_AT : _MACHINE_AT + 2], "little")
    if not content.startswith(b"\x7fELF") or number not in _MACHINES:
        raise RequestError(f"{path}: not a program that nodes can run", "run `make setup`")
    return AgentProgram(path.name, content, hashlib.sha256(content).hexdigest(), _MACHINES[number])
