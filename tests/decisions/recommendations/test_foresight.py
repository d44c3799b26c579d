"""Effects on networks that are known only so well."""

from __future__ import annotations

from weft.decisions.recommendations.foresight import Foresight
from weft.decisions.what_if.network import Subject
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload

DOCUMENT = FabricDocument.read("bad-cable")
MENDED = ("hosts.n7.rate=100 Mb/s",)


def drawn(mbps: int) -> NetworkDraw:
    """The bad cable as fast as that."""
    return NetworkDraw(
        FabricDocument.of_text(
            DOCUMENT.text.replace('rate = "10 Mb/s"', f'rate = "{mbps} Mb/s"'), "drawn"
        )
    )


def foresight(discrepancy: tuple[float, ...] = ()) -> Foresight:
    subject = Subject("mine", NetworkDraw(DOCUMENT), tuple(map(drawn, (8, 10, 12))), discrepancy)
    return Foresight(subject, PlannedWorkload("aapc"))


def test_draws_are_held_against_themselves() -> None:
    found = foresight().speedup((), MENDED)
    assert 7.5 < found.low < 9 < found.median < 10 < 12 < found.high < 13.5


def test_what_is_measured_may_be_off_by_what_the_simulator_gets_wrong() -> None:
    (one,) = foresight((-0.1, 0.0, 0.1)).effects((), MENDED)
    certain = foresight().measurable(one)
    wide = foresight((-0.1, 0.0, 0.1)).measurable(one)
    assert certain == one.speedup and wide.median == one.speedup.median
    assert wide.low < 0.92 * certain.low and wide.high > 1.08 * certain.high


def test_a_change_beyond_what_was_measured_is_said_of_twins_only() -> None:
    faster = ("hosts.n[1-16].rate*=4",)
    assert "extrapolated: a limit of" in foresight((0.0, 0.01)).extrapolated(faster)[0]
    assert not Foresight(
        Subject("mine", NetworkDraw(DOCUMENT)), PlannedWorkload("aapc")
    ).extrapolated(faster)
