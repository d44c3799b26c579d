"""Tables of the gain of offload over gamma."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.table import ResultColumn, ResultTable
from weft.network.model.gain_curve import GainCurve, GainPoint

_LIMITS = (
    ResultColumn("limit_before", "limit before", str),
    ResultColumn("limit_after", "limit after", str),
)
_GAINS = (
    ResultColumn("gamma", "gamma", spec=".4g"),
    ResultColumn("before_share", "before", read=lambda one: one.before),
    ResultColumn("after_share", "after", read=lambda one: one.after),
    ResultColumn("gain_share", "gain", read=lambda one: one.gain, spec="+.1f"),
    *_LIMITS,
)
_REGIMES = (
    ResultColumn("low", "from gamma", spec=".4g"),
    ResultColumn("high", "to gamma", spec=".4g"),
    *_LIMITS,
    ResultColumn("trend", "gain", str),
)


def gains_table(points: Sequence[GainPoint]) -> ResultTable:
    """Throughput before and after as shares of the link's, the gain (0.3: 30 % more), and the limiting stages."""
    return ResultTable.of("throughput as a share of the link's", _GAINS, points)


def regimes_table(curve: GainCurve) -> ResultTable:
    """Ranges of gamma, and the limiting stage in each."""
    return ResultTable.of("regimes", _REGIMES, curve.regimes)
