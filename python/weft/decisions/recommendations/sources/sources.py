"""Reads the sources, each according to its kind; refuses a mixture of two clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.decisions.recommendations.sources.acceptance_folder import AcceptanceFolder
from weft.decisions.recommendations.sources.check_record import CheckRecord
from weft.decisions.recommendations.sources.pair_run import PairRun
from weft.decisions.recommendations.sources.search_run import SearchRun
from weft.decisions.recommendations.sources.source import (
    MADE_HERE,
    ClusterIdentity,
    EvidenceSource,
    EvidenceSources,
)
from weft.decisions.recommendations.sources.tuning_folder import TuningFolder
from weft.decisions.recommendations.sources.twin_folder import TwinFolder
from weft.decisions.recommendations.sources.watch_folder import WatchFolder
from weft.decisions.twin.twin import TWIN
from weft.links.watch.store.store import is_watch, open_watch
from weft.operate.acceptance.accept import ACCEPTANCE, RECORD_NAME
from weft.operate.tuning.tune import TUNING
from weft.plan.pattern import ManyNodes
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME

KINDS = (
    "runs (xray, signature), records of `weft check --json`, and folders of tune, accept and watch"
)


def read_sources(paths: Sequence[str]) -> EvidenceSources:
    """All sources; of two about the same subject, the newer. Raises RequestError for an unknown kind of file, and for
    two clusters."""
    found = [source for path in paths for source in _open(Path(path))]
    refuse_two_clusters([(one.path, one.cluster) for one in found if one.cluster is not None])
    kept, notes = _newest(found)
    return EvidenceSources(tuple(kept), tuple(notes))


def _open(path: Path) -> list[EvidenceSource]:
    if path.is_file():
        return [CheckRecord.read(path)]
    if not path.is_dir():
        raise RequestError(f"{path}: no such folder or file", f"give {KINDS}")
    for name, read in _READERS.items():
        if (path / name).exists():
            return read(path)
    raise RequestError(f"{path}: nothing that weft knows of a cluster", f"give {KINDS}")


def _of_run(path: Path) -> list[EvidenceSource]:
    """run.json belongs to a run or to a watch."""
    if is_watch(path):
        return [WatchFolder(path, open_watch(path, is_summary=True))]
    run = RunFolder.open(path)
    is_of_many = run.meta.plan.steps_of(ManyNodes)
    return [SearchRun(path, run) if is_of_many else PairRun(path, run)]


def _of_acceptance(path: Path) -> list[EvidenceSource]:
    """The acceptance, and the check with which it began."""
    checked = [CheckRecord.read(path / RECORD_NAME)] if (path / RECORD_NAME).exists() else []
    return [AcceptanceFolder.read(path), *checked]


_READERS: dict[str, Callable[[Path], list[EvidenceSource]]] = {
    FILE_NAME: _of_run,
    ACCEPTANCE.name: _of_acceptance,
    TUNING.name: lambda path: [TuningFolder.read(path)],
    TWIN.name: lambda path: [TwinFolder(path)],
    RECORD_NAME: lambda path: [CheckRecord.read(path / RECORD_NAME)],
}
"""The reader for each kind of folder, by its file."""


def refuse_two_clusters(about: Sequence[tuple[Path, ClusterIdentity]]) -> None:
    """Raise RequestError if two sources cannot be of the same cluster as the one with most nodes."""
    first, cluster = max(
        about, key=lambda one: len(one[1].nodes), default=(Path(), ClusterIdentity({}))
    )
    for path, other in about:
        if why := _contradiction(cluster, other):
            raise RequestError(
                f"{first} and {path} are of two clusters: {why}",
                "give what is known of one cluster, one after the other",
            )


def _contradiction(one: ClusterIdentity, other: ClusterIdentity) -> str:
    specs = [each.spec or "an imported run" for each in (one, other)]
    if one.is_computed != other.is_computed:
        return f"{specs[0]} and {specs[1]}, of which one is simulated"
    if {one.kind, other.kind} & set(MADE_HERE) and not _same_name(one, other):
        return " and ".join(specs)
    if one.scale and other.scale and one.scale != other.scale:
        return f"scale {one.scale:g} and {other.scale:g}"
    if not one.nodes.keys() & other.nodes.keys():
        return f"{fold(one.nodes)} and {fold(other.nodes)}"
    for name in one.nodes.keys() & other.nodes.keys():
        ends = {one.nodes[name], other.nodes[name]} - {""}
        if len(ends) > 1:
            return f"{name} is {' and '.join(sorted(ends))}"
    return ""


def _same_name(one: ClusterIdentity, other: ClusterIdentity) -> bool:
    """Whether two labs have the same name; a file's name is not that of the fabric in it."""
    return one.spec == other.spec or bool(one.name and one.name == other.name)


def _newest(found: Iterable[EvidenceSource]) -> tuple[list[EvidenceSource], list[str]]:
    """The newest of those about the same subject, in the order given, and notes about the others."""
    found = list(found)
    kept: dict[object, EvidenceSource] = {}
    notes = []
    for one in sorted(found, key=lambda each: each.when):
        older = kept.pop(one.subject, None)
        if older is not None:
            notes.append(f"{older.path} is older than {one.path} and does not count")
        kept[one.subject] = one
    return [one for one in found if one in kept.values()], notes
