"""The virtual machines of a run."""

from __future__ import annotations

from weft.runs.records.records import TestbedRecord


def guests_text(testbed: TestbedRecord) -> str:
    """A sentence on the virtual machines, how they were run first; "" if there were none."""
    guests = testbed.get("guests")
    if not guests:
        return ""
    processors = "1 processor" if guests["cpus"] == 1 else f"{guests['cpus']} processors"
    fabric = testbed.get("fabric")
    differ = fabric is not None and any(host.get("guest") for host in fabric["hosts"])
    size = f"{processors} and {guests['memory_mbytes']} MB {'at most' if differ else 'each'}"
    how = testbed.get("virtualisation", "virtual")
    bond = f", a bond ({guests['bond']})" if guests["bond"] else ""
    beside = sum(host.get("namespace", False) for host in fabric["hosts"]) if fabric else 0
    native = f"; hosts that are namespaces: {beside}" if beside else ""
    time = f" in virtual time (icount={guests['icount']})" if guests.get("icount") else ""
    return f"{how}{time}, Linux {guests['kernel']}, {size}, {guests['nic']} cards{bond}{native}"
