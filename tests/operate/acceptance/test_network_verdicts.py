"""Limits that are not declared, and those that may be the processors of the machine that carries a lab."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from support.made.computed import compute
from weft.network.fabrics.load import load_fabric
from weft.operate.acceptance.declared import Promise
from weft.operate.acceptance.network_verdicts import limit_verdicts
from weft.operate.acceptance.plans import limits_plan
from weft.operate.acceptance.requirements import requirement
from weft.operate.acceptance.verdict import RequirementVerdict
from weft.runs.columns.table_file import write_table
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunFolder

LEAVES = """name = "leaves"
[[hosts]]
ids = "n[1-12]"
attach = "leaf[1-2]"
per_switch = 6
link = { rate = "1 Gb/s", delay = "5 us" }
[[links]]
between = ["leaf1", "leaf2"]
rate = "3 Gb/s"
"""
NARROW = '[[switches]]\nids = "leaf1"\nports = 8\ncapacity = "3 Gb/s"\n'
SEARCH = 2
"""The step of the plan."""


def waited(run: RunFolder, share: float) -> None:
    """Record that agents waited for processors, so much of the time of the search."""
    rows = {name: [SEARCH, SEARCH] for name in ("step",)} | {
        "counter": ["elapsed_ns", "process_waiting_ns"]
    }
    rows |= {"value": [1000, round(1000 * share)]}
    schema = SCHEMAS[EVIDENCE_NAME]
    others = {name: [None if name == "cpu" else 0] * 2 for name in schema.names if name not in rows}
    write_table(
        pa.table(rows | others).select(schema.names).cast(schema), run.directory / EVIDENCE_NAME
    )


def judged(run: RunFolder, promise: Promise, kind: str, share: float) -> RequirementVerdict:
    """On limits, where agents on such a testbed waited so much."""
    run.meta.testbed["kind"] = kind
    waited(run, share)
    (found,) = limit_verdicts([requirement("network.limits", "15 %")], run, promise)
    return found


def test_a_limit_that_is_not_declared_is_told_but_not_of_a_busy_lab(tmp_path: Path) -> None:
    built, declared, plan = (tmp_path / name for name in ("b.toml", "d.toml", "limits.toml"))
    built.write_text(LEAVES + NARROW)
    declared.write_text(LEAVES)
    plan.write_text(limits_plan(",".join(str(at + 1) for at in range(12))))
    run = compute(tmp_path / "run", str(plan), f"sim:{built}")
    promise = Promise(load_fabric(str(declared)), tuple(f"n{at + 1}" for at in range(12)))
    for kind, share in (("lab", 0.1), ("hosts", 0.5)):
        found = judged(run, promise, kind, share)
        assert found.status == "not met" and found.symptoms
        assert not any(symptom.facts["declared"] for symptom in found.symptoms)
    busy = judged(run, promise, "lab", 0.5)
    assert busy.status == "not decided" and "--scale" in busy.would_decide
