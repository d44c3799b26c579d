"""Opens an executor by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from importlib import import_module
from types import ModuleType

from weft.base.errors import RequestError
from weft.simulation.sweep.executors.dask import DaskExecutor
from weft.simulation.sweep.executors.processes import open_processes
from weft.simulation.sweep.executors.slurm import SlurmExecutor
from weft.simulation.sweep.folder import SweepFolder

NAMES = "processes, processes:8, slurm, dask:ADDRESS or mpi"


def open_executor(text: str, folder: SweepFolder) -> Executor:
    """The executor with a name; raises RequestError if it is unknown or not installed."""
    kind, _, value = text.partition(":")
    opener = _OPENERS.get(kind)
    if opener is None or (value and kind not in ("processes", "dask")):
        raise RequestError(f"--executor {text}: there is no such executor", f"take {NAMES}")
    return opener(value, folder)


def _processes(value: str, folder: SweepFolder) -> Executor:
    del folder
    if value and not (value.isdecimal() and 0 < int(value) <= 4096):
        raise RequestError(
            f"--executor processes:{value}: not a number of processes", "for example processes:8"
        )
    return open_processes(int(value) if value else len(os.sched_getaffinity(0)))


def _slurm(value: str, folder: SweepFolder) -> Executor:
    del value
    return SlurmExecutor(folder)


def _dask(value: str, folder: SweepFolder) -> Executor:
    del folder
    distributed = _optional("distributed", "dask")
    if not value:
        raise RequestError(
            "--executor dask: of which scheduler?", "dask:ADDRESS, such as dask:10.0.0.1:8786"
        )
    return DaskExecutor(distributed, value)


def _mpi(value: str, folder: SweepFolder) -> Executor:
    del value, folder
    executor: Executor = _optional("mpi4py.futures", "mpi").MPIPoolExecutor()
    return executor


def _optional(module: str, extra: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise RequestError(f"{name} is not installed", f"pip install 'weft[{extra}]'") from None


_OPENERS: dict[str, Callable[[str, SweepFolder], Executor]] = {
    "processes": _processes,
    "slurm": _slurm,
    "dask": _dask,
    "mpi": _mpi,
}
