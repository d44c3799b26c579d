"""weft: measure, model and simulate the interconnect of a computer cluster.

    import weft

    run = weft.run("signature", on="lab:pair")     # or weft.open("runs/pair")
    run.points.to_pandas()
    run.plot()

docs/python.md says more. What is named here is imported when it is first used: `import weft` is quick.
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from weft.base.errors import ArgumentError, RequestError, WeftError, WorkError

if TYPE_CHECKING:
    from weft.faces.api.accept import Acceptance, accept, resume_acceptance
    from weft.faces.api.bill import Bill, bill, cost
    from weft.faces.api.columns.table import Table
    from weft.faces.api.columns.tables import Routes, Samples
    from weft.faces.api.comparison import Comparison, compare
    from weft.faces.api.decide import Decided, decide, open_decision
    from weft.faces.api.diagnose import diagnose
    from weft.faces.api.diagnosis import Diagnosis
    from weft.faces.api.fabric import Fabric, fabric
    from weft.faces.api.models.fit import Fit, fit, models
    from weft.faces.api.models.laws import Offload, laws
    from weft.faces.api.models.machine import Machine, machine
    from weft.faces.api.ports import Connections, Ports, ports
    from weft.faces.api.publish.cite import Reference, cite
    from weft.faces.api.publish.export import export
    from weft.faces.api.recommend import Recommendations, Verification, recommend, verify
    from weft.faces.api.run import Interrupted, Run
    from weft.faces.api.start import open, run, simulate
    from weft.faces.api.tune import Tuning, resume_tuning, tune, undo_settings
    from weft.faces.api.twin import Twin, make_twin, open_twin, twin
    from weft.faces.api.watch import Watch, open_watch
    from weft.faces.api.what_if import WhatIf, foresee, what_if

__version__ = "0.1.0"

__all__ = [
    "Acceptance",
    "ArgumentError",
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
    "Reference",
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
    "cite",
    "compare",
    "cost",
    "decide",
    "diagnose",
    "export",
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
    "twin",
    "undo_settings",
    "verify",
    "what_if",
]

_FILES = {
    "accept": ("Acceptance", "accept", "resume_acceptance"),
    "bill": ("Bill", "bill", "cost"),
    "comparison": ("Comparison", "compare"),
    "decide": ("Decided", "decide", "open_decision"),
    "diagnose": ("diagnose",),
    "diagnosis": ("Diagnosis",),
    "publish.cite": ("Reference", "cite"),
    "publish.export": ("export",),
    "fabric": ("Fabric", "fabric"),
    "models.fit": ("Fit", "fit", "models"),
    "models.laws": ("Offload", "laws"),
    "models.machine": ("Machine", "machine"),
    "ports": ("Connections", "Ports", "ports"),
    "recommend": ("Recommendations", "Verification", "recommend", "verify"),
    "run": ("Interrupted", "Run"),
    "start": ("open", "run", "simulate"),
    "columns.table": ("Table",),
    "columns.tables": ("Routes", "Samples"),
    "tune": ("Tuning", "resume_tuning", "tune", "undo_settings"),
    "twin": ("Twin", "make_twin", "open_twin", "twin"),
    "watch": ("Watch", "open_watch"),
    "what_if": ("WhatIf", "foresee", "what_if"),
}
_PLACES = {name: f"weft.faces.api.{file}" for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> Any:
    """What stands in weft.faces.api, imported at its first use (PEP 562)."""
    if name not in _PLACES:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    if isinstance(value, FunctionType):
        from weft.faces.api.public.function import public

        value = public(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
