"""QEMU: the command that runs a guest."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from weft.base import binaries
from weft.base.errors import RequestError
from weft.measure.testbed.lab.daemon import LabNode
from weft.measure.testbed.vm.settings import GuestSettings

PROGRAM = "qemu-system-x86_64"
PACKAGE = "qemu-system-x86"
FIRST_CABLE = 100
"""The descriptor of the first interface's cable, passed by the keeper (crates/lab, guest/guests.rs)."""
PORTS = 12
"""How many programs can run in a guest at the same time."""
OLDEST = (7, 2)
"""The first version with datagram sockets as network cables."""
Accelerator = Literal["kvm", "tcg"]


class Image(Struct, frozen=True):
    """What a guest boots."""

    kernel: Path
    initramfs: Path


def find_emulator() -> str:
    """The path of QEMU; raises RequestError."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise RequestError(
            f"guests need QEMU, and {PROGRAM} is not in PATH", f"apt-get install {PACKAGE}"
        )
    said = binaries.ask([program, "--version"], 20)
    version = re.search(r"version (\d+)\.(\d+)", said.stdout if said else "")
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        seen = version[0] if version else "no version"
        oldest = ".".join(map(str, OLDEST))
        raise RequestError(
            f"{program}: {seen}; guests need {oldest} or newer", f"apt-get install {PACKAGE}"
        )
    return program


def machine_command(
    program: str, accelerator: Accelerator, settings: GuestSettings, image: Image
) -> list[str]:
    """A machine without devices, which writes to its first serial line."""
    processor = "host" if accelerator == "kvm" else "max"
    command = [program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    command += ["-machine", "q35", "-accel", accelerator, "-cpu", processor]
    command += ["-smp", str(settings.cpus), "-m", str(settings.memory_mbytes)]
    if settings.icount:
        # With sleep=off a guest that waits for a frame would skip at once to its next timer, the time-out.
        command += ["-icount", f"shift={settings.icount},sleep=on"]
    command += ["-kernel", str(image.kernel), "-initrd", str(image.initramfs)]
    arguments = (
        "console=ttyS0 panic=-1 net.ifnames=0 random.trust_cpu=on tsc=reliable mitigations=off "
    )
    # Otherwise a guest that waits for a processor considers its timer broken, and panics.
    arguments += "no_timer_check"
    return [*command, "-append", arguments]


def guest_command(
    machine: list[str],
    node: LabNode,
    settings: GuestSettings,
    relays: Sequence[str] = (),
    sees_files: bool = True,
) -> list[str]:
    """The whole machine: with a console, ports for programs, the interfaces of its node, and further cards (by Ethernet
    address) for guests behind it."""
    name = node.name
    command = [*machine, "-name", f"{name},debug-threads=on"]
    command += [
        "-chardev",
        f"socket,id=tty,path={name}.tty,server=on,wait=off,logfile={name}.console",
    ]
    command += ["-serial", "chardev:tty", "-qmp", f"unix:{name}.qmp,server=on,wait=off"]
    command += ["-device", f"virtio-serial-pci,max_ports={PORTS + 1}"]
    for port in range(1, PORTS + 1):
        command += ["-chardev", f"socket,id=port{port},path={name}.{port},server=on,wait=off"]
        command += ["-device", f"virtserialport,chardev=port{port},nr={port},name=weft.{port}"]
    for number, mac in enumerate([*map(mac_of, node.addresses), *relays]):
        cable = f"dgram,id=net{number},local.type=fd,local.str={FIRST_CABLE + number}"
        command += ["-netdev", cable, "-device", _card(settings, number, mac)]
    if sees_files:
        shared = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
        command += ["-virtfs", shared]
    return command


def mac_of(address: str) -> str:
    """An interface's Ethernet address, as in all labs (crates/lab, address.rs): 02:77:66:00:00:01 for 10.0.0.1."""
    _, network, high, low = map(int, address.split("."))
    return f"02:77:66:{network:02x}:{high:02x}:{low:02x}"


def _card(settings: GuestSettings, number: int, mac: str) -> str:
    return f"{settings.card(number).device},id=card{number},netdev=net{number},mac={mac},romfile="
