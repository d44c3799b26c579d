"""Watching a guest boot: how it fails, without one."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.measure.testbed.lab.daemon import Keeper, LabNode
from weft.measure.testbed.vm.behind import configure_relays, relays
from weft.measure.testbed.vm.bond import check_bonds, configure_bond
from weft.measure.testbed.vm.boot import boot
from weft.measure.testbed.vm.boot.boot import BootError, GuestPlace, Setup
from weft.measure.testbed.vm.brackets import Brackets
from weft.measure.testbed.vm.described import settings_of
from weft.measure.testbed.vm.emulator import guest_command, mac_of
from weft.measure.testbed.vm.interfaces import configure
from weft.measure.testbed.vm.settings import GuestSettings
from weft.network.fabrics.load import load_fabric
from weft.runs.records.fabric_records import Bond


def watch(folder: Path, console: str, pid: int, log: str = "") -> None:
    (folder / "n1.console").write_text(console)
    (folder / "n1.log").write_text(log)
    boot._watch(GuestPlace(folder / "none.sock", folder), "n1", pid)


def test_a_guest_that_is_ready_has_booted(tmp_path: Path) -> None:
    watch(tmp_path, "[ 1.0] Run /init\nweft: ready\n", os.getpid())


def test_the_last_lines_of_a_panic_are_the_message(tmp_path: Path) -> None:
    with pytest.raises(BootError) as failed:
        watch(
            tmp_path,
            "early\n" * 9 + "VFS: no root\nKernel panic - not syncing\ntrace\n",
            os.getpid(),
        )
    said = str(failed.value)
    assert "n1: its kernel panicked" in said and "VFS: no root" in said
    assert "trace" not in said
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


def test_a_guest_whose_interfaces_cannot_be_set_up_says_why() -> None:
    boot._configure("n1", os.getpid(), Setup(["sh"], "sleep 0.3; true"))
    with pytest.raises(BootError, match="n1: its interfaces could not be set up: no such card"):
        boot._configure("n1", os.getpid(), Setup(["sh"], "echo no such card >&2; exit 1"))


def test_setting_up_that_hangs_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boot, "CONFIGURED_WITHIN_S", 0.2)
    with pytest.raises(BootError, match="took too long"):
        boot._configure("n1", os.getpid(), Setup(["sh"], "exec sleep 60"))


def test_a_guest_that_cannot_be_set_up_is_booted_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(boot, "_boot", lambda *given: os.getpid())
    once = f"mkdir {tmp_path}/tried && exit 1; exit 0"
    place, setup = GuestPlace(tmp_path / "none.sock", tmp_path), Setup(["sh"], once)
    assert boot.boot(place, "n1", [], setup, said.append) == os.getpid()
    assert len(said) == 1 and said[0].endswith("; once more")


def test_a_keeper_that_hangs_up_is_no_crash(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "k.sock"))
        listener.listen()
        keeper = threading.Thread(target=lambda: listener.accept()[0].close())
        keeper.start()
        with pytest.raises(BootError, match="n1: the lab's keeper does not answer"):
            boot._boot(GuestPlace(tmp_path / "k.sock", tmp_path), "n1", ["qemu"])
        keeper.join()


def test_a_guest_has_a_card_for_each_of_its_networks() -> None:
    node = LabNode("n3", "10.0.0.3", ("10.0.0.3", "10.1.1.44"))
    command = guest_command(["qemu"], node, GuestSettings(("e1000",)), ["0a:77:66:00:00:04"])
    cards = [one for one in command if one.startswith("e1000,")]
    assert cards == [
        "e1000,id=card0,netdev=net0,mac=02:77:66:00:00:03,romfile=",
        "e1000,id=card1,netdev=net1,mac=02:77:66:01:01:2c,romfile=",
        "e1000,id=card2,netdev=net2,mac=0a:77:66:00:00:04,romfile=",
    ]
    assert "dgram,id=net1,local.type=fd,local.str=101" in command
    assert mac_of("10.1.1.44") == "02:77:66:01:01:2c"


def test_a_bond_is_beside_the_interfaces() -> None:
    node = LabNode("n1", "10.0.0.1", ("10.0.0.1", "10.1.0.1"))
    other = LabNode("n2", "10.0.0.2", ("10.0.0.2", "10.1.0.2"))
    keeper = Keeper(1, 1, False, False, [node, other], [], {})
    bond: Bond = {"mode": "balance-xor", "hash": "layer3+4", "miimon_ms": 20}
    script = configure_bond(keeper, node, bond)
    assert "echo +member1 >slaves" in script and "+member2" not in script
    assert "ip addr add 10.255.0.1/16 dev bond0" in script
    assert "arp -i bond0 -s 10.255.0.2 06:77:66:ff:00:02" in script
    assert "echo 20 >miimon" in script and "echo layer3+4 >xmit_hash_policy" in script
    assert configure_bond(keeper, node, None) == ""


def test_one_interface_is_no_bond() -> None:
    with pytest.raises(RequestError, match="n1 has one"):
        check_bonds(load_fabric("pair"), {"n1": GuestSettings(bond={"mode": "802.3ad"})})


def xen_like() -> tuple[Keeper, dict[str, GuestSettings]]:
    fabric = load_fabric("xen-like")
    nodes = [
        LabNode(host["name"], f"10.0.0.{number}", (f"10.0.0.{number}",))
        for number, host in enumerate(fabric["hosts"], 1)
    ]
    keeper = Keeper(1, 1, False, False, nodes, [], dict(fabric))
    return keeper, settings_of(fabric, Brackets())


def test_a_guest_behind_another_is_bridged_there() -> None:
    keeper, settings = xen_like()
    (relay,) = relays(keeper, "n1", settings)
    assert (relay.inner, relay.outer) == ("0a:77:66:00:00:03", "0e:77:66:00:00:03")
    assert relays(keeper, "g1", settings) == []
    script = configure_relays([relay])
    assert "brctl addif relay0 in0" in script and "brctl addif relay0 out0" in script


def test_what_is_over_an_interface_has_its_address() -> None:
    keeper, _ = xen_like()
    node = keeper.nodes[0]
    tagged = configure(keeper, node, GuestSettings(vlan=7, offloads=False, sysctl={"a.b": "1 2"}))
    assert "ip addr add 10.0.0.1/16 dev eth0.7" in tagged and "mtu 1496" in tagged
    assert "weft-lab plain --interface eth0" in tagged and "sysctl -w 'a.b=1 2'" in tagged
    bridged = configure(keeper, node, GuestSettings(bridge=True))
    assert "brctl addif br0 eth0" in bridged and "dev br0" in bridged
