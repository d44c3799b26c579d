"""The kernel that guests boot, and its modules."""

from __future__ import annotations

import gzip
import lzma
import os
import platform
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from weft.base.errors import RequestError

ROOT = "WEFT_KERNEL_ROOT"
"""Environment variable: a folder with boot/ and lib/modules/ of a kernel package, used instead of this machine's
own."""
PACKAGE = "linux-image-amd64"


class GuestKernel(Struct, frozen=True):
    """A kernel image, its release, and the folder of its modules."""

    image: Path
    release: str
    modules: Path

    def has(self, module: str) -> bool:
        """Whether the module exists or is built into the image."""
        return module in self._dependencies() or module in self._builtin()

    def files(self, modules: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Path and uncompressed content of the modules and their dependencies, and the list for modprobe."""
        known, builtin = self._dependencies(), self._builtin()
        chosen: dict[str, list[str]] = {}
        for module in modules:
            if module not in builtin:
                path, needed = known[module]
                chosen |= {one: known[_module(one)][1] for one in (path, *needed)}
        for path in chosen:
            yield f"lib/modules/{self.release}/{_plain(path)}", _content(self.modules / path)
        lines = (
            f"{_plain(path)}: {' '.join(map(_plain, needed))}\n" for path, needed in chosen.items()
        )
        yield f"lib/modules/{self.release}/modules.dep", "".join(lines).encode()

    def _dependencies(self) -> dict[str, tuple[str, list[str]]]:
        """For each module, its path and the paths of its dependencies."""
        found = {}
        for line in (self.modules / "modules.dep").read_text().splitlines():
            path, _, needed = line.partition(":")
            found[_module(path)] = (path, needed.split())
        return found

    def _builtin(self) -> set[str]:
        return {_module(line) for line in (self.modules / "modules.builtin").read_text().split()}


def find_kernel(modules: Sequence[str]) -> GuestKernel:
    """The newest kernel that has the modules; raises RequestError."""
    if platform.machine() != "x86_64":
        raise RequestError(
            f"guests are x86_64 machines, this machine is {platform.machine()}",
            "use namespaces instead (--on lab:FABRIC)",
        )
    root = _root()
    found = list(_kernels(root))
    if not found:
        raise RequestError(_lacking(root), _unlisted(root) or _right())
    fitting = [kernel for kernel in found if all(map(kernel.has, modules))]
    if not fitting:
        lacking = ", ".join(one for one in modules if not found[-1].has(one))
        raise RequestError(
            f"the kernel {found[-1].release} has no module {lacking}",
            f"apt-get install {PACKAGE}: it has more drivers than the -cloud kernel",
        )
    readable = [kernel for kernel in fitting if os.access(kernel.image, os.R_OK)]
    if not readable:
        raise RequestError(
            f"{fitting[-1].image}: this user may not read the kernel",
            f"`sudo chmod a+r {fitting[-1].image}`, or unpack a kernel of your own: `apt-get download "
            f"linux-image-{fitting[-1].release}; dpkg -x linux-image-*.deb kernel; busybox depmod -b $PWD/kernel "
            f"{fitting[-1].release}; export {ROOT}=$PWD/kernel`",
        )
    return readable[-1]


def _root() -> Path:
    """The folder to search for kernels; raises RequestError if the user's folder does not exist."""
    chosen = os.environ.get(ROOT)
    root = Path(chosen or "/")
    try:
        if stat.S_ISDIR(root.stat().st_mode):
            return root
        why = "this is no folder"
    except FileNotFoundError:
        why = "there is no such folder"
    except OSError as error:
        why = str(error.strerror)
    raise RequestError(f"no kernel for guests: {ROOT}={chosen}: {why}", _right())


def _lacking(root: Path) -> str:
    """Which part of a kernel a folder lacks."""
    where = f"{ROOT}={root}: " if os.environ.get(ROOT) else ""
    images = sorted(root.glob("boot/vmlinuz-*"), key=lambda one: _order(one.name))
    if not images:
        return f"no kernel for guests: {where}there is no {root / 'boot/vmlinuz-*'}"
    release = images[-1].name.removeprefix("vmlinuz-")
    listing = root / "lib/modules" / release / "modules.dep"
    return f"no kernel for guests: {where}{images[-1]} has no modules, there is no {listing}"


def _right() -> str:
    """How to get a kernel, here or in the folder that is searched."""
    if not os.environ.get(ROOT):
        return f"apt-get install {PACKAGE}"
    return (
        f"a folder with boot/vmlinuz-RELEASE and lib/modules/RELEASE/modules.dep: `apt-get download "
        f"linux-image-RELEASE; dpkg -x linux-image-*.deb FOLDER; busybox depmod -b FOLDER RELEASE` makes one; without "
        f"{ROOT} this machine's own kernel is used"
    )


def _unlisted(root: Path) -> str:
    """How to create a kernel's list of modules if only that is missing, as in a package unpacked by hand."""
    for image in sorted(root.glob("boot/vmlinuz-*")):
        release = image.name.removeprefix("vmlinuz-")
        if (root / "lib/modules" / release / "kernel").is_dir():
            return f"busybox depmod -b {root} {release}"
    return ""


def _kernels(root: Path) -> Iterator[GuestKernel]:
    """Kernels from the oldest to the newest; of the same version, the one with the most drivers is last."""
    images = {path.name.removeprefix("vmlinuz-"): path for path in root.glob("boot/vmlinuz-*")}
    for release in sorted(images, key=_order):
        modules = root / "lib/modules" / release
        if (modules / "modules.dep").exists():
            yield GuestKernel(images[release], release, modules)


def _order(release: str) -> tuple[list[int], bool]:
    return [int(digits) for digits in re.findall(r"\d+", release)], "cloud" not in release


def _module(path: str) -> str:
    return Path(path).name.partition(".ko")[0]


def _plain(path: str) -> str:
    return path.partition(".ko")[0] + ".ko"


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    match path.suffix:
        case ".xz":
            return lzma.decompress(content)
        case ".gz":
            return gzip.decompress(content)
        case ".zst":
            with pa.CompressedInputStream(pa.py_buffer(content), "zstd") as stream:
                return bytes(stream.read())
    return content
