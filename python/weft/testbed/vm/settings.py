"""What a guest is like, as the brackets behind a fabric's name say: `pair(nic=e1000,cpus=2)`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from msgspec import Struct

from weft.errors import RequestError

MOST_CPUS = 64
LEAST_MBYTES = 192
"""With less the kernel has no room for its own files."""
MOST_MBYTES = 1 << 20


class Card(NamedTuple):
    """A model of network card: the emulator's device, and the kernel's module for it."""

    device: str
    module: str


CARDS = {
    "virtio": Card("virtio-net-pci", "virtio_net"),
    "e1000": Card("e1000", "e1000"),
    "e1000e": Card("e1000e", "e1000e"),
    "rtl8139": Card("rtl8139", "8139cp"),
    "ne2k": Card("ne2k_pci", "ne2k-pci"),
    "pcnet": Card("pcnet", "pcnet32"),
    "tulip": Card("tulip", "tulip"),
    "vmxnet3": Card("vmxnet3", "vmxnet3"),
}


MODES = (
    "balance-rr",
    "active-backup",
    "balance-xor",
    "broadcast",
    "802.3ad",
    "balance-tlb",
    "balance-alb",
)
"""Of Linux' bonding driver."""


class GuestSettings(Struct, frozen=True):
    """The card of each interface, processors, memory, and the mode of a bond beside the interfaces ("": none)."""

    nic: str = "virtio"
    cpus: int = 1
    memory_mbytes: int = 256
    bond: str = ""

    @property
    def card(self) -> Card:
        return CARDS[self.nic]


def split_spec(spec: str) -> tuple[str, GuestSettings]:
    """A fabric's name, and what is in the brackets behind it; raises RequestError."""
    name, bracket, inner = spec.partition("(")
    if not bracket:
        return name, GuestSettings()
    if not inner.endswith(")"):
        raise RequestError(f"vm:{spec}: a bracket is not closed", "for example vm:pair(nic=e1000)")
    values: dict[str, object] = {}
    for part in filter(None, inner[:-1].split(",")):
        key, _, value = (word.strip() for word in part.partition("="))
        read = _READERS.get(key)
        if read is None:
            raise RequestError(f"vm:{spec}: no setting {key!r} of a guest", _choices(_READERS))
        field = "memory_mbytes" if key == "memory" else key
        values[field] = read(f"vm:{spec}: {key}", value)
    return name.strip(), GuestSettings(**values)  # type: ignore[arg-type]


def _choices(known: Iterable[str]) -> str:
    return f"choose from {', '.join(known)}"


def _one_of(known: Collection[str], what: str) -> Callable[[str, str], str]:
    def read(where: str, value: str) -> str:
        if value not in known:
            raise RequestError(f"{where}: no {what} {value!r}", _choices(known))
        return value

    return read


def _number(least: int, most: int, unit: str) -> Callable[[str, str], int]:
    def read(where: str, value: str) -> int:
        digits = value.removesuffix("M") if unit else value
        number = int(digits) if digits.isascii() and digits.isdigit() else 0
        if not least <= number <= most:
            right = f"a whole number from {least} to {most}{unit}"
            raise RequestError(f"{where}: {value!r} is not {right}", f"for example {least}")
        return number

    return read


_READERS: dict[str, Callable[[str, str], object]] = {
    "nic": _one_of(CARDS, "card"),
    "bond": _one_of(MODES, "mode of a bond"),
    "cpus": _number(1, MOST_CPUS, ""),
    "memory": _number(LEAST_MBYTES, MOST_MBYTES, " MB"),
}
