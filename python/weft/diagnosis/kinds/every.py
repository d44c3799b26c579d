"""All kinds of results."""

from __future__ import annotations

from typing import Any

from weft.diagnosis.kinds.casts.kind import CASTS
from weft.diagnosis.kinds.collectives.kind import COLLECTIVES
from weft.diagnosis.kinds.interference.kind import INTERFERENCE
from weft.diagnosis.kinds.kind import ResultKind
from weft.diagnosis.kinds.linpack.kind import LINPACK
from weft.diagnosis.kinds.traffic.kind import TRAFFIC

KINDS: tuple[ResultKind[Any], ...] = (TRAFFIC, CASTS, COLLECTIVES, LINPACK, INTERFERENCE)
"""In the order in which a page has them."""
