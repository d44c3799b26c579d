"""weft: measure, model and simulate the interconnect of a computer cluster.

    import weft

    run = weft.run("signature", on="lab:pair")     # or weft.open("runs/pair")
    run.points.to_pandas()
    run.plot()

docs/python.md says more. What is named here is imported when it is first used: `import weft` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weft.errors import RequestError, WeftError, WorkError

if TYPE_CHECKING:
    from weft.api.accept import Acceptance, accept, resume_acceptance
    from weft.api.bill import Bill, bill
    from weft.api.comparison import Comparison, compare
    from weft.api.decide import Decided, decide, open_decision
    from weft.api.diagnose import diagnose
    from weft.api.diagnosis import Diagnosis
    from weft.api.fabric import Fabric, fabric
    from weft.api.fit import Fit, fit, models
    from weft.api.laws import Offload, laws
    from weft.api.machine import Machine, machine
    from weft.api.ports import Connections, Ports, ports
    from weft.api.recommend import Recommendations, Verification, recommend, verify
    from weft.api.run import Interrupted, Run
    from weft.api.start import open, run, simulate
    from weft.api.table import Table
    from weft.api.tables import Routes, Samples
    from weft.api.tune import Tuning, resume_tuning, tune, undo_settings
    from weft.api.twin import Twin, make_twin, open_twin
    from weft.api.watch import Watch, open_watch
    from weft.api.what_if import WhatIf, foresee

__version__ = "0.1.0"

__all__ = [
    "Acceptance",
    "Bill",
    "Comparison",
    "Connections",
    "Decided",
    "Diagnosis",
    "Fabric",
    "Fit",
    "Interrupted",
    "Machine",
    "Offload",
    "Ports",
    "Recommendations",
    "RequestError",
    "Routes",
    "Run",
    "Samples",
    "Table",
    "Tuning",
    "Twin",
    "Verification",
    "Watch",
    "WeftError",
    "WhatIf",
    "WorkError",
    "accept",
    "bill",
    "compare",
    "decide",
    "diagnose",
    "fabric",
    "fit",
    "foresee",
    "laws",
    "machine",
    "make_twin",
    "models",
    "open",
    "open_decision",
    "open_twin",
    "open_watch",
    "ports",
    "recommend",
    "resume_acceptance",
    "resume_tuning",
    "run",
    "simulate",
    "tune",
    "undo_settings",
    "verify",
]

_FILES = {
    "accept": ("Acceptance", "accept", "resume_acceptance"),
    "bill": ("Bill", "bill"),
    "comparison": ("Comparison", "compare"),
    "decide": ("Decided", "decide", "open_decision"),
    "diagnose": ("diagnose",),
    "diagnosis": ("Diagnosis",),
    "fabric": ("Fabric", "fabric"),
    "fit": ("Fit", "fit", "models"),
    "laws": ("Offload", "laws"),
    "machine": ("Machine", "machine"),
    "ports": ("Connections", "Ports", "ports"),
    "recommend": ("Recommendations", "Verification", "recommend", "verify"),
    "run": ("Interrupted", "Run"),
    "start": ("open", "run", "simulate"),
    "table": ("Table",),
    "tables": ("Routes", "Samples"),
    "tune": ("Tuning", "resume_tuning", "tune", "undo_settings"),
    "twin": ("Twin", "make_twin", "open_twin"),
    "watch": ("Watch", "open_watch"),
    "what_if": ("WhatIf", "foresee"),
}
_PLACES = {name: f"weft.api.{file}" for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> Any:
    """What stands in weft.api, imported at its first use (PEP 562)."""
    if name not in _PLACES:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
