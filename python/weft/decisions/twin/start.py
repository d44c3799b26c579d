"""Where a fit begins: what each part of the network carried when it carried most."""

from __future__ import annotations

import numpy as np

from weft.base.frames import FULL
from weft.base.statistics import Floats
from weft.decisions.twin.draft import Draft, OpenParameter
from weft.decisions.twin.evidence import FitMaterial
from weft.understand.xray.survey import BEST_ROUTES, NEAR_BEST

OFTEN = 0.9
"""What a host carries more than at so many times is chance: a queue that emptied."""
ACKNOWLEDGED = 1.03
"""What the other direction's acknowledgements take beside full frames."""
WIRE = FULL.wire_bytes / FULL.payload_bytes
INSIDE = FULL.inside_bytes / FULL.payload_bytes
"""What payload is on a cable, and inside of a switch."""


def start_of(draft: Draft, material: FitMaterial) -> Floats:
    """Logarithms of the rates of a draft, by what they carried; of what carried nothing, what its hosts can send."""
    port_mbps = carried_mbps(draft.rates[0], material)
    found = []
    for rate in draft.rates:
        members = len(rate.elements[0].members) if rate.elements else 1
        found.append(carried_mbps(rate, material) or members * port_mbps)
    logs: Floats = np.log(np.array(found))
    return logs


def carried_mbps(parameter: OpenParameter, material: FitMaterial) -> float:
    """On the wire, the median of what comes near the best that any of its elements carried."""
    sums = [each for one in parameter.elements for each in material.carried(one)]
    if not sums:
        return 0.0
    is_port = all(len(one.members) == 1 for one in parameter.elements)
    most = np.quantile(sums, OFTEN) if is_port else np.sort(sums)[-BEST_ROUTES:][0]
    good = [one for one in sums if NEAR_BEST * most <= one]
    share = INSIDE if parameter.name.startswith("switches.") else WIRE
    return float(np.median(good)) * share * ACKNOWLEDGED
