"""Whether this machine's processor can run guests itself (KVM), or every instruction is emulated (TCG)."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from weft.testbed.vm.emulator import Accelerator, Image, machine_command
from weft.testbed.vm.initramfs import READY
from weft.testbed.vm.settings import GuestSettings

DEVICE = "/dev/kvm"
WITHIN_S = 20.0
"""Where KVM is there but broken, a guest hangs."""


def choose_accelerator(program: str, image: Image) -> Accelerator:
    """KVM where a guest boots with it, which is tried once after each start of this machine."""
    if not os.access(DEVICE, os.R_OK | os.W_OK):
        return "tcg"
    memory = image.initramfs.parent / f"kvm-{_this_start()}"
    if not memory.exists():
        memory.write_text("kvm" if _boots(program, image) else "tcg")
    return "kvm" if memory.read_text() == "kvm" else "tcg"


def _boots(program: str, image: Image) -> bool:
    command = [*machine_command(program, "kvm", GuestSettings(), image), "-serial", "stdio"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        assert process.stdout
        try:
            return _says(process.stdout.fileno(), READY.encode())
        finally:
            process.kill()


def _says(descriptor: int, wanted: bytes) -> bool:
    """Whether this is written before the deadline, and before the end."""
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


def _this_start() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
