"""What a case says: findings that are wrong, where that is known, and all that is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    """`wrong` counts findings that are missed or false, `said` is all that was found and what it took."""

    wrong: int
    said: str


Ask = Callable[[], Answer]
"""Makes one case and answers it, the same at each call."""
