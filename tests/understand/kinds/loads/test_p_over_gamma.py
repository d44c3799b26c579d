"""Whether p is the one number that LAWS takes it for."""

from unittest.mock import Mock

import pytest

from weft.base.interval import Interval
from weft.understand.kinds.loads.live_loads import LiveLoad, ReceivingTime
from weft.understand.kinds.loads.loaded import LoadedPoint
from weft.understand.kinds.loads.p_over_gamma import p_over_gamma, p_over_gamma_text

ONE = Interval(1.0, 1.0, 1.0)


def point(gamma: float, shares: list[float], waits: float = 0.02) -> LoadedPoint:
    live = LiveLoad(
        throughput_mbps=ONE,
        launches=len(shares),
        gamma_done=gamma,
        p=None,
        p_by_launch=dict(enumerate(shares)),
        before=None,
        gain=None,
        processor_ns={},
        softirq_ns={},
        host_ns=0.0,
        waits=waits,
        taken=0.0,
        receiving=ReceivingTime(0.1, 0.1, 5000.0, waits=2.0),
        lost_pct=None,
    )
    return Mock(spec=LoadedPoint, gamma=gamma, live=live)


LAUNCHES = [0.2, 0.3, 0.4, 0.5, 0.6]


@pytest.mark.parametrize(
    ("later", "said"),
    [
        # Launches differ more than gammas do, but in each p fell.
        ([one - 0.1 for one in LAUNCHES], "LAWS assumes one p for all, so a fit's lies between"),
        ([0.3, 0.2, 0.5, 0.4, 0.6], "no difference shown, and LAWS assumes none"),
    ],
)
def test_a_change_of_p_is_judged_launch_by_launch(later: list[float], said: str) -> None:
    text = p_over_gamma_text([point(0, LAUNCHES), point(1, LAUNCHES), point(4, later)])
    assert text and text.startswith("p by processor time is 0.40 (0.20 to 0.60) at gamma 1, ")
    assert text.endswith(said)


def test_gammas_at_which_the_receiver_waits_say_nothing_of_p() -> None:
    waiting, busy = point(0.5, LAUNCHES, waits=1.5), point(2, LAUNCHES)
    assert [gamma for gamma, _ in p_over_gamma([waiting, busy])] == [2]
    assert p_over_gamma_text([waiting, busy]) is None
