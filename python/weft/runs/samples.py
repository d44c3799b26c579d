"""The samples table: one row per timed batch (docs/design.md)."""

from __future__ import annotations

import pyarrow as pa

SCHEMA = pa.schema(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in [
            ("step", pa.int32()),
            ("phase", pa.int32()),
            ("launch", pa.int32()),
            ("batch", pa.int32()),
            ("src", pa.int32()),
            ("dst", pa.int32()),
            ("size_bytes", pa.int64()),
            ("messages", pa.int32()),
            ("start_ns", pa.int64()),
            ("elapsed_ns", pa.int64()),
        ]
    ]
)
"""Columns of the samples table; nodes are indices into run.json's `nodes`."""
