"""All kinds of results."""

from __future__ import annotations

from typing import Any

from weft.understand.kinds.casts.kind import CASTS
from weft.understand.kinds.collectives.kind import COLLECTIVES
from weft.understand.kinds.interference.kind import INTERFERENCE
from weft.understand.kinds.kind import ResultKind
from weft.understand.kinds.linpack.kind import LINPACK
from weft.understand.kinds.loads.kind import LOADS
from weft.understand.kinds.multi_pair.kind import MULTI_PAIR
from weft.understand.kinds.programs.kind import PROGRAMS
from weft.understand.kinds.race.kind import RACE
from weft.understand.kinds.traffic.kind import TRAFFIC

KINDS: tuple[ResultKind[Any], ...] = (
    RACE,
    LOADS,
    TRAFFIC,
    CASTS,
    COLLECTIVES,
    LINPACK,
    INTERFERENCE,
    MULTI_PAIR,
    PROGRAMS,
)
"""In the order of the page."""
