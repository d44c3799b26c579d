"""The gain of offloading communication, from Python."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.figures import chosen
from weft.network.model.gain_curve import GainCurve, Regime
from weft.network.model.gain_tables import gains_table
from weft.network.model.gamma_points import gamma_range
from weft.network.model.laws import Laws, Optimum

if TYPE_CHECKING:
    import altair


class Offload(Said):
    """The gain of offload over a range of the application ratio gamma. Made by `weft.laws`."""

    def __init__(self, model: Laws, gamma: str) -> None:
        self.curve = GainCurve(model, gamma_range(gamma))

    @property
    def model(self) -> Laws:
        """The model with its ratios."""
        return self.curve.model

    @property
    def best(self) -> Optimum:
        """The greatest gain of the range, and its gamma."""
        return self.curve.best

    @property
    def regimes(self) -> list[Regime]:
        """Ranges of gamma, and the limit in each."""
        return self.curve.regimes

    @cached_property
    def points(self) -> Table:
        """Throughput before and after as a share of the link's, the gain (0.3: 30 % more) and the limit (shape:
        gammas)."""
        return Table.of_results("gains", gains_table(self.curve.points()))

    def plot(self) -> altair.TopLevelMixin:
        """The gain over gamma as an Altair chart."""
        from weft.understand.report.figures.laws import laws_figure  # drawing is slow to import

        return chosen([laws_figure(self.model, self.curve.gammas)], None)

    def lines(self) -> list[str]:
        """The greatest gain, then the regimes."""
        beyond = ", where the range ends and it still rises" if self.curve.still_rises else ""
        return [
            f"greatest gain {self.best.gain:+.1%} at gamma {self.best.gamma:.4g}{beyond}",
            *(
                f"gamma {one.low:.4g} to {one.high:.4g}: the gain {one.trend}; "
                f"limited by the {one.limit_before} before, the {one.limit_after} after"
                for one in self.regimes
            ),
        ]


def laws(
    *,
    p: float,
    sigma: float,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_a: float = 0.0,
    delta_o: float = 0.0,
    tau: float = 0.0,
    ceiling: float = 0.0,
    gamma: str | tuple[float, float] = "0:3.5",
) -> Offload:
    """Predict the gain of offloading communication by the LAWS model: `weft.laws(p=0.55, beta=0.4, sigma=0.62).best`.

    All are ratios without unit: p the share of communication work that is offloaded, sigma the share of the link that
    the host can fill, alpha the speed of the host over that of the NIC, beta the share of the offloaded work that
    remains; delta_a, delta_o and tau the changes of modified LAWS; ceiling the host's rate over the greatest throughput
    (0: none). gamma: application work over communication work, as LOW:HIGH[:STEP] or (low, high). Raises RequestError
    for an impossible ratio.
    """
    model = Laws(p, alpha, beta, sigma, delta_a, delta_o, tau, ceiling)
    text = gamma if isinstance(gamma, str) else ":".join(map(repr, map(float, gamma)))
    return Offload(model, text)
