"""Archives that the kernel unpacks when it starts (cpio, "newc": Documentation/driver-api/early-userspace)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

FOLDER, PROGRAM, DEVICE = 0o040755, 0o100755, 0o020600
END = "TRAILER!!!"
_ALIGNED = 4


def archive(files: Iterable[tuple[str, bytes]], devices: Iterable[tuple[str, int, int]]) -> bytes:
    """An archive of executable files (path, content), their folders, and character devices (path, numbers)."""
    entries = dict(files)
    folders = sorted({str(one) for path in entries for one in _folders(path)})
    parts = [_entry(path, FOLDER, b"") for path in folders]
    parts += [_entry(path, DEVICE, b"", (major, minor)) for path, major, minor in devices]
    parts += [_entry(path, PROGRAM, content) for path, content in entries.items()]
    return b"".join([*parts, _entry(END, 0, b"")])


def _folders(path: str) -> Iterator[PurePosixPath]:
    return (one for one in PurePosixPath(path).parents if one.name)


def _entry(path: str, mode: int, content: bytes, device: tuple[int, int] = (0, 0)) -> bytes:
    name = path.encode() + b"\0"
    # inode, mode, uid, gid, links, time, size, the file system's device, the file's, length of the name, no checksum
    numbers = (0, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name), 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers)
    return _padded(head + name) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNED)
