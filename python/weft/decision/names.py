"""What is said of designs in sentences and tables alike."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 5


def listed(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return f"{', '.join(names[:_MOST])}{more}"


def share_text(part: float) -> str:
    """Such as "89.9 %"."""
    return f"{100 * rounded_down(part):g} %"


def rounded_down(part: float) -> float:
    """To a tenth of a percent: 89.99 % is less than 90 %."""
    return int(1000 * part + 1e-9) / 1000
