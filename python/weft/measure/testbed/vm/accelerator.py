"""Whether this machine's processor can run guests itself (KVM), or every instruction is emulated (TCG)."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from msgspec import Struct

from weft.measure.testbed.vm.boot.initramfs import READY, guests_folder
from weft.measure.testbed.vm.emulator import Accelerator, Image, machine_command
from weft.measure.testbed.vm.settings import GuestSettings

DEVICE = "/dev/kvm"
WITHIN_S = 20.0
"""If KVM exists but is broken, a guest hangs."""


class AcceleratorTrial(Struct, frozen=True):
    """The result of a boot with KVM: what runs guests, and why it is not KVM."""

    accelerator: Accelerator
    reason: str = ""


def choose_accelerator(program: str, image: Image) -> Accelerator:
    """KVM if a guest boots with it, which is tried once after each start of this machine."""
    if not has_device():
        return "tcg"
    tried = known_trial()
    if tried is None:
        tried = _try(program, image)
        _remember(tried)
    return tried.accelerator


def likely_accelerator(icount: str = "") -> Accelerator:
    """KVM unless something is known against it; the first boot will try it."""
    if icount or not has_device():
        return "tcg"
    tried = known_trial()
    return tried.accelerator if tried else "kvm"


def has_device() -> bool:
    """Whether this user may open the KVM device."""
    return os.access(DEVICE, os.R_OK | os.W_OK)


def known_trial() -> AcceleratorTrial | None:
    """The result of the boot with KVM; None if there was none since this machine started."""
    try:
        said = _memory().read_text()
    except FileNotFoundError:
        return None
    accelerator, _, reason = said.partition("\n")
    return AcceleratorTrial("kvm" if accelerator == "kvm" else "tcg", reason.strip())


def _remember(tried: AcceleratorTrial) -> None:
    """Write the result atomically, because another process may read at the same time."""
    temporary = _memory().with_suffix(f".{os.getpid()}")
    temporary.write_text(f"{tried.accelerator}\n{tried.reason}\n")
    temporary.replace(_memory())


def _memory() -> Path:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return guests_folder() / f"kvm-{boot}"


def _try(program: str, image: Image) -> AcceleratorTrial:
    command = [*machine_command(program, "kvm", GuestSettings(), image), "-serial", "stdio"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        assert process.stdout and process.stderr
        try:
            if _says(process.stdout.fileno(), READY.encode()):
                return AcceleratorTrial("kvm")
        finally:
            process.kill()
        lines = process.stderr.read().decode(errors="replace").splitlines()
    return AcceleratorTrial(
        "tcg", lines[-1] if lines else f"a guest was not ready within {WITHIN_S:g} s"
    )


def _says(descriptor: int, wanted: bytes) -> bool:
    """Whether this is written before the deadline and before the end."""
    os.set_blocking(descriptor, False)
    deadline, said = time.monotonic() + WITHIN_S, b""
    while time.monotonic() < deadline and wanted not in said:
        try:
            piece = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            time.sleep(0.05)
            continue
        if not piece:
            return False
        said += piece
    return wanted in said
