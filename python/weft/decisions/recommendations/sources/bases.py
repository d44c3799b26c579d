"""What sources have in common that are runs, or folders of work with a document."""

from __future__ import annotations

import datetime
from functools import cached_property
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from weft.decisions.recommendations.sources.source import ClusterIdentity
from weft.measure.execute.work_folder import WorkRequest
from weft.runs.folder import RunFolder
from weft.runs.run_warnings import RunWarning, of_runs
from weft.understand.limits.diagnosis import diagnose
from weft.understand.limits.findings import LimitFindings


class RunSource:
    """A run, with the cluster that it measured."""

    def __init__(self, path: Path, run: RunFolder) -> None:
        self.path, self.run = path, run
        nodes = {str(one["name"]): str(one.get("address") or "") for one in run.meta.nodes}
        self.cluster = ClusterIdentity.of_testbed(run.meta.testbed, nodes)
        self.when = _unix_s(run.meta.started)

    @cached_property
    def findings(self) -> LimitFindings:
        """The diagnosis of the run."""
        return diagnose(self.run)

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Those of the run."""
        return of_runs([self.run])


class _Found(Protocol):
    @property
    def testbed(self) -> str: ...
    @property
    def nodes(self) -> tuple[str, ...]: ...
    @property
    def started(self) -> str: ...
    @property
    def warnings(self) -> tuple[RunWarning, ...]: ...


F = TypeVar("F", bound=_Found)
Q = TypeVar("Q", bound=WorkRequest)


class WorkSource(Generic[F, Q]):
    """A folder of work: the document in it, and the request that it answers."""

    def __init__(self, path: Path, found: F, request: Q) -> None:
        self.path, self.found, self.request = path, found, request
        self.cluster = ClusterIdentity(dict.fromkeys(found.nodes, ""), found.testbed, request.scale)
        self.when = _unix_s(found.started)

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Those of its runs."""
        return self.found.warnings


def _unix_s(text: str | None) -> float:
    """A time in ISO format as Unix time in seconds; 0 where it is empty."""
    return datetime.datetime.fromisoformat(text).timestamp() if text else 0.0
