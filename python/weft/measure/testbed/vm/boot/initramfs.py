"""The system of a guest: a busybox, weft's two programs and the kernel's modules, all in memory."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from weft.base import binaries
from weft.base.errors import RequestError
from weft.base.files.private_folder import OTHER_CACHE, cache_folder
from weft.measure.testbed.vm.boot.cpio import archive
from weft.measure.testbed.vm.boot.kernel import GuestKernel
from weft.measure.testbed.vm.boot.libraries import with_libraries
from weft.measure.testbed.vm.emulator import PORTS

READY = "weft: ready"
"""Printed on the console when programs can be started in the guest."""
ALWAYS = ("virtio_pci", "virtio_console")
"""Loaded at the start, with the module of the network card."""
IF_THERE = ("9p", "9pnet_virtio")
"""Modules with which a guest sees the host machine's files. Cloud kernels lack them."""
AT_HAND = ("macvlan", "bonding", "bridge", "8021q", "sch_netem", "sch_tbf", "wireguard", "tcp_bbr")

TOOLS = ("NPtcp",)
"""Programs of this machine that guests have even without its files."""

# A kernel message could split the READY line. Ports appear one after another, some of them late.
_INIT = f"""#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /host /sbin /usr/bin /usr/sbin
/bin/busybox --install -s
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/ TERM=linux
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
for module in $(cat /etc/modules); do modprobe $module; done
if mount -t 9p -o trans=virtio,ro,version=9p2000.L,cache=loose,msize=262144 host /host 2>/dev/null; then
    for folder in proc sys dev; do mount --rbind /$folder /host/$folder; done
    mount -t tmpfs tmpfs /host/tmp
fi
ip link set lo up
dmesg -n 1
echo "{READY}" >/dev/console
sleep 0.2
dmesg -n 7
(while :; do setsid cttyhack sh; done) &
tries=0
while [ $(ls /dev | grep -c '^vport') -lt {PORTS} ] && [ $tries -lt 200 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
weft-lab attend /dev/vport*p*
echo "weft: the guest's end" >/dev/console
poweroff -f
"""
_RUN = """#!/bin/sh
[ -d /host/usr ] && exec chroot /host /usr/bin/env "$@"
exec "$@"
"""


def initramfs(kernel: GuestKernel, card_modules: Collection[str]) -> Path:
    """The archive for guests with these cards, from this user's cache or newly built; raises RequestError."""
    content = _build(kernel, card_modules)
    path = guests_folder() / f"{hashlib.sha256(content).hexdigest()[:32]}.cpio"
    if not path.exists():
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(content)
        temporary.replace(path)
    return path


def _build(kernel: GuestKernel, card_modules: Collection[str]) -> bytes:
    loaded = [*ALWAYS, *filter(kernel.has, IF_THERE), *card_modules]
    at_hand = filter(kernel.has, AT_HAND)
    files = {
        "init": _INIT.encode(),
        "bin/busybox": find_busybox().read_bytes(),
        "bin/run": _RUN.encode(),
        "bin/weft-lab": binaries.find("weft-lab").read_bytes(),
        "bin/weft-probe": binaries.find("weft-probe").read_bytes(),
        "etc/modules": "\n".join(loaded).encode(),
    }
    for tool in TOOLS:
        files |= with_libraries(tool)
    files |= dict(kernel.files([*loaded, *at_hand]))
    return archive(files.items(), [("dev/console", 5, 1)])


def find_busybox() -> Path:
    """A statically linked busybox."""
    found = shutil.which("busybox")
    if found is None or b"/ld-linux" in Path(found).read_bytes():
        raise RequestError(
            "guests need a static busybox" + (f", {found} is none" if found else ""),
            "apt-get install busybox-static",
        )
    return Path(found)


def guests_folder() -> Path:
    """The folder for archives; raises RequestError if this user cannot write there."""
    try:
        return cache_folder("guests")
    except OSError as error:
        raise RequestError(
            f"{error.filename}: cannot keep what guests boot: {error.strerror}", OTHER_CACHE
        ) from None
