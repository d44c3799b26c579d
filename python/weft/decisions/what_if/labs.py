"""The networks before and after, as labs that this machine can carry."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import floor, log10

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.decisions.what_if.network import Network, host_rates_mbps
from weft.measure.testbed.lab.demand import CARRIED_MBPS
from weft.network.fabrics.changes.wiring import FabricWiring
from weft.network.fabrics.changes.writing import rewired
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import NetworkDraw

LEAST_QUEUE_FRAMES = 150
"""With shorter queues, a dozen flows that share a limit lose so much that a part of it stays idle; with longer ones, a
slow limit is filled only after seconds."""


def document_of(network: Network) -> FabricDocument:
    """The document from which a lab is built; raises RequestError if that is impossible."""
    if isinstance(network, NetworkDraw):
        return network.document
    raise RequestError(
        f"{network.text} has no fabric file: no lab can be built of it",
        "verify changes of trees, or leave --verify out",
    )


def carried_scale(networks: Sequence[Network]) -> float:
    """The largest scale, of two digits and at most 1, at which this machine carries what all hosts of each network
    send."""
    budget = CARRIED_MBPS * len(os.sched_getaffinity(0))
    totals = [sum(host_rates_mbps(one.open())) for one in networks]
    exact = min([1.0, *(budget / total for total in totals if total > 0)])
    digit = 10.0 ** (floor(log10(exact)) - 1)
    return round(floor(exact / digit + 1e-9) * digit, 9)


def for_lab(document: FabricDocument, scale: float) -> FabricDocument:
    """The document with queues shortened in proportion to its rates, so that waiting times are those of the real
    network."""
    wiring = FabricWiring.of(document)

    def scaled(frames: int) -> int:
        return min(frames, max(LEAST_QUEUE_FRAMES, round(frames * scale)))

    return rewired(
        document,
        replace(
            wiring,
            cables=tuple(
                replace(one, queue_frames=scaled(one.queue_frames)) for one in wiring.cables
            ),
            switches=tuple(
                replace(one, queue_frames=scaled(one.queue_frames)) for one in wiring.switches
            ),
        ),
    )
