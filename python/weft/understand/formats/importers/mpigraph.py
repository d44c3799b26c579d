"""mpiGraph: rates from every process to every other, round by round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from weft.plan.pattern import AllToAll
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    streamed,
    timed,
)
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(r"START mpiGraph|^MsgSize\t", re.MULTILINE)
MBYTE = 2**20

_SETTING = re.compile(r"(MsgSize|Times|Window|Procs)\t(\d+)")
_ROW = re.compile(r"(\S+) (to|from)\t(.*)")
_END = "END mpiGraph"


@dataclass
class _Matrix:
    """A table of rates; row j of "Recv" is what j received from each process, of "Send" what j sent to each."""

    line: SourceLine
    names: list[str]
    rows: list[tuple[SourceLine, list[str]]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return len(self.rows) == len(self.names)


@dataclass
class _Output:
    line: SourceLine
    settings: dict[str, int] = field(default_factory=dict)
    tables: dict[str, _Matrix] = field(default_factory=dict)
    ended: bool = False


def read(text: Text, options: ImportOptions) -> Content:
    """mpiGraph's tables; raises RequestError, naming line and reason."""
    outputs, cut = _outputs(text)
    whole = [one for one in outputs if any(table.is_whole for table in one.tables.values())]
    tables = [_best(one) for one in whole]
    if len({tuple(table.names) for _, table in tables}) > 1:
        reason = "other processes than in the output before it"
        raise whole[-1].line.wrong(reason, "import them apart")
    return Content(
        format="mpigraph",
        tests=[_test(one, kind, table) for one, (kind, table) in zip(whole, tables, strict=True)],
        convention=_CONVENTION,
        nodes=_names(tables[0][1].names) if tables else (),
        cut=cut,
    )


_CONVENTION = (
    "MB are 2^20 bytes; in round i each process sends to the one i further on while it receives "
    "from the one i before, and a rate is the receiver's (Recv), since the sender's time ends "
    "when the message is handed over; without a whole Recv table the sender's (Send); Times * "
    "Window messages each"
)


def _outputs(text: Text) -> tuple[list[_Output], Cut | None]:
    found: list[_Output] = []
    table: _Matrix | None = None
    for line in text.lines:
        setting = _SETTING.fullmatch(line.text.strip())
        if line.text.startswith("START") or (not found and setting):
            found.append(_Output(line))
        if not found:
            continue
        if setting:
            found[-1].settings[setting[1]] = int(setting[2])
        elif re.match(r"(Send|Recv)\t", line.text):
            kind, *names = line.text.strip().split("\t")
            table = found[-1].tables[kind] = _Matrix(line, names)
        elif (row := _ROW.fullmatch(line.text.rstrip("\t"))) and table is not None:
            if line.is_open:
                return found, line.cut()
            _read_row(line, table, row[3].split("\t"))
        found[-1].ended |= line.text.startswith(_END)
    if not found:
        raise text.lines[0].refuse("not mpiGraph's", "expected 'START mpiGraph' or 'MsgSize'")
    return found, None if found[-1].ended else text.last.cut(f"the file ends without {_END!r}")


def _read_row(line: SourceLine, table: _Matrix, rates: list[str]) -> None:
    if len(rates) != len(table.names):
        raise line.refuse(
            f"{len(rates)} rates for {len(table.names)} processes",
            f"expected as many as on line {table.line.number}",
        )
    table.rows.append((line, rates))


def _best(output: _Output) -> tuple[str, _Matrix]:
    """The receivers' table, or the senders' if that was cut."""
    kind = "Recv" if "Recv" in output.tables and output.tables["Recv"].is_whole else "Send"
    return kind, output.tables[kind]


def _test(output: _Output, kind: str, table: _Matrix) -> Test:
    size = output.settings.get("MsgSize")
    if not size:
        hint = "expected the bytes of a message"
        raise output.line.wrong("no 'MsgSize' before the tables", hint)
    messages = output.settings.get("Times", 1) * output.settings.get("Window", 1)
    facts = {"rates_of": "receiver" if kind == "Recv" else "sender", **output.settings}
    pattern = AllToAll(nodes=None, mode="phased")
    timings = _timings(table, kind, size, max(1, messages))
    return Test("mpigraph", pattern, "mpi", timings, output.line, facts)


def _timings(table: _Matrix, kind: str, size: int, messages: int) -> list[ImportedTiming]:
    found = []
    for one, (line, rates) in enumerate(table.rows):
        for other, rate in enumerate(rates):
            if one == other:
                continue
            src, dst = (other, one) if kind == "Recv" else (one, other)
            exact = streamed(line, size, line.positive(rate, "a rate") * MBYTE / 1e6)
            elapsed_ns = exact.elapsed_ns / exact.messages * messages
            found.append(timed(line, size, messages, elapsed_ns, src=src, dst=dst))
    return found


def _names(labels: Sequence[str]) -> list[str]:
    """Processes named by host if each host has only one, else as mpiGraph labels them (host:rank)."""
    hosts = [label.rpartition(":")[0] or label for label in labels]
    return hosts if len(set(hosts)) == len(hosts) else list(labels)
