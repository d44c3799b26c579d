"""Damaged frames of agents, read as the coordinator reads them."""

from __future__ import annotations

import asyncio
import struct
import traceback
from random import Random

import numpy as np
import pyarrow as pa

from common.mutation import DEEP
from weft.measure.testbed.agent.wire_format import FrameError, Reader
from weft.runs.samples import SCHEMA

_MOST_BYTES = 256 << 20


def frame_failures(count: int, seed: int) -> list[str]:
    """What went wrong in so many frames: all that is neither read nor refused with one message."""
    found = []
    for number in range(seed, seed + count):
        frame = _frame(Random(number))
        before = pa.total_allocated_bytes()
        try:
            asyncio.run(_read(frame))
        except (FrameError, asyncio.IncompleteReadError):
            pass
        except BaseException:
            found.append(f"frames, seed {number}\n{traceback.format_exc(limit=-4)}")
        if pa.total_allocated_bytes() - before > _MOST_BYTES:
            found.append(f"frames, seed {number}: more than {_MOST_BYTES} bytes")
    return found


async def _read(frame: bytes) -> None:
    stream = asyncio.StreamReader()
    stream.feed_data(frame)
    stream.feed_eof()
    await Reader(stream).read()


def _frame(chance: Random) -> bytes:
    kind = chance.choice([b"J", b"A", b"E", b"P", b"R"])
    payload = bytearray(_json(chance) if kind == b"J" else _samples(chance))
    for _ in range(chance.choice([0, 1, 1, 5])):
        payload[chance.randrange(len(payload))] ^= 1 << chance.randrange(8)
    if chance.random() < 0.2:
        del payload[chance.randrange(len(payload)) :]
    length = len(payload) + chance.choice([0, 0, 0, 1, -1, 2**31])
    return struct.pack("<Ic", max(0, length) % 2**32, kind) + payload


def _json(chance: Random) -> bytes:
    said = [
        '{"done": {}}',
        '{"error": {"message": "x"}}',
        DEEP,
        "9" * 5000,
        '{"a": "\udcff"}',
        "[]",
    ]
    return chance.choice(said).encode(errors="surrogatepass")


def _samples(chance: Random) -> bytes:
    rows = chance.choice([1, 10, 100_000])
    columns = [pa.array(np.zeros(rows, one.type.to_pandas_dtype())) for one in SCHEMA]
    batch = pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
    if chance.random() < 0.1:
        batch = pa.RecordBatch.from_arrays([pa.nulls(10**9)], names=["step"])
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=chance.choice([None, None, "zstd", "lz4"]))
    with pa.ipc.new_stream(sink, batch.schema, options=options) as stream:
        stream.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content
