"""The runs from which a twin is made: opened, checked, and with their nodes matched."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.decisions.twin.twin import TwinSource
from weft.runs.digests import sampled_steps
from weft.runs.experiment import MOST_NODES
from weft.runs.folder import RunFolder
from weft.understand.host.disturbed import not_usable
from weft.understand.limits.diagnosis import searched_steps


@dataclass(frozen=True)
class TwinSources:
    """`main` is the run that shows the network, with `hosts` in its order; `places` are the indices of each run's
    nodes."""

    runs: tuple[RunFolder, ...]
    main: RunFolder
    hosts: list[str]
    places: tuple[list[int], ...]
    warnings: list[str]

    @property
    def fabric_names(self) -> list[str]:
        """Names for the hosts that a fabric file allows; imported names may have other characters."""
        names = [re.sub(r"[^A-Za-z0-9._-]", "-", host) for host in self.hosts]
        return (
            names
            if len(set(names)) == len(names)
            else [f"n{at}" for at in range(1, len(names) + 1)]
        )


def open_sources(folders: Sequence[str]) -> TwinSources:
    """Read runs; raises RequestError if they are not of one cluster, or contain nothing to fit."""
    runs = [RunFolder.open(folder) for folder in folders]
    for run in runs:
        _refuse_useless(run)
    main = max(runs, key=lambda run: (bool(searched_steps(run.meta)), len(run.meta.nodes)))
    hosts = _names(main)
    for run in runs:
        _refuse_other_cluster(run, main)
    places = tuple([hosts.index(name) for name in _names(run)] for run in runs)
    return TwinSources(tuple(runs), main, hosts, places, list(_warnings(runs, main)))


def source_of(run: RunFolder) -> TwinSource:
    """A run's entry in twin.json."""
    digest = hashlib.sha256()
    for name in run.samples.column_names:
        digest.update(run.samples[name].to_numpy().tobytes())
    rows = run.samples
    return TwinSource(
        path=str(Path(run.directory)),
        plan=run.meta.plan.name,
        digest=digest.hexdigest()[:16],
        launches=len(set(rows["launch"].to_pylist())),
        phases=len(rows.group_by(["step", "phase", "launch"]).aggregate([])),
        warnings=[f"{one.code}: {one.message}" for one in run.meta.warnings],
    )


def _names(run: RunFolder) -> list[str]:
    return [str(node["name"]) for node in run.meta.nodes]


def _refuse_useless(run: RunFolder) -> None:
    if reason := not_usable(run.meta):
        raise RequestError(
            f"{run.directory}: {reason}", "measure it when the machine is quiet, or leave it out"
        )
    if run.samples.num_rows == 0:
        raise RequestError(f"{run.directory}: holds no samples", "measure it, or leave it out")
    if sampled_steps(run.meta):
        raise RequestError(
            f"{run.directory}: keeps only a sample of its transfers",
            "simulate it again with more `rows`, or leave it out",
        )
    if run.meta.testbed.get("kind") == "node":
        raise RequestError(
            f"{run.directory}: simulates the inside of a node, not a network", "leave it out"
        )

    if len(run.meta.nodes) > MOST_NODES:
        raise RequestError(
            f"{run.directory}: has {len(run.meta.nodes)} nodes, and a twin has {MOST_NODES} at most",
            "measure a part of them",
        )


def _refuse_other_cluster(run: RunFolder, main: RunFolder) -> None:
    """Raise RequestError unless nodes, network and scale are the same."""
    strange = sorted(set(_names(run)) - set(_names(main)))
    if strange:
        raise RequestError(
            f"{run.directory}: has {fold(strange)}, which {main.directory} has not: two clusters",
            "make a twin of the runs of one cluster",
        )
    one, other = run.meta.testbed, main.meta.testbed
    for key, what in (("name", "network"), ("scale", "scale")):
        if key in one and key in other and one.get(key) != other.get(key):
            raise RequestError(
                f"{run.directory}: was measured on the {what} {one.get(key)}, "
                f"{main.directory} on {other.get(key)}",
                f"make a twin of runs of the same {what}",
            )
    fabrics = [each.get("fabric") for each in (one, other)]
    if all(fabrics) and fabrics[0] != fabrics[1]:
        raise RequestError(
            f"{run.directory}: its fabric file was another one than that of {main.directory}",
            "measure both on the same network",
        )


def _warnings(runs: Sequence[RunFolder], main: RunFolder) -> list[str]:
    found = []
    for run in runs:
        if run.meta.status != "complete":
            found.append(f"{run.directory}: is {run.meta.status}: what it lacks is not in the fit")
        if others := [one + 1 for one in run.meta.plan.networks if one]:
            numbers = ", ".join(map(str, others))
            found.append(
                f"{run.directory}: left out what was over network {numbers}: a twin is of the first"
            )
        if run.meta.lost:
            lost = fold(sorted({one["node"] for one in run.meta.lost}))
            found.append(f"{run.directory}: lost {lost}: the twin has what was measured before")
    if not searched_steps(main.meta) and len(main.meta.nodes) > 2:
        found.append(
            "no run is an xray: limits that nodes share are unknown, and the twin has none; "
            "measure one with `weft run xray`"
        )
    return found
