"""What predictions of runs are made from: runs of a network, a twin, or a fabric file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.statistics import has_interval
from weft.decisions.twin.build import fit_twin
from weft.decisions.twin.twin import TWIN, TwinDocument, read_twin
from weft.network.fabrics.document import FabricDocument
from weft.runs.meta import FILE_NAME
from weft.simulation.prediction.draws import Draws

_WANTED = (
    "give runs on these nodes (`weft run signature`, `weft run xray`), a twin's folder, or a fabric"
)
_NAME = "measured"


@dataclass(frozen=True)
class KnownNetwork:
    """A known network. `network` is the testbed that was measured, empty for a fabric file, and `scale` that of its
    rates there; `nodes` are its hosts in order. `no_interval` says why predictions have no interval."""

    kind: Literal["runs", "twin", "fabric"]
    sources: tuple[str, ...]
    draws: Draws
    network: str
    scale: float
    nodes: tuple[str, ...]
    no_interval: str
    warnings: tuple[str, ...] = ()


def open_known(
    names: Sequence[str], say: Callable[[str], None] = lambda text: None
) -> KnownNetwork:
    """Open the folders of runs, the folder of a twin, or a fabric; raises RequestError if they are none of these, or do
    not show the start-up time of a message."""
    folders = [Path(name) for name in names]
    if all((folder / FILE_NAME).is_file() for folder in folders):
        twin, text = fit_twin(names, _NAME, say=say)
        return _of_twin("runs", names, twin, FabricDocument.of_text(text, _NAME))
    if len(names) > 1:
        strange = next(name for name in names if not (Path(name) / FILE_NAME).is_file())
        raise RequestError(
            f"--predict {strange}: not a run folder, and only runs are taken together", _WANTED
        )
    (name,) = names
    if TWIN.is_in(folders[0]):
        return _of_twin("twin", names, *read_twin(folders[0]))
    if folders[0].is_dir():
        raise RequestError(f"--predict {name}: neither a run nor a twin", _WANTED)
    return _of_fabric(name)


def _of_fabric(name: str) -> KnownNetwork:
    if name not in catalog.names("fabric") and not Path(name).is_file():
        raise RequestError(f"--predict {name}: there is no such run, twin or fabric", _WANTED)
    document = FabricDocument.read(name)
    nodes = tuple(host["name"] for host in document.resolved()["hosts"])
    why = "a fabric file does not say how sure its numbers are"
    return KnownNetwork("fabric", (name,), Draws.of_fabric(document), "", 1.0, nodes, why)


def _of_twin(
    kind: Literal["runs", "twin"],
    names: Sequence[str],
    twin: TwinDocument,
    document: FabricDocument,
) -> KnownNetwork:
    if not any(one.name == "model.overhead_s" for one in twin.parameters):
        raise RequestError(
            f"--predict {' '.join(names)}: nothing there says how long a message takes to start",
            "add a run of `signature` or `latency` on these nodes",
        )
    nodes = tuple(host["name"] for host in document.resolved()["hosts"])
    draws, why = twin.draws_of(document), _no_interval(twin)
    if why:
        draws = Draws(draws.median)
    return KnownNetwork(
        kind, tuple(names), draws, twin.testbed, twin.scale, nodes, why, tuple(twin.warnings)
    )


def _no_interval(twin: TwinDocument) -> str:
    """Between many nodes each round has other partners and so is a repetition; for a pair only launches are."""
    launches = max(one.launches for one in twin.sources)
    if len(twin.nodes) > 2 or has_interval(launches):
        few = "too few patterns could be left out to say how far a prediction is off"
        return "" if twin.is_error_known else few
    count = "one launch" if launches == 1 else f"{launches} launches"
    return f"a pair of nodes, measured in {count}, does not say how sure its numbers are"
