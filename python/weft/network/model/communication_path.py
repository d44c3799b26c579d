"""Packet times over buses and network, and mean access times with a cache.

Source: A. Ortiz García's thesis (Granada, 2008), equations 1.1 to 1.3, and in section 4.3.3 the second of two equations
numbered 4.1 (catalog/published/nic_offload.toml). It is printed with `h` for the term of hits, which stands for h times
one cycle, as in its example 10 = 0.9 * 1 + 0.1 * 91.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.network.model.hockney import Hockney


@dataclass(frozen=True)
class CommunicationPath:
    """The path of a packet; raises RequestError if a value is out of range.

    `memory_crossings` (M) and `io_crossings` (N) count how often it crosses the memory and the I/O bus at both ends
    together; `processing_us` (dt) is the time of protocol, context switches and interrupts that is not overlapped;
    `flight_us` (L) is the network's latency.
    """

    network_mbps: float
    memory_mbps: float
    io_mbps: float
    memory_crossings: float
    io_crossings: float
    processing_us: float
    flight_us: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            is_rate = field.name.endswith("_mbps")
            if not (np.isfinite(value) and (value > 0 if is_rate else value >= 0)):
                bound = "greater than 0" if is_rate else "0 or more"
                raise RequestError(f"{field.name} {value}: must be a number, {bound}")

    @property
    def hockney(self) -> Hockney:
        """The equivalent start-up time and rate, which is all that times over sizes determine."""
        return Hockney(self.flight_us + self.processing_us, 1.0 / self._us_per_bit)

    def overhead_us(self, size_bytes: npt.ArrayLike) -> Floats:
        """Time that both ends spend on a packet: Os + Or of equation 1.2."""
        return _bits(size_bytes) * self._bus_us_per_bit + self.processing_us

    def predict(self, size_bytes: npt.ArrayLike) -> Floats:
        """Packet time in microseconds: equation 1.1."""
        on_wire_us = _bits(size_bytes) / self.network_mbps
        return self.overhead_us(size_bytes) + self.flight_us + on_wire_us

    def effective_mbps(self, size_bytes: npt.ArrayLike) -> Floats:
        """Bandwidth available to applications: equation 1.3, which neglects the time of flight."""
        bits = _bits(size_bytes)
        rate: Floats = bits / (bits * self._us_per_bit + self.processing_us)
        return rate

    @property
    def _bus_us_per_bit(self) -> float:
        return self.memory_crossings / self.memory_mbps + self.io_crossings / self.io_mbps

    @property
    def _us_per_bit(self) -> float:
        return 1.0 / self.network_mbps + self._bus_us_per_bit


def _bits(size_bytes: npt.ArrayLike) -> Floats:
    """Sizes in bits, so that bits over 10^6 bit/s are microseconds."""
    return np.asarray(size_bytes, dtype=np.float64) * 8.0


@dataclass(frozen=True)
class AccessTime:
    """Cycles of an access to memory and to the cache, 0 < cache <= memory; raises RequestError otherwise."""

    memory_cycles: float
    cache_cycles: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.cache_cycles <= self.memory_cycles < np.inf):
            raise RequestError(
                f"memory of {self.memory_cycles} behind a cache of {self.cache_cycles} cycles",
                "both are greater than 0, and the cache is not the slower one",
            )

    def predict(self, hit_rate: npt.ArrayLike) -> Floats:
        """Mean cycles of an access at these hit rates; raises RequestError outside of 0 to 1."""
        hits = np.asarray(hit_rate, dtype=np.float64)
        if not np.all((hits >= 0) & (hits <= 1)):
            raise RequestError(f"hit rate {hits}: not between 0 and 1")
        mean: Floats = hits * self.cache_cycles + (1.0 - hits) * self.memory_cycles
        return mean
