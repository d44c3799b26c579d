"""What virtual machines need of this machine, and what is there."""

from __future__ import annotations

import os
from collections.abc import Callable

from msgspec import Struct

from weft.errors import RequestError
from weft.testbed.vm.accelerator import DEVICE
from weft.testbed.vm.emulator import find_emulator
from weft.testbed.vm.initramfs import ALWAYS, IF_THERE, find_busybox
from weft.testbed.vm.kernel import PACKAGE, find_kernel
from weft.testbed.vm.settings import CARDS


class Need(Struct, frozen=True):
    """A thing; whether plans cannot run without it; what was seen of it; what gets it where it is missing."""

    name: str
    required: bool
    found: bool
    seen: str
    get: str = ""


def needs() -> list[Need]:
    """All of them."""
    return [
        _look("QEMU", find_emulator),
        _look("kernel", lambda: str(find_kernel([*ALWAYS, CARDS["virtio"].module]).image)),
        _look("busybox", lambda: str(find_busybox())),
        _files(),
        _kvm(),
    ]


def _look(name: str, find: Callable[[], str]) -> Need:
    try:
        return Need(name, True, True, find())
    except RequestError as error:
        return Need(name, True, False, error.message, error.hint)


def _files() -> Need:
    """Whether guests see this machine's programs."""
    try:
        kernel = find_kernel([*ALWAYS, *IF_THERE])
    except RequestError:
        seen = "no kernel has the module 9p: guests have busybox's programs only, and virtio and vmxnet3 cards"
        return Need("programs of this machine", False, False, seen, f"apt-get install {PACKAGE}")
    return Need("programs of this machine", False, True, f"by 9p of {kernel.release}")


def _kvm() -> Need:
    if os.access(DEVICE, os.R_OK | os.W_OK):
        seen = f"{DEVICE} can be opened; whether guests run with it is tried at the first boot"
        return Need("KVM", False, True, seen)
    seen = f"{DEVICE} cannot be opened: guests are emulated, which is slow"
    get = "be in the group kvm, and enable virtualisation in the firmware or the cloud"
    return Need("KVM", False, False, seen, get)
