"""Files that a simulated run has beside its samples; BOTTLENECKS_NAME all, the others by kind."""

from __future__ import annotations

BOTTLENECKS_NAME = "bottlenecks.parquet"
"""By step, phase, source and destination: the constraint that limited the transfer when it ended."""

LOADS_NAME = "loads.parquet"
"""By step, phase and constraint: what it carried on the wire, the mean over the phase, and what it can carry, both in
10^6 bit/s; the latter is infinite where there is no limit."""

OCCUPATION_NAME = "occupation.parquet"
"""By step, phase, node, part of the node and task: what share of the time it was busy, interrupts per second."""

CATEGORIES_NAME = "categories.parquet"
"""By step, phase, node and category: cycles of a message, of machines whose costs are given by category."""

BUDGET_NAME = "budget.parquet"
"""By step, phase and stage: where the time of a message went, one way, in ns; together the latency."""
