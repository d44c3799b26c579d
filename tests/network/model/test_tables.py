"""What models say is the same on a terminal, on a page and in Arrow."""

import numpy as np

from base.test_table import check_alone
from weft.network.model.estimate import FittedModel, ModelResidual, residuals_table
from weft.network.model.gain_curve import GainCurve
from weft.network.model.gain_tables import gains_table, regimes_table
from weft.network.model.laws import Laws


def test_gains_are_told_alike() -> None:
    curve = GainCurve(Laws(0.55, 1.0, 0.4, 0.62), np.linspace(0.0, 3.5, 8))
    check_alone(gains_table(curve.points()))
    check_alone(regimes_table(curve))


def test_residuals_are_told_alike() -> None:
    residuals = [
        ModelResidual(1048573, "time_us", 1234.56, 1200.0, -2.799),
        ModelResidual(1, "x", 0, 0, 0.0),
    ]
    model = Laws(0.55, 1.0, 0.4, 0.62)
    table = residuals_table(FittedModel("laws", model, [], 0.95, "size_bytes", residuals))
    assert table.title == "residuals, 1.98 % (root mean square)"
    check_alone(table)
