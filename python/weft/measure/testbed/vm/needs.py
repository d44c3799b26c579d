"""What virtual machines need on this machine, and what is available."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from weft.base.errors import RequestError
from weft.measure.testbed.vm.accelerator import DEVICE, AcceleratorTrial, has_device, known_trial
from weft.measure.testbed.vm.boot.initramfs import ALWAYS, IF_THERE, find_busybox
from weft.measure.testbed.vm.boot.kernel import PACKAGE, find_kernel
from weft.measure.testbed.vm.emulator import find_emulator
from weft.measure.testbed.vm.settings import CARDS


class Need(Struct, frozen=True):
    """A requirement: whether plans cannot run without it, what was found, and how to get it if it is missing."""

    name: str
    required: bool
    found: bool
    seen: str
    get: str = ""


def needs(card_modules: Sequence[str] = (CARDS["virtio"].module,)) -> list[Need]:
    """All requirements, for guests whose cards need these modules."""
    return [
        _look("QEMU", find_emulator),
        _look("kernel", lambda: str(find_kernel([*ALWAYS, *card_modules]).image)),
        _look("busybox", lambda: str(find_busybox())),
        _files([*ALWAYS, *card_modules]),
        _kvm(),
    ]


def _look(name: str, find: Callable[[], str]) -> Need:
    try:
        return Need(name, True, True, find())
    except RequestError as error:
        return Need(name, True, False, error.message, error.hint)


def _files(modules: Sequence[str]) -> Need:
    """Whether guests see this machine's programs."""
    name = "programs of this machine"
    try:
        kernel = find_kernel(modules)
    except RequestError:
        return Need(name, False, False, "not known without a kernel")
    if all(map(kernel.has, IF_THERE)):
        return Need(name, False, True, f"by 9p of {kernel.release}")
    seen = f"{kernel.release} has no module 9p: guests have busybox's programs only, and virtio and vmxnet3 cards"
    return Need(name, False, False, seen, f"apt-get install {PACKAGE}")


def _kvm() -> Need:
    if has_device():
        if tried := known_trial():
            return _tried(tried)
        seen = f"{DEVICE} can be opened; whether guests run with it is tried at the first boot"
        return Need("KVM", False, True, seen)
    seen = f"{DEVICE} cannot be opened: guests are emulated, which is slow"
    get = "be in the group kvm, and enable virtualisation in the firmware or the cloud"
    return Need("KVM", False, False, seen, get)


def _tried(tried: AcceleratorTrial) -> Need:
    """What the first boot since this machine started showed about KVM."""
    if tried.accelerator == "kvm":
        return Need("KVM", False, True, f"{DEVICE}: guests run with it")
    seen = f"{DEVICE} is there, but no guest runs with it: guests are emulated, which is slow"
    seen += f" ({tried.reason})" if tried.reason else ""
    return Need("KVM", False, False, seen, "enable virtualisation in the firmware or the cloud")
