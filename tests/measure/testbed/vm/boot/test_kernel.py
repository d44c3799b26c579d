"""Which kernel guests boot, and with which modules."""

import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.measure.testbed.vm.boot.kernel import ROOT, find_kernel

Add = Callable[..., None]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Adds a kernel to a root of this test's own."""
    monkeypatch.setenv(ROOT, str(tmp_path))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "boot").mkdir()

    def add(release: str, suffix: str = "", without: str = "") -> None:
        (tmp_path / f"boot/vmlinuz-{release}").write_bytes(b"image")
        folder = tmp_path / "lib/modules" / release
        (folder / "kernel").mkdir(parents=True)
        modules = [("net", "virtio"), ("virtio", ""), ("e1000", "")]
        lines = ""
        for name, needed in modules:
            if name == without:
                continue
            content = f"the module {name}".encode()
            path = folder / f"kernel/{name}.ko{suffix}"
            path.write_bytes(lzma.compress(content) if suffix else content)
            lines += f"kernel/{name}.ko{suffix}:" + (f" kernel/{needed}.ko{suffix}" * bool(needed))
            lines += "\n"
        (folder / "modules.dep").write_text(lines)
        (folder / "modules.builtin").write_text("kernel/af_packet.ko\n")

    return add


def test_the_newest_kernel_that_has_the_modules(add: Add) -> None:
    add("6.9.0-1-amd64")
    add("6.10.0-1-amd64")
    add("6.11.0-1-cloud-amd64", without="e1000")
    assert find_kernel(["net"]).release == "6.11.0-1-cloud-amd64"
    assert find_kernel(["net", "e1000"]).release == "6.10.0-1-amd64"
    assert find_kernel(["af_packet"]).release == "6.11.0-1-cloud-amd64"


def test_of_one_version_that_with_more_drivers(add: Add) -> None:
    add("6.1.0-9-amd64")
    add("6.1.0-9-cloud-amd64")
    assert find_kernel(["net"]).release == "6.1.0-9-amd64"


@pytest.mark.parametrize("suffix", ["", ".xz"])
def test_modules_come_plain_and_with_what_they_need(add: Add, suffix: str) -> None:
    add("6.1.0", suffix)
    files = dict(find_kernel(["net"]).files(["net", "af_packet"]))
    assert files == {
        "lib/modules/6.1.0/kernel/net.ko": b"the module net",
        "lib/modules/6.1.0/kernel/virtio.ko": b"the module virtio",
        "lib/modules/6.1.0/modules.dep": b"kernel/net.ko: kernel/virtio.ko\nkernel/virtio.ko: \n",
    }


def test_a_folder_that_is_none_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "file").touch()
    for name, why in (("none", "there is no such folder"), ("file", "this is no folder")):
        monkeypatch.setenv(ROOT, str(tmp_path / name))
        with pytest.raises(RequestError, match=f"{ROOT}={tmp_path / name}: {why}") as refused:
            find_kernel(["net"])
        assert "a folder with boot/vmlinuz-RELEASE" in refused.value.hint
        assert f"without {ROOT}" in refused.value.hint


def test_what_is_missing_is_said(add: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestError, match="no kernel for guests") as refused:
        find_kernel(["net"])
    assert f"{ROOT}={tmp_path}: there is no {tmp_path}/boot/vmlinuz-*" in refused.value.message
    assert "dpkg -x" in refused.value.hint
    add("6.1.0")
    modules = tmp_path / "lib/modules/6.1.0/modules.dep"
    text = modules.read_text()
    modules.unlink()
    with pytest.raises(
        RequestError, match=f"vmlinuz-6.1.0 has no modules, there is no {modules}"
    ) as refused:
        find_kernel(["net"])
    assert refused.value.hint == f"busybox depmod -b {tmp_path} 6.1.0"
    modules.write_text(text)
    with pytest.raises(RequestError, match=r"6\.1\.0 has no module tulip"):
        find_kernel(["net", "tulip"])
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(RequestError, match="may not read the kernel") as refused:
        find_kernel(["net"])
    assert "dpkg -x" in refused.value.hint
