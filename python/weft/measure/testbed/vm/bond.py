"""A guest's bond, in addition to its interfaces: over a second Ethernet address on each, so that these stay
unchanged."""

from __future__ import annotations

from collections.abc import Mapping

from weft.base.errors import RequestError
from weft.measure.testbed.lab.daemon import Keeper, LabNode
from weft.measure.testbed.vm.interfaces import PREFIX_LENGTH
from weft.measure.testbed.vm.settings import GuestSettings
from weft.runs.records.fabric_records import Bond, FabricRecord

NETWORK = 255
"""The second number of bonds' addresses; a lab has fewer networks."""
NAME = "bond0"
MONITOR_MS = 100
"""Default interval at which the driver checks the carriers of members."""


def bond_address(address: str) -> str:
    """The bond address of the host with this address: 10.255.0.1 for 10.0.0.1."""
    _, _, high, low = address.split(".")
    return f"10.{NETWORK}.{high}.{low}"


def check_bonds(fabric: FabricRecord, settings: Mapping[str, GuestSettings]) -> None:
    """Raise RequestError if there is nothing to bond."""
    for name, guest in settings.items():
        count = sum(name in link["ends"] for link in fabric["links"])
        if guest.bond and count < 2:
            raise RequestError(
                f"bond={guest.bond['mode']}: a bond takes two interfaces or more, {name} has one",
                "a fabric with several networks, such as vm:two-nics(bond=balance-rr)",
            )


def configure_bond(keeper: Keeper, node: LabNode, bond: Bond | None) -> str:
    """Shell lines that create the bond, run after the interfaces were set up; "" for none."""
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
    """An Ethernet address unlike the lab's own, which encode a network: a bond is on all networks of its host."""
    _, _, high, low = map(int, address.split("."))
    return f"06:77:66:ff:{high:02x}:{low:02x}"
