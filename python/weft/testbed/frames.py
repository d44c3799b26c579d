"""The frames an agent speaks: 32-bit little-endian length, one byte of kind, payload."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any

import pyarrow as pa

from weft.errors import WorkError
from weft.run.samples import SCHEMA

MAX_PAYLOAD_BYTES = 16 << 20
_HEADER = struct.Struct("<Ic")
_JSON, _SAMPLES = b"J", b"A"


class FrameError(WorkError):
    """What arrived is not a frame of an agent."""


def encode(message: dict[str, Any]) -> bytes:
    """A JSON message as a frame."""
    payload = json.dumps(message).encode()
    return _HEADER.pack(len(payload), _JSON) + payload


async def read(stream: asyncio.StreamReader) -> dict[str, Any] | pa.RecordBatch:
    """The next message or batch of samples; raises FrameError, or IncompleteReadError at the end."""
    length, kind = _HEADER.unpack(await stream.readexactly(_HEADER.size))
    if kind not in (_JSON, _SAMPLES):
        raise FrameError(f"a frame of unknown kind {kind!r}")
    if length > MAX_PAYLOAD_BYTES:
        raise FrameError(f"a frame claims {length} bytes, at most {MAX_PAYLOAD_BYTES} are allowed")
    payload = await stream.readexactly(length)
    return _decode_json(payload) if kind == _JSON else decode_samples(payload)


def _decode_json(payload: bytes) -> dict[str, Any]:
    try:
        message = json.loads(payload)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FrameError(f"a message is not JSON: {error}") from None
    if not isinstance(message, dict) or "type" not in message:
        raise FrameError("a message has no type")
    return message


def decode_samples(payload: bytes) -> pa.RecordBatch:
    """The batch of samples in an Arrow IPC stream; raises FrameError when it is none."""
    try:
        batch = pa.ipc.open_stream(payload).read_next_batch()
    except (pa.ArrowInvalid, StopIteration, OSError) as error:
        raise FrameError(f"samples are not Arrow IPC: {error}") from None
    if not batch.schema.equals(SCHEMA):
        raise FrameError("samples have another schema than this weft's: update the agent")
    return batch
