"""A lab whose hosts are virtual machines, as a testbed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec

from weft.errors import RequestError
from weft.plan import catalog
from weft.runs import records
from weft.runs.meta import Warning
from weft.testbed.base import Node
from weft.testbed.lab import registry
from weft.testbed.lab.daemon import close_pipes, let_go
from weft.testbed.lab.guests import Guests, Virtualisation
from weft.testbed.lab.registry import Entry
from weft.testbed.lab.testbed import Lab, make_room, private_name, start_lab
from weft.testbed.vm.accelerator import choose_accelerator
from weft.testbed.vm.bond import bond_address, check_bond, configure_bond
from weft.testbed.vm.boot import Place, Telling, boot, configure_guest
from weft.testbed.vm.emulator import (
    PORTS,
    Accelerator,
    Image,
    check_memory,
    find_emulator,
    guest_command,
    machine_command,
)
from weft.testbed.vm.initramfs import ALWAYS, initramfs
from weft.testbed.vm.interfaces import configure
from weft.testbed.vm.kernel import Kernel, find_kernel
from weft.testbed.vm.load import load_warnings, usages
from weft.testbed.vm.settings import GuestSettings, split_spec

_KINDS: dict[Accelerator, Virtualisation] = {"kvm": "virtual", "tcg": "emulated"}
EMULATED = Warning(
    "emulated",
    "the guests' processors are emulated: rates and times are the emulator's, ratios between runs like this one "
    "are findings",
    "use --scale, so that links and not processors are the limit; with KVM guests run at the machine's own speed",
)


class GuestLab(Lab):
    """Guests that are up; `close` takes them down unless they were up before."""

    kind = "vm"
    cpus = None
    is_here = False
    may_spin = False

    def __init__(self, entry: Entry, process: subprocess.Popen[str] | None) -> None:
        super().__init__(entry, process)
        assert entry.guests
        self._guests = entry.guests
        self._usages = usages(self._guests.pids)

    @property
    def warnings(self) -> list[Warning]:
        regime = [EMULATED] if self._guests.virtualisation == "emulated" else []
        return [
            *super().warnings,
            *regime,
            *load_warnings(self._usages, usages(self._guests.pids)),
        ]

    @property
    def nodes(self) -> list[Node]:
        if not self._guests.bond:
            return super().nodes
        return [replace(node, bond=bond_address(node.address)) for node in super().nodes]

    def describe(self) -> records.Testbed:
        """What run.json says about it."""
        guests = self._guests
        about: records.Guests = {
            "emulator": guests.emulator,
            "kernel": guests.kernel,
            "nic": guests.nic,
            "cpus": guests.cpus,
            "memory_mbytes": guests.memory_mbytes,
            "bond": guests.bond,
        }
        return super().describe() | {"virtualisation": guests.virtualisation, "guests": about}

    def login(self, node: Node) -> str:
        return "a port of its virtual machine"


def open_vm(spec: str, scale: float = 1.0) -> GuestLab:
    """The guests of that lab if they are up, else private ones of that fabric; raises RequestError, BootError."""
    name, settings = split_spec(spec)
    entry = registry.get(name)
    if entry is None or entry.private or entry.state == "stale" or not entry.guests:
        path = catalog.find("fabric", name)
        return GuestLab(*_start(path, scale, private_name(path), settings, private=True))
    if scale not in (1.0, entry.scale) or (name != spec and settings != _of(entry.guests)):
        raise RequestError(
            f"the guests of {name} are up, at scale {entry.scale:g} and with {_of(entry.guests)}",
            f"`weft vm down {name}` first, or leave --scale and the brackets out",
        )
    return GuestLab(entry, None)


def boot_guests(spec: str, scale: float, lab: str | None) -> Entry:
    """Guests that stay until they are taken down; raises RequestError, BootError."""
    name, settings = split_spec(spec)
    path = catalog.find("fabric", name)
    lab = lab or path.stem
    make_room(lab)
    entry, process = _start(path, scale, lab, settings, private=False)
    let_go(process)
    return entry


def _of(guests: Guests) -> GuestSettings:
    return GuestSettings(guests.nic, guests.cpus, guests.memory_mbytes, guests.bond)


def _start(
    path: Path, scale: float, lab: str, settings: GuestSettings, private: bool
) -> tuple[Entry, subprocess.Popen[str]]:
    """A lab with its guests booted; where one does not boot, nothing is left."""
    program = find_emulator()
    kernel = find_kernel([*ALWAYS, settings.card.module])
    image = Image(kernel.image, initramfs(kernel, settings.card.module))
    accelerator = choose_accelerator(program, image)
    entry, process = start_lab(path, scale, lab, private, guests=True)
    try:
        check_memory(len(entry.keeper.nodes), settings)
        check_bond(entry.keeper, settings.bond)
        guests = _guests(lab, program, kernel, settings, _KINDS[accelerator])
        machine = machine_command(program, accelerator, settings, image)
        entry = _boot_all(entry, guests, machine, settings)
    except BaseException:
        close_pipes(process)
        process.wait()
        registry.remove(entry)
        raise
    return entry, process


def _guests(
    lab: str, program: str, kernel: Kernel, settings: GuestSettings, kind: Virtualisation
) -> Guests:
    folder = registry.files(lab).guests
    folder.mkdir(mode=0o700, exist_ok=True)
    known = (settings.nic, settings.cpus, settings.memory_mbytes, settings.bond)
    return Guests(str(folder), PORTS, kind, program, kernel.release, *known)


def _boot_all(entry: Entry, guests: Guests, machine: list[str], settings: GuestSettings) -> Entry:
    """The entry with all that run; it is registered anew after each, so that none is forgotten."""
    place = Place(registry.files(entry.id).socket, Path(guests.folder))
    nodes = entry.keeper.nodes
    for number, node in enumerate(nodes, 1):
        tell = _telling(f"{node.name} ({number} of {len(nodes)})")
        tell(f"booting, {guests.virtualisation}")
        pid = boot(place, node.name, guest_command(machine, node, settings), tell)
        guests = msgspec.structs.replace(guests, pids=guests.pids | {node.name: pid})
        entry = msgspec.structs.replace(entry, guests=guests)
        registry.add(entry)
        script = configure(entry.keeper, node) + configure_bond(entry.keeper, node, settings.bond)
        configure_guest(guests.inside(node.name, ["sh"]), node.name, script)
    return entry


def _telling(who: str) -> Telling:
    def tell(said: str) -> None:
        print(f"{who}: {said}", file=sys.stderr, flush=True)

    return tell
