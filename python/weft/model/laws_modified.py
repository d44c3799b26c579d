"""Modified LAWS: LAWS, and what offload changes besides where work is done.

Source: A. Ortiz García's thesis (Granada, 2008), equation 4.3 and section 4.6.3
(catalog/published/nic_offload.toml). The host's time after offload becomes

    (gamma (1 + delta_a) + (1 - p) (1 + delta_o)) (1 + tau)

and the NIC's p alpha beta (1 + delta_o). The equation as printed has the communication work o twice in the
NIC's term, which then is no time any more; here it is there once, as in equation 1.7, which the modified model
must become where all deviations are 0. `as_printed` is the other reading. The deviations are relative, as in
equation 4.3; chapter 6 of the thesis words them as absolute.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from weft.model.laws import Laws, Ratio, check_above


@dataclass(frozen=True)
class ModifiedLaws(Laws):
    """LAWS with three deviations, fractions greater than -1.

    `delta_a` is the relative change of the application's work, `delta_o` that of communication work,
    `tau` that of all work left on the host, from the host and the NIC talking to each other.
    """

    delta_a: Ratio = 0.0
    delta_o: Ratio = 0.0
    tau: Ratio = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("delta_a", "delta_o", "tau"):
            check_above(name, getattr(self, name), -1.0)

    @property
    def host_slope(self) -> Ratio:
        return (1.0 + self.delta_a) * (1.0 + self.tau)

    @property
    def host_rest(self) -> Ratio:
        return (1.0 - self.p) * (1.0 + self.delta_o) * (1.0 + self.tau)

    @property
    def nic_time(self) -> Ratio:
        return self.p * self.alpha * self.beta * (1.0 + self.delta_o)


def as_printed(model: ModifiedLaws) -> ModifiedLaws:
    """The model with equation 4.3 to the letter, o twice in the NIC's term, for comparison.

    An absolute o needs units: in those of Table 4.14, where X and B are 1, it is 1/sigma, and so the
    second o acts as a beta that is 1/sigma times as large.
    """
    return replace(model, beta=model.beta / model.sigma)
