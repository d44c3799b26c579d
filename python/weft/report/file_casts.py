"""The casts of files of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.diagnosis.file_casts import FileCast, file_casts
from weft.runs.folder import Run


@dataclass(frozen=True)
class FileCastStep:
    """One cast of one run, under a label that no other has."""

    label: str
    run: Run
    cast: FileCast

    @property
    def findings(self) -> str:
        """What it came to, in a clause."""
        one = self.cast
        if one.rate_mbps is None or one.elapsed_ms is None:
            return "no node has the file"
        count = len(one.record["whole"])
        failed = ", ".join(each["node"] for each in one.record["failed"])
        missing = f"; not to {failed}" if failed else ""
        slow = f"; {one.slow.text}" if one.slow else ""
        seconds = one.elapsed_ms / 1e3
        return (
            f"a file to {count} nodes in {seconds:.3g} s, {one.rate_mbps:.3g} Mb/s{missing}{slow}"
        )


def file_cast_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[FileCastStep]:
    """Those of all runs, in their order."""
    named = zip(names, runs, strict=True)
    return [step for name, run in named for step in _of_run(name, run)]


def _of_run(name: str, run: Run) -> Iterator[FileCastStep]:
    for cast in file_casts(run):
        several = f", launch {cast.launch + 1}" if run.meta.plan.launches > 1 else ""
        yield FileCastStep(f"{name} · {run.meta.plan.steps[cast.step].name}{several}", run, cast)
