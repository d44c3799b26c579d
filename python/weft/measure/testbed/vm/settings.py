"""The settings of a guest, and their possible values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from weft.base.errors import RequestError
from weft.runs.records.fabric_records import Bond

MOST_CPUS = 64
LEAST_MBYTES = 192
"""With less memory the kernel has no room for its own files."""
MOST_MBYTES = 1 << 20

SHIFTS = ("auto", *map(str, range(11)))
"""Values of QEMU's `-icount`, which derives time from a guest's instructions."""


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
"""Modes of Linux' bonding driver."""
HASHES = ("layer2", "layer2+3", "layer3+4", "encap2+3", "encap3+4", "vlan+srcmac")
"""Hashes by which it chooses a packet's interface, in modes that use one."""


class GuestSettings(Struct, frozen=True):
    """The cards of its interfaces in order (the last applies to further ones), processors, memory, and devices over the
    interfaces; `vlan` 0 and `behind` "" mean none. `icount`: an instruction takes 2**icount ns, "auto", or "" for the
    machine's time."""

    nics: tuple[str, ...] = ("virtio",)
    cpus: int = 1
    memory_mbytes: int = 256
    bond: Bond | None = None
    offloads: bool = True
    vlan: int = 0
    bridge: bool = False
    sysctl: Mapping[str, str] = {}
    behind: str = ""
    icount: str = ""

    def nic(self, interface: int) -> str:
        """The card model of an interface, counted from 0."""
        return self.nics[min(interface, len(self.nics) - 1)]

    def card(self, interface: int) -> Card:
        """The names of its card for the emulator and the kernel."""
        return CARDS[self.nic(interface)]

    @property
    def modules(self) -> list[str]:
        """The modules of all its cards."""
        return [CARDS[nic].module for nic in self.nics]


def choices(known: Iterable[str]) -> str:
    """A hint that lists all choices."""
    return f"choose from {', '.join(known)}"


def one_of(known: Collection[str], what: str) -> Callable[[str, str], str]:
    """A reader of a value that must be one of these; it raises RequestError."""

    def read(where: str, value: str) -> str:
        if value not in known:
            raise RequestError(f"{where}: no {what} {value!r}", choices(known))
        return value

    return read


read_card = one_of(CARDS, "card")
read_mode = one_of(MODES, "mode of a bond")
read_hash = one_of(HASHES, "hash policy of a bond")
