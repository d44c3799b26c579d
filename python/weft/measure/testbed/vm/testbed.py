"""A lab whose hosts are virtual machines, as a testbed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from weft.base import catalog
from weft.base.errors import RequestError
from weft.measure.testbed.base import Node
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.daemon import let_go
from weft.measure.testbed.lab.guests import LabGuests
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import Lab, make_room, private_name
from weft.measure.testbed.vm.bond import bond_address
from weft.measure.testbed.vm.boot.boot import last_lines
from weft.measure.testbed.vm.boot.load import load_warnings, usages
from weft.measure.testbed.vm.brackets import Brackets, split_spec
from weft.measure.testbed.vm.described import settings_of
from weft.measure.testbed.vm.start import start_guests
from weft.network.fabrics.load import load_fabric
from weft.runs.meta import Warning
from weft.runs.records import records
from weft.runs.records.fabric_records import FabricRecord

EMULATED = Warning(
    "emulated",
    "the guests' processors are emulated: rates and times are the emulator's, ratios between runs like this one "
    "are findings",
    "use --scale, so that links and not processors are the limit; with KVM guests run at the machine's own speed",
)

VIRTUAL_TIME = Warning(
    "virtual-time",
    "a guest's clock counts its own instructions while it runs, and follows this machine's while it waits: times "
    "between guests are of two kinds at once",
    "compare only runs with the same icount; leave it out where links are measured",
)

GUEST_LOGIN = "a port of its virtual machine"

ENDED = "a panic is in those lines; where there is none, its emulator was killed: look for want of memory (dmesg)"


class GuestLab(Lab):
    """Guests that are up; `close` takes them down unless they were up before."""

    kind = "vm"
    cpus = None
    is_here = False
    may_spin = False

    def __init__(
        self, entry: LabEntry, process: subprocess.Popen[str] | None, chosen: str = ""
    ) -> None:
        """`chosen` are the nodes that a plan runs on, "" for all. Raises RequestError."""
        assert entry.guests
        self._chosen = expand(fabric_of(entry), chosen)
        super().__init__(entry, process)
        self._guests = entry.guests
        self._usages = usages(self._guests.pids)

    @property
    def warnings(self) -> list[Warning]:
        regime = [EMULATED] if self._guests.virtualisation == "emulated" else []
        regime += [VIRTUAL_TIME] if self._guests.icount else []
        return [
            *super().warnings,
            *regime,
            *load_warnings(self._usages, usages(self._guests.pids)),
            *self._ended(),
        ]

    def _ended(self) -> Iterator[Warning]:
        """Warnings about guests whose emulators have ended, with the last output of their consoles."""
        for name in self._guests.pids:
            if not self._guests.is_alive(name):
                said = last_lines(self._guests.console(name))
                yield Warning(
                    "guest-ended",
                    f"{name}'s virtual machine has ended; its console said last:\n{said}",
                    ENDED,
                )

    @property
    def nodes(self) -> list[Node]:
        chosen = [node for node in super().nodes if node.name in self._chosen]
        bonded = self._guests.bonded
        return [
            replace(node, bond=bond_address(node.address)) if node.name in bonded else node
            for node in chosen
        ]

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json."""
        guests = self._guests
        about: records.GuestsRecord = {
            "emulator": guests.emulator,
            "kernel": guests.kernel,
            "nic": guests.nic,
            "cpus": guests.cpus,
            "memory_mbytes": guests.memory_mbytes,
            "bond": guests.bond,
        }
        if guests.icount:
            about["icount"] = guests.icount
        return super().describe() | {"virtualisation": guests.virtualisation, "guests": about}

    @property
    def guests_folder(self) -> str:
        """The folder of the guests' sockets and consoles."""
        return self._guests.folder

    def inside(self, node: Node, argv: list[str]) -> list[str]:
        """The command that runs one of a guest's own programs."""
        return self._guests.inside(node.name, argv)

    def login(self, node: Node) -> str:
        return GUEST_LOGIN if node.name in self._guests.pids else super().login(node)


def open_vm(spec: str, scale: float = 1.0) -> GuestLab:
    """The guests of the lab with this name if they are up, else private ones of that fabric; raises RequestError,
    BootError."""
    name, brackets = split_spec(spec)
    entry = kept_up(name, scale, brackets)
    if entry is None:
        path = catalog.find("fabric", name)
        expand(load_fabric(str(path)), brackets.nodes)
        started = start_guests(path, scale, private_name(path), brackets, private=True)
        return GuestLab(*started, brackets.nodes)
    return GuestLab(entry, None, brackets.nodes)


def kept_up(name: str, scale: float, brackets: Brackets) -> LabEntry | None:
    """The lab of this name if its guests stay up; raises RequestError if they differ from those requested."""
    entry = registry.get(name)
    if entry is None or entry.private or entry.state == "stale" or not entry.guests:
        return None
    asked = brackets.of_guests
    if scale not in (1.0, entry.scale) or asked not in (Brackets(), brackets_of(entry)):
        raise RequestError(
            f"the guests of {name} are up, at scale {entry.scale:g}" + _with(entry.guests),
            f"`weft vm down {name}` first, or leave --scale and the brackets out",
        )
    return entry


def open_bonded(spec: str, scale: float = 1.0) -> GuestLab:
    """Like `open_vm`, for nodes that all have a bond; raises RequestError before guests boot."""
    name, brackets = split_spec(spec)
    entry = kept_up(name, scale, brackets)
    if entry and entry.guests:
        bonded, hosts = set(entry.guests.bonded), expand(fabric_of(entry), brackets.nodes)
    else:
        fabric = load_fabric(name, scale)
        bonded = {host for host, one in settings_of(fabric, brackets).items() if one.bond}
        hosts = expand(fabric, brackets.nodes)
    if lacking := sorted(hosts - bonded):
        raise RequestError(
            f"vm:{spec}: {lacking[0]} has no bond", "for example two-nics(bond=active-backup)"
        )
    return open_vm(spec, scale)


def boot_guests(spec: str, scale: float, lab: str | None) -> LabEntry:
    """Boot guests that stay until they are taken down; raises RequestError, BootError."""
    name, brackets = split_spec(spec)
    if brackets.nodes:
        raise RequestError(
            f"vm:{spec}: nodes chooses what a plan runs on; all guests boot",
            f"give it when you run: --on 'vm:{name}(nodes={brackets.nodes})'",
        )
    path = catalog.find("fabric", name)
    lab = lab or path.stem
    make_room(lab)
    entry, process = start_guests(path, scale, lab, brackets, private=False)
    let_go(process)
    return entry


def brackets_of(entry: LabEntry) -> Brackets:
    """The brackets with which its guests were requested."""
    return split_spec(f"({entry.guests.brackets})")[1] if entry.guests else Brackets()


def fabric_of(entry: LabEntry) -> FabricRecord:
    """The fabric that a lab was built from."""
    return cast(FabricRecord, entry.keeper.fabric)


def _with(guests: LabGuests) -> str:
    return f" and with {guests.brackets}" if guests.brackets else ""


def expand(fabric: FabricRecord, chosen: str) -> set[str]:
    """The hosts of a set, all for ""; raises RequestError."""
    known = [host["name"] for host in fabric["hosts"]]
    if not chosen:
        return set(known)
    # The library for node sets is slow to import.
    from weft.measure.testbed.hosts import node_set

    names = node_set.expand(chosen)
    if missing := [name for name in names if name not in known]:
        raise RequestError(
            f"{fabric['name']} has no host {missing[0]}", f"its hosts: {', '.join(known)}"
        )
    return set(names)
