"""The brackets after a fabric's name, as in `pair(nic=e1000,cpus=2)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import msgspec
from msgspec import Struct

from weft.base.errors import RequestError
from weft.measure.testbed.vm.generated import refuse_generator
from weft.measure.testbed.vm.settings import (
    LEAST_MBYTES,
    MOST_CPUS,
    MOST_MBYTES,
    SHIFTS,
    GuestSettings,
    choices,
    read_card,
    read_mode,
)
from weft.runs.records.fabric_records import Bond


class Brackets(Struct, frozen=True, omit_defaults=True):
    """Settings in the brackets; for missing ones the fabric's apply. `nodes` are those that a plan runs on."""

    nic: str = ""
    cpus: int = 0
    memory_mbytes: int = 0
    bond: str = ""
    nodes: str = ""
    icount: str = ""

    def over(self, guest: GuestSettings) -> GuestSettings:
        """A guest's settings, overridden by these."""
        return GuestSettings(
            (self.nic,) if self.nic else guest.nics,
            self.cpus or guest.cpus,
            self.memory_mbytes or guest.memory_mbytes,
            Bond(mode=self.bond) if self.bond else guest.bond,
            guest.offloads,
            guest.vlan,
            guest.bridge,
            guest.sysctl,
            guest.behind,
            self.icount,
        )

    @property
    def of_guests(self) -> Brackets:
        """The brackets without `nodes`, which belong to a plan."""
        return msgspec.structs.replace(self, nodes="")

    def text(self) -> str:
        """The text as written by the user, for messages."""
        given = msgspec.to_builtins(self).items()
        return ",".join(f"{key.removesuffix('_mbytes')}={value}" for key, value in given)


def split_spec(spec: str) -> tuple[str, Brackets]:
    """A fabric's name, and the settings in the brackets after it; raises RequestError."""
    name, bracket, inner = spec.partition("(")
    if not bracket:
        return name, Brackets()
    if not inner.endswith(")"):
        raise RequestError(f"vm:{spec}: a bracket is not closed", "for example vm:pair(nic=e1000)")
    values: dict[str, object] = {}
    for part in filter(None, _parts(inner[:-1])):
        key, _, value = (word.strip() for word in part.partition("="))
        read = _READERS.get(key)
        if read is None:
            refuse_generator(spec)
            known = (one for one in _READERS if one != "queues")
            raise RequestError(f"vm:{spec}: no setting {key!r} of a guest", choices(known))
        field = "memory_mbytes" if key == "memory" else key
        values[field] = read(f"vm:{spec}: {key}", value)
    return name.strip(), Brackets(**values)  # type: ignore[arg-type]


def _parts(inner: str) -> list[str]:
    """The parts between commas, except commas of a node set."""
    parts = [""]
    depth = 0
    for one in inner:
        depth += (one == "[") - (one == "]")
        if one == "," and not depth:
            parts.append("")
        else:
            parts[-1] += one
    return parts


def _number(least: int, most: int, unit: str) -> Callable[[str, str], int]:
    def read(where: str, value: str) -> int:
        digits = value.removesuffix("M") if unit else value
        number = int(digits) if digits.isascii() and digits.isdigit() else 0
        if not least <= number <= most:
            right = f"a whole number from {least} to {most}{unit}"
            raise RequestError(f"{where}: {value!r} is not {right}", f"for example {least}")
        return number

    return read


def _icount(where: str, value: str) -> str:
    if value not in SHIFTS:
        right = f"auto, or the power of two of ns that an instruction takes, 0 to {SHIFTS[-1]}"
        raise RequestError(f"{where}: {value!r} is not {right}", "for example icount=auto")
    return value


def _queues(where: str, value: str) -> NoReturn:
    raise RequestError(
        f"{where}={value}: a guest's card has one pair of queues; QEMU gives several only to cards on tap devices, "
        "which need root, and a guest's is on a socket",
        "leave queues out",
    )


def _nodes(where: str, value: str) -> str:
    if not value:
        raise RequestError(f"{where}: which nodes?", "for example nodes=g[1-2]")
    return value


_READERS: dict[str, Callable[[str, str], object]] = {
    "nic": read_card,
    "bond": read_mode,
    "cpus": _number(1, MOST_CPUS, ""),
    "memory": _number(LEAST_MBYTES, MOST_MBYTES, " MB"),
    "nodes": _nodes,
    "icount": _icount,
    "queues": _queues,
}
