"""A fabric's description of its guests, overridden by the brackets."""

from __future__ import annotations

from weft.base.errors import RequestError
from weft.measure.testbed.vm.brackets import Brackets
from weft.measure.testbed.vm.settings import HASHES, GuestSettings, read_card, read_hash, read_mode
from weft.runs.records.fabric_records import FabricRecord, Guest


def settings_of(fabric: FabricRecord, brackets: Brackets) -> dict[str, GuestSettings]:
    """The settings of each host that is a guest; raises RequestError for invalid settings."""
    found = {}
    for host in fabric["hosts"]:
        if host.get("namespace"):
            continue
        where = f"{fabric['name']}: {host['name']}"
        guest = brackets.over(_described(where, host.get("guest", {})))
        if guest.bond and guest.bridge | bool(guest.vlan):
            raise RequestError(
                f"{where}: a bond beside a bridge or a VLAN", "leave one of them out"
            )
        if guest.icount and guest.cpus > 1:
            raise RequestError(
                f"{where}: {guest.cpus} processors beside icount", "instructions are counted of one"
            )
        found[host["name"]] = guest
    if not found:
        raise RequestError(
            f"{fabric['name']}: all hosts are namespaces", f"--on lab:{fabric['name']}"
        )
    return found


def _described(where: str, guest: Guest) -> GuestSettings:
    known = GuestSettings()
    bond = guest.get("bond")
    for nic in guest.get("nics", ()):
        read_card(f"{where}: nic", nic)
    if bond:
        read_mode(f"{where}: bond.mode", bond["mode"])
        read_hash(f"{where}: bond.hash", bond.get("hash", HASHES[0]))
    return GuestSettings(
        tuple(guest.get("nics", known.nics)),
        guest.get("cpus", known.cpus),
        guest.get("memory_mbytes", known.memory_mbytes),
        bond,
        guest.get("offloads", True),
        guest.get("vlan", 0),
        guest.get("bridge", False),
        guest.get("sysctl", {}),
        guest.get("behind", ""),
    )
