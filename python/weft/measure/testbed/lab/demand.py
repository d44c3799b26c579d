"""What the hosts of a lab could send according to its fabric, without measuring."""

from __future__ import annotations

import math

from weft.runs.records.fabric_records import FabricRecord

CARRIED_MBPS = 60.0
"""Total rate of all hosts of a lab per processor that even a busy machine carries."""


def sending_mbps(fabric: FabricRecord) -> dict[str, float]:
    """For each host, the rate of the fastest cable that it sends on: infinite if unlimited, zero if all are dead."""
    found = {host["name"]: 0.0 for host in fabric["hosts"]}
    for link in fabric["links"]:
        lanes = zip(link["ends"], (link["forward"], link["backward"]), strict=True)
        for end, lane in lanes:
            if end in found and not link["dead"]:
                bits_per_s = lane["rate_bits_per_s"]
                found[end] = max(found[end], bits_per_s / 1e6 if bits_per_s else math.inf)
    return found


def is_forwarded(fabric: FabricRecord) -> bool:
    """Whether a lab needs the forwarder: it is more than a cable without limits, which the kernel carries alone."""
    lines = [line for link in fabric["links"] for line in (link["forward"], link["backward"])]
    is_shaped = any(any(line.values()) for line in lines)
    is_dead = any(link["dead"] for link in fabric["links"])
    changes = fabric.get("paths") or fabric.get("weather")
    return bool(fabric["switches"] or changes or is_shaped or is_dead)
