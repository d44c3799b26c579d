"""The frames that an agent reads and writes: 32-bit little-endian length, one byte of kind, payload."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import pyarrow as pa

from weft.base.errors import WorkError
from weft.measure.testbed.agent.reply import Reply
from weft.measure.testbed.agent.request import Request
from weft.runs import probes
from weft.runs.columns.arrow_limits import check_next_batch
from weft.runs.columns.table_file import ARROW_ERRORS
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.samples import SCHEMA

MAX_PAYLOAD_BYTES = 16 << 20
_HEADER = struct.Struct("<Ic")
_JSON, _SAMPLES, _EVIDENCE, _PROBES, _RELAYED = b"J", b"A", b"E", b"P", b"R"
_ADDRESS = struct.Struct("<IB")
_EVIDENCE_SCHEMA = pa.schema(
    [one for one in SCHEMAS[EVIDENCE_NAME] if one.name not in ("step", "launch", "node")]
)
_REPLY: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)


@dataclass(frozen=True)
class RelayOutput:
    """Bytes that a process behind a relay wrote: to its standard output (0) or to standard error (1)."""

    child: int
    stream: int
    data: bytes


@dataclass(frozen=True)
class Evidence:
    """Rows of evidence.parquet without step, launch and node, which the agent does not know."""

    rows: pa.RecordBatch


@dataclass(frozen=True)
class Probes:
    """Probes of a watch (weft.runs.probes.SCHEMA)."""

    rows: pa.RecordBatch


Frame: TypeAlias = Reply | pa.RecordBatch | Evidence | Probes | RelayOutput


class FrameError(WorkError):
    """What arrived is not a frame of an agent."""


def encode(request: Request) -> bytes:
    """A request as a frame."""
    payload = msgspec.json.encode(request)
    return _HEADER.pack(len(payload), _JSON) + payload


def encode_relayed(child: int, data: bytes) -> bytes:
    """Bytes for the standard input of a process behind a relay, as a frame."""
    payload = _ADDRESS.pack(child, 0) + data
    return _HEADER.pack(len(payload), _RELAYED) + payload


class Reader:
    """Reads frames. A cancelled read loses nothing: the next one continues where it stopped."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._header: tuple[int, bytes] | None = None

    async def read(self) -> Frame:
        """The next frame; raises FrameError, or IncompleteReadError at the end."""
        if self._header is None:
            self._header = _checked_header(await self._stream.readexactly(_HEADER.size))
        length, kind = self._header
        payload = await self._stream.readexactly(length)
        self._header = None
        return _DECODERS[kind](payload)


def _checked_header(header: bytes) -> tuple[int, bytes]:
    length, kind = _HEADER.unpack(header)
    if kind not in _DECODERS:
        raise FrameError(f"a frame of unknown kind {kind!r}")
    if length > MAX_PAYLOAD_BYTES:
        raise FrameError(f"a frame claims {length} bytes, at most {MAX_PAYLOAD_BYTES} are allowed")
    return length, kind


def _decode_reply(payload: bytes) -> Reply:
    try:
        return _REPLY.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError(f"a message that no agent sends: {error}") from None


def decode_samples(payload: bytes) -> pa.RecordBatch:
    """The batch of samples in an Arrow IPC stream; raises FrameError if it is not one."""
    return _decode_batch(payload, "samples", SCHEMA)


def _decode_evidence(payload: bytes) -> Evidence:
    return Evidence(_decode_batch(payload, "evidence", _EVIDENCE_SCHEMA))


def _decode_probes(payload: bytes) -> Probes:
    return Probes(_decode_batch(payload, "probes", probes.SCHEMA))


def _decode_batch(payload: bytes, what: str, schema: pa.Schema) -> pa.RecordBatch:
    try:
        source = pa.BufferReader(payload)
        stream = pa.ipc.open_stream(source)
        check_next_batch(source)
        batch = stream.read_next_batch()
        batch.validate(full=True)
    except (StopIteration, EOFError, *ARROW_ERRORS) as error:
        raise FrameError(f"{what} are not Arrow IPC: {error}") from None
    if (batch.schema.names, batch.schema.types) != (schema.names, schema.types):
        raise FrameError(f"{what} have another schema than this weft's: update the agent")
    return batch


def _decode_relayed(payload: bytes) -> RelayOutput:
    if len(payload) < _ADDRESS.size:
        raise FrameError("relayed bytes lack their address")
    child, stream = _ADDRESS.unpack_from(payload)
    return RelayOutput(child, stream, payload[_ADDRESS.size :])


_DECODERS: dict[bytes, Callable[[bytes], Frame]] = {
    _JSON: _decode_reply,
    _SAMPLES: decode_samples,
    _EVIDENCE: _decode_evidence,
    _PROBES: _decode_probes,
    _RELAYED: _decode_relayed,
}
