"""The mean time of a memory access behind a cache.

Source: A. Ortiz García's thesis (Granada, 2008), section 4.3.3, the second of two equations numbered 4.1
(catalog/published/nic_offload.toml). It is printed with `h` for the hits' term, which stands for h times
one cycle, as its example 10 = 0.9 * 1 + 0.1 * 91 has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.errors import RequestError
from weft.statistics import Floats


@dataclass(frozen=True)
class AccessTime:
    """Cycles of an access to memory and to the cache, 0 < cache <= memory; else raises RequestError."""

    memory_cycles: float
    cache_cycles: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.cache_cycles <= self.memory_cycles < np.inf):
            raise RequestError(
                f"memory of {self.memory_cycles} behind a cache of {self.cache_cycles} cycles",
                "both are greater than 0, and the cache is not the slower one",
            )

    def predict(self, hit_rate: npt.ArrayLike) -> Floats:
        """Mean cycles of an access at these hit rates, 0 to 1; raises RequestError beyond."""
        hits = np.asarray(hit_rate, dtype=np.float64)
        if not np.all((hits >= 0) & (hits <= 1)):
            raise RequestError(f"hit rate {hits}: not between 0 and 1")
        mean: Floats = hits * self.cache_cycles + (1.0 - hits) * self.memory_cycles
        return mean
