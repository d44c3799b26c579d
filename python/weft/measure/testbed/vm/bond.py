"""A guest's bond, beside its interfaces: over a second Ethernet address on each, so that these stay as they are."""

from __future__ import annotations

from collections.abc import Mapping

from weft.base.errors import RequestError
from weft.measure.testbed.lab.daemon import Keeper, LabNode
from weft.measure.testbed.vm.interfaces import PREFIX_LENGTH
from weft.measure.testbed.vm.settings import GuestSettings
from weft.runs.records.fabric_records import Bond, FabricRecord

NETWORK = 255
"""The second number of the bonds' addresses; a lab has fewer networks."""
NAME = "bond0"
MONITOR_MS = 100
"""How often the driver looks whether a member has a carrier, where the fabric does not say."""


def bond_address(address: str) -> str:
    """The address on the bond of the host that has this one: 10.255.0.1 of 10.0.0.1."""
    _, _, high, low = address.split(".")
    return f"10.{NETWORK}.{high}.{low}"


def check_bonds(fabric: FabricRecord, settings: Mapping[str, GuestSettings]) -> None:
    """Raise RequestError where there is nothing to bond."""
    for name, guest in settings.items():
        count = sum(name in link["ends"] for link in fabric["links"])
        if guest.bond and count < 2:
            raise RequestError(
                f"bond={guest.bond['mode']}: a bond takes two interfaces or more, {name} has one",
                "a fabric with several networks, such as vm:two-nics(bond=balance-rr)",
            )


def configure_bond(keeper: Keeper, node: LabNode, bond: Bond | None) -> str:
    """The shell's lines that make it, after the interfaces were set up; "" for none."""
    if not bond:
        return ""
    lines = [
        "modprobe macvlan",
        "modprobe bonding max_bonds=0",
        "echo +bond0 >/sys/class/net/bonding_masters",
        f"cd /sys/class/net/{NAME}/bonding",
        f"echo {bond['mode']} >mode",
        f"echo {bond.get('miimon_ms', MONITOR_MS)} >miimon",
        f"ip link set {NAME} address {_mac(node.address)}",
    ]
    if "hash" in bond:
        lines.append(f"echo {bond['hash']} >xmit_hash_policy")
    for number in range(len(node.addresses)):
        lines.append(f"ip link add link eth{number} name member{number} type macvlan")
        lines.append(f"echo +member{number} >slaves")
    lines += [
        f"ip link set {NAME} up",
        f"ip addr add {bond_address(node.address)}/{PREFIX_LENGTH} dev {NAME}",
    ]
    others = (one for one in keeper.nodes if one is not node)
    lines += [f"arp -i {NAME} -s {bond_address(one.address)} {_mac(one.address)}" for one in others]
    return "\n".join(lines) + "\n"


def _mac(address: str) -> str:
    """None of the lab's own, which say on which network a host is: a bond is on all of its host's."""
    _, _, high, low = map(int, address.split("."))
    return f"06:77:66:ff:{high:02x}:{low:02x}"
