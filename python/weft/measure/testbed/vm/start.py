"""Starts the guests of a fabric."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.daemon import close_pipes
from weft.measure.testbed.lab.guests import LabGuests, Virtualisation
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import start_lab
from weft.measure.testbed.vm.accelerator import choose_accelerator, likely_accelerator
from weft.measure.testbed.vm.behind import configure_relays, relays
from weft.measure.testbed.vm.bond import check_bonds, configure_bond
from weft.measure.testbed.vm.boot.boot import GuestPlace, Setup, Telling, boot
from weft.measure.testbed.vm.boot.initramfs import ALWAYS, initramfs
from weft.measure.testbed.vm.boot.kernel import GuestKernel, find_kernel
from weft.measure.testbed.vm.brackets import Brackets
from weft.measure.testbed.vm.described import settings_of
from weft.measure.testbed.vm.emulator import (
    PORTS,
    Accelerator,
    Image,
    find_emulator,
    guest_command,
    machine_command,
)
from weft.measure.testbed.vm.interfaces import configure
from weft.measure.testbed.vm.room import check_room
from weft.measure.testbed.vm.settings import GuestSettings
from weft.network.fabrics.load import load_fabric

_KINDS: dict[Accelerator, Virtualisation] = {"kvm": "virtual", "tcg": "emulated"}


def start_guests(
    path: Path, scale: float, lab: str, brackets: Brackets, private: bool
) -> tuple[LabEntry, subprocess.Popen[str]]:
    """Build a lab and boot its guests; if one fails to boot, nothing is left."""
    fabric = load_fabric(str(path), scale)
    settings = settings_of(fabric, brackets)
    check_room(settings.values(), likely_accelerator(brackets.icount))
    check_bonds(fabric, settings)
    program = find_emulator()
    modules = sorted({module for one in settings.values() for module in one.modules})
    kernel = find_kernel([*ALWAYS, *modules])
    image = Image(kernel.image, initramfs(kernel, modules))
    accelerator: Accelerator = "tcg" if brackets.icount else choose_accelerator(program, image)
    # If KVM does not work after all, guests need more.
    check_room(settings.values(), accelerator)
    entry, process = start_lab(path, scale, lab, private, guests=True)
    try:
        guests = _guests(lab, program, kernel, settings, _KINDS[accelerator], brackets)
        entry = _boot_all(entry, guests, settings, (program, accelerator, image))
    except BaseException:
        close_pipes(process)
        process.wait()
        registry.remove(entry)
        raise
    return entry, process


def _guests(
    lab: str,
    program: str,
    kernel: GuestKernel,
    settings: Mapping[str, GuestSettings],
    kind: Virtualisation,
    brackets: Brackets,
) -> LabGuests:
    folder = registry.files(lab).guests
    folder.mkdir(mode=0o700, exist_ok=True)
    each = settings.values()
    return LabGuests(
        str(folder),
        PORTS,
        kind,
        program,
        kernel.release,
        nic=", ".join(dict.fromkeys(nic for one in each for nic in one.nics)),
        cpus=max(one.cpus for one in each),
        memory_mbytes=max(one.memory_mbytes for one in each),
        bond=", ".join(dict.fromkeys(one.bond["mode"] for one in each if one.bond)),
        brackets=brackets.text(),
        icount=brackets.icount,
        bonded=[name for name, one in settings.items() if one.bond],
    )


def _boot_all(
    entry: LabEntry,
    guests: LabGuests,
    settings: Mapping[str, GuestSettings],
    machine: tuple[str, Accelerator, Image],
) -> LabEntry:
    """Boot all guests and register the entry again after each, so that none is forgotten; returns the entry."""
    place = GuestPlace(registry.files(entry.id).socket, Path(guests.folder))
    nodes = [node for node in entry.keeper.nodes if node.name in settings]
    for number, node in enumerate(nodes, 1):
        tell = _telling(f"{node.name} ({number} of {len(nodes)})")
        tell(f"booting, {guests.virtualisation}")
        guest, own = settings[node.name], relays(entry.keeper, node.name, settings)
        program, accelerator, image = machine
        command = machine_command(program, accelerator, guest, image)
        cards = [mac for relay in own for mac in (relay.inner, relay.outer)]
        script = configure(entry.keeper, node, guest)
        script += configure_bond(entry.keeper, node, guest.bond) + configure_relays(own)
        setup = Setup(guests.inside(node.name, ["sh"]), script)
        pid = boot(place, node.name, guest_command(command, node, guest, cards), setup, tell)
        guests = msgspec.structs.replace(guests, pids=guests.pids | {node.name: pid})
        entry = msgspec.structs.replace(entry, guests=guests)
        registry.add(entry)
    return entry


def _telling(who: str) -> Telling:
    def tell(said: str) -> None:
        print(f"{who}: {said}", file=sys.stderr, flush=True)

    return tell
