"""What is said of designs in sentences and tables alike."""

from __future__ import annotations

from collections.abc import Sequence

from weft.decision.document import WorkloadTime
from weft.quantity import format_us

_MOST = 5


def listed(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return f"{', '.join(names[:_MOST])}{more}"


def time_text(one: WorkloadTime) -> str:
    """What a workload takes, and whether that says nothing of links."""
    time = format_us(one.time_s.median * 1e6)
    return f"{time}, latency bound" if one.is_latency_bound else time


def share_text(part: float) -> str:
    """Rounded down: 89.9 % is less than 90 %."""
    return f"{int(1000 * part + 1e-9) / 10:g} %"
