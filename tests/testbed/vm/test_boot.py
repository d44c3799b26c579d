"""Watching a guest boot: how it fails, without one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weft.errors import RequestError
from weft.testbed.lab.daemon import Keeper, LabNode
from weft.testbed.vm import boot
from weft.testbed.vm.bond import check_bond, configure_bond
from weft.testbed.vm.boot import BootError, Place
from weft.testbed.vm.emulator import check_memory, guest_command, mac_of
from weft.testbed.vm.settings import GuestSettings


def watch(folder: Path, console: str, pid: int, log: str = "") -> None:
    (folder / "n1.console").write_text(console)
    (folder / "n1.log").write_text(log)
    boot._watch(Place(folder / "none.sock", folder), "n1", pid)


def test_a_guest_that_is_ready_has_booted(tmp_path: Path) -> None:
    watch(tmp_path, "[ 1.0] Run /init\nweft: ready\n", os.getpid())


def test_the_last_lines_of_a_panic_are_the_message(tmp_path: Path) -> None:
    with pytest.raises(BootError) as failed:
        watch(tmp_path, "early\n" * 9 + "VFS: no root\nKernel panic - not syncing\n", os.getpid())
    said = str(failed.value)
    assert "n1: its kernel panicked" in said and "VFS: no root" in said
    assert said.count("early") == boot.LAST_LINES - 2


def test_an_emulator_that_ends_says_why(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with pytest.raises(BootError, match=r"its emulator ended:\n  no such device"):
        watch(tmp_path, "", ended.pid, "no such device\n")


def test_a_guest_that_falls_silent_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boot, "SILENT_S", 0.2)
    with pytest.raises(BootError, match=r"wrote nothing for 0\.2 s, and last:\n  hello"):
        watch(tmp_path, "hello", os.getpid())


def test_a_guest_has_a_card_for_each_of_its_networks() -> None:
    node = LabNode("n3", "10.0.0.3", ("10.0.0.3", "10.1.1.44"))
    command = guest_command(["qemu"], node, GuestSettings("e1000"))
    cards = [one for one in command if one.startswith("e1000,")]
    assert cards == [
        "e1000,netdev=net0,mac=02:77:66:00:00:03,romfile=",
        "e1000,netdev=net1,mac=02:77:66:01:01:2c,romfile=",
    ]
    assert "dgram,id=net1,local.type=fd,local.str=101" in command
    assert mac_of("10.1.1.44") == "02:77:66:01:01:2c"


def test_more_memory_than_there_is_is_refused_with_what_it_takes() -> None:
    with pytest.raises(
        RequestError, match=r"64 guests with 1048576 MB each take up to 67,115,264 MB"
    ):
        check_memory(64, GuestSettings(memory_mbytes=1 << 20))
    check_memory(1, GuestSettings())


def test_a_bond_is_beside_the_interfaces() -> None:
    node = LabNode("n1", "10.0.0.1", ("10.0.0.1", "10.1.0.1"))
    other = LabNode("n2", "10.0.0.2", ("10.0.0.2", "10.1.0.2"))
    keeper = Keeper(1, 1, False, False, [node, other], [], {})
    script = configure_bond(keeper, node, "balance-rr")
    assert "echo +member1 >slaves" in script and "+member2" not in script
    assert "ip addr add 10.255.0.1/16 dev bond0" in script
    assert "arp -i bond0 -s 10.255.0.2 06:77:66:ff:00:02" in script
    assert configure_bond(keeper, node, "") == ""


def test_one_interface_is_no_bond() -> None:
    node = LabNode("n1", "10.0.0.1", ("10.0.0.1",))
    with pytest.raises(RequestError, match="n1 has one"):
        check_bond(Keeper(1, 1, False, False, [node], [], {}), "802.3ad")
