"""Changes of a network from Python: predicted, and verified in labs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.decisions.what_if.alternative import Alternative, alternative
from weft.decisions.what_if.ask import WhatIfRequest, ask
from weft.decisions.what_if.result import AlternativeOutcome
from weft.decisions.what_if.result import WhatIfResult as Found
from weft.decisions.what_if.tables import effects_table
from weft.decisions.what_if.verify import LAUNCHES
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.plan.load import setting_text


class WhatIf(Said):
    """A what-if. Made by `weft.what_if`."""

    def __init__(self, found: Found) -> None:
        self.found = found

    @property
    def outcomes(self) -> tuple[AlternativeOutcome, ...]:
        """The alternatives, the most effective first."""
        return self.found.outcomes

    @property
    def effects(self) -> Table:
        """The effect of each alternative, the best first (shape: alternatives, steps and sizes). `speedup` is the ratio
        of speeds; `is_clear` if its interval excludes 1."""
        return Table.of_results("effects", effects_table(self.found))

    def lines(self) -> list[str]:
        """A line for each alternative."""
        return [f"what if: {self.found.subject}", *map(_line, self.outcomes)]


def _line(one: AlternativeOutcome) -> str:
    if one.speedup is None:
        return f"{one.name}: {one.failed}"
    return f"{one.name}: {one.speedup:.3g} times as fast"


def what_if(
    subject: str | os.PathLike[str],
    *changes: str,
    alternatives: Mapping[str, Sequence[str]] | None = None,
    plans: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    scale: float | None = None,
    verify: bool = False,
    launches: int = LAUNCHES,
    out: str | os.PathLike[str] | None = None,
    prices: str | os.PathLike[str] | None = None,
) -> WhatIf:
    """What changes of a network would bring: `weft.what_if("two-racks", "links.rack1-rack2.rate*=2")`.

    subject: a twin's folder, a fabric or a generator. changes: made together, in the syntax of docs/what-if.md.
    alternatives: further ones by name. plans: the workload, an all-to-all by default. verify: builds the network before
    and after as labs and measures both, `launches` times, at a scale that this machine carries. out: a new folder for
    everything. prices: a file of prices, or the catalogue's. Raises RequestError for what cannot be made or predicted.
    """
    asked: list[Alternative] = [alternative(changes)] if changes else []
    asked += [alternative(texts, name) for name, texts in (alternatives or {}).items()]
    overrides = [(key, setting_text(value)) for key, value in (settings or {}).items()]
    folder = None if out is None else Path(out)
    listed = None if prices is None else os.fspath(prices)
    name = os.fspath(subject)
    return WhatIf(
        ask(WhatIfRequest(name, asked, plans, overrides, scale, verify, launches, folder, listed))
    )


foresee = what_if
"""The name that it had before the command line's."""
