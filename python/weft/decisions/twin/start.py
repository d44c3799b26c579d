"""The starting point of a fit: the largest load that each part of the network carried."""

from __future__ import annotations

import numpy as np

from weft.base.frames import FULL
from weft.base.statistics import Floats
from weft.decisions.twin.draft import Draft, OpenParameter
from weft.decisions.twin.evidence import FitMaterial
from weft.understand.xray.survey import BEST_ROUTES, NEAR_BEST

OFTEN = 0.9
"""Quantile of a host's loads; higher ones are chance, when a queue drained."""
ACKNOWLEDGED = 1.03
"""Share that acknowledgements of the other direction add to full frames."""
WIRE = FULL.wire_bytes / FULL.payload_bytes
INSIDE = FULL.inside_bytes / FULL.payload_bytes
"""Bytes on a cable, and inside a switch, per byte of payload."""


def start_of(draft: Draft, material: FitMaterial) -> Floats:
    """Logarithms of a draft's rates from their loads; for parts without load, from what their hosts can send."""
    port_mbps = carried_mbps(draft.rates[0], material)
    found = []
    for rate in draft.rates:
        members = len(rate.elements[0].members) if rate.elements else 1
        found.append(carried_mbps(rate, material) or members * port_mbps)
    logs: Floats = np.log(np.array(found))
    return logs


def carried_mbps(parameter: OpenParameter, material: FitMaterial) -> float:
    """Rate on the wire: the median of the loads close to the best of any of its elements."""
    sums = [each for one in parameter.elements for each in material.carried(one)]
    if not sums:
        return 0.0
    is_port = all(len(one.members) == 1 for one in parameter.elements)
    most = np.quantile(sums, OFTEN) if is_port else np.sort(sums)[-BEST_ROUTES:][0]
    good = [one for one in sums if NEAR_BEST * most <= one]
    share = INSIDE if parameter.name.startswith("switches.") else WIRE
    return float(np.median(good)) * share * ACKNOWLEDGED
