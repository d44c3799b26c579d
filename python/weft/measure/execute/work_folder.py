"""A folder with several runs that form one piece of work: started once, continued as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, cast

import msgspec
from msgspec import structs

from weft.base.errors import WorkError
from weft.measure.execute.gate import (
    refuse_other_owner,
    refuse_unapproved,
    side_effects_below,
    side_effects_of_run,
)
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import RunRequest, resume_run, start_run
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME, Warning
from weft.runs.work_document import WorkDocument, write

REQUEST_NAME = "request.json"


class WorkRequest(Protocol):
    """Where the work measures. `out` is its folder."""

    @property
    def testbed(self) -> str: ...
    @property
    def out(self) -> str: ...
    @property
    def scale(self) -> float | None: ...
    @property
    def nodes(self) -> int | None: ...
    @property
    def ports(self) -> str | None: ...
    @property
    def patience_s(self) -> float: ...


def options_of(request: WorkRequest) -> RunOptions:
    """The options of the work's runs."""
    return RunOptions(
        scale=request.scale,
        nodes=request.nodes,
        ports=request.ports,
        patience_s=request.patience_s,
    )


_Request = TypeVar("_Request", bound=msgspec.Struct)


def read_request(directory: str, kind: type[_Request], command: str) -> _Request:
    """The request stored in a folder, with the folder as `out`; raises RequestError if there is none or it belongs to
    another user."""
    request = WorkDocument(REQUEST_NAME, kind, command).read(Path(directory))
    refuse_other_owner(Path(directory) / REQUEST_NAME)
    return msgspec.structs.replace(request, out=directory)


def side_effects_of_work(directory: str, kind: type[_Request], command: str) -> list[str]:
    """What continuing the work does beyond starting agents; raises RequestError as `read_request` does."""
    request = read_request(directory, kind, command)
    return side_effects_below(Path(directory), cast(WorkRequest, request).testbed)


def request_to_resume(
    directory: str, kind: type[_Request], command: str, approved: Collection[str]
) -> _Request:
    """The request of work to continue; raises RequestError if the user has not approved what it does."""
    wanted = side_effects_of_work(directory, kind, command)
    refuse_unapproved(Path(directory), wanted, approved)
    return read_request(directory, kind, command)


@dataclass(frozen=True)
class WorkFolder:
    """The folder of the work that `command`, such as "weft tune", carries out for a request. The `notes` are recorded
    in each run."""

    command: str
    request: WorkRequest
    notes: Sequence[Warning] = ()

    @property
    def path(self) -> Path:
        return Path(self.request.out)

    @property
    def _continue(self) -> str:
        return f"{self.command} --resume {self.path}"

    def measure(self, name: str, plan: str, reporter: Reporter) -> RunFolder:
        """Carry out a plan (TOML) in the folder `name`, or continue an earlier attempt; raises WorkError, and
        KeyboardInterrupt: an interrupt ends the whole work, not only the current run."""
        with self.continued_as_whole(name):
            run = self._carry_out(name, plan, reporter)
        self.stop_where(run.meta.is_interrupted)
        return run

    def _carry_out(self, name: str, plan: str, reporter: Reporter) -> RunFolder:
        request, out = self.request, self.path / name
        if (out / FILE_NAME).exists():
            # The gate before the whole work has seen them.
            approved = side_effects_of_run(out)
            return resume_run(str(out), reporter, request.patience_s, approved)
        file = self.path / f"{name}.toml"
        write(file, plan.encode())
        options = structs.replace(options_of(request), out=out)
        wanted = RunRequest(str(file), request.testbed, options, notes=self.notes)
        return start_run(wanted, reporter)

    def stop_where(self, is_interrupted: bool) -> None:
        """Raises KeyboardInterrupt with a message that says how to continue."""
        if is_interrupted:
            raise KeyboardInterrupt(f"continue it with `{self._continue}`")

    @contextmanager
    def continued_as_whole(self, name: str) -> Iterator[None]:
        """Errors of runs refer to continuing the whole work instead of a single run."""
        try:
            yield
        except WorkError as error:
            own = f"weft run --resume {self.path / name}"
            hint = error.hint.replace(own, self._continue)
            if self._continue not in hint:
                hint = f"{hint}; continue with `{self._continue}`".lstrip("; ")
            raise WorkError(f"{name}: {error.message}", hint) from None
