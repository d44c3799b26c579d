"""mpiGraph: what every process sent to every other, round by round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from weft.formats.importers.imported import Content, Options, Test, Timing, streamed
from weft.formats.importers.text import Cut, Text
from weft.plan.pattern import AllToAll

SIGN = re.compile(r"START mpiGraph|^MsgSize\t", re.MULTILINE)
MBYTE = 2**20

_SETTING = re.compile(r"(MsgSize|Times|Window|Procs)\t(\d+)")
_ROW = re.compile(r"(\S+) (to|from)\t(.*)")
_END = "END mpiGraph"


@dataclass
class _Matrix:
    """A table of rates; row j of "Recv" is what j received from each, of "Send" what j sent to each."""

    line: int
    names: list[str]
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return len(self.rows) == len(self.names)


@dataclass
class _Output:
    line: int
    settings: dict[str, int] = field(default_factory=dict)
    tables: dict[str, _Matrix] = field(default_factory=dict)
    ended: bool = False


def read(text: Text, options: Options) -> Content:
    """mpiGraph's tables; raises RequestError, naming line and reason."""
    outputs, cut = _outputs(text)
    whole = [one for one in outputs if any(table.is_whole for table in one.tables.values())]
    tables = [_best(one) for one in whole]
    if len({tuple(table.names) for _, table in tables}) > 1:
        raise text.refuse(
            whole[-1].line, "other processes than in the output before it", "import them apart"
        )
    transport = "mpi" if options.transport == "unknown" else options.transport
    return Content(
        format="mpigraph",
        tests=[
            _test(text, one, kind, table, transport)
            for one, (kind, table) in zip(whole, tables, strict=True)
        ],
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
    for number, line in text.numbered():
        setting, row = _SETTING.fullmatch(line.strip()), _ROW.fullmatch(line.rstrip("\t"))
        if line.startswith("START") or (not found and setting):
            found.append(_Output(number))
        if not found:
            continue
        if setting:
            found[-1].settings[setting[1]] = int(setting[2])
        elif re.match(r"(Send|Recv)\t", line):
            kind, *names = line.strip().split("\t")
            table = found[-1].tables[kind] = _Matrix(number, names)
        elif row and table is not None:
            if number == len(text.lines):
                return found, text.cut_at(number)
            _read_row(text, number, table, row[3])
        found[-1].ended |= line.startswith(_END)
    if not found:
        raise text.refuse(
            1, f"not mpiGraph's: {text.shown(1)}", "expected 'START mpiGraph' or 'MsgSize'"
        )
    return found, None if found[-1].ended else text.cut_at(
        text.last, f"the file ends without {_END!r}"
    )


def _read_row(text: Text, number: int, table: _Matrix, values: str) -> None:
    fields = values.split("\t")
    if len(fields) != len(table.names):
        raise text.refuse(
            number,
            f"{len(fields)} rates for {len(table.names)} processes: {text.shown(number)}",
            f"expected as many as on line {table.line}",
        )
    table.rows.append((number, fields))


def _best(output: _Output) -> tuple[str, _Matrix]:
    """The receivers' table; where it was cut, the senders'."""
    kind = "Recv" if "Recv" in output.tables and output.tables["Recv"].is_whole else "Send"
    return kind, output.tables[kind]


def _test(text: Text, output: _Output, kind: str, table: _Matrix, transport: str) -> Test:
    size = output.settings.get("MsgSize")
    if not size:
        raise text.refuse(
            output.line, "no 'MsgSize' before the tables", "expected the bytes of a message"
        )
    messages = output.settings.get("Times", 1) * output.settings.get("Window", 1)
    facts = {"rates_of": "receiver" if kind == "Recv" else "sender", **output.settings}
    pattern = AllToAll(nodes=None, mode="phased")
    timings = _timings(text, table, kind, size, max(1, messages))
    return Test("mpigraph", pattern, transport, timings, output.line, facts)


def _timings(text: Text, table: _Matrix, kind: str, size: int, messages: int) -> list[Timing]:
    found = []
    for one, (number, fields) in enumerate(table.rows):
        for other, rate in enumerate(fields):
            if one == other:
                continue
            src, dst = (other, one) if kind == "Recv" else (one, other)
            mbytes_s = text.positive(number, rate, "a rate") * MBYTE / 1e6
            exact = streamed(number, size, mbytes_s, src=src, dst=dst)
            elapsed_ns = round(exact.elapsed_ns / exact.messages * messages)
            found.append(Timing(number, size, messages, max(1, elapsed_ns), src, dst))
    return found


def _names(labels: Sequence[str]) -> list[str]:
    """Processes by host, where each has one of its own, else as mpiGraph labels them (host:rank)."""
    hosts = [label.rpartition(":")[0] or label for label in labels]
    return hosts if len(set(hosts)) == len(hosts) else list(labels)
