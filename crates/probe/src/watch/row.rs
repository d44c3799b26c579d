//! A probe and an event, as they lie in the spool and travel to the coordinator.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int8Array, Int16Array, Int32Array, Int64Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use serde::Serialize;

pub const ROW_BYTES: usize = 24;
const LOST: i64 = -1;

/// A probe; lost where there is no round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub time_us: i64,
    pub link: i16,
    pub kind: u8,
    pub size_bytes: u32,
    pub rtt_ns: Option<u64>,
}

impl Row {
    pub fn to_bytes(self) -> [u8; ROW_BYTES] {
        let rtt_ns = self.rtt_ns.map_or(LOST, |ns| ns as i64);
        let mut bytes = [0; ROW_BYTES];
        bytes[..8].copy_from_slice(&self.time_us.to_le_bytes());
        bytes[8..16].copy_from_slice(&rtt_ns.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.size_bytes.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.link.to_le_bytes());
        bytes[22] = self.kind;
        bytes
    }

    pub fn from_bytes(bytes: &[u8; ROW_BYTES]) -> Row {
        let long = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        Row {
            time_us: long(0),
            link: i16::from_le_bytes([bytes[20], bytes[21]]),
            kind: bytes[22],
            size_bytes: u32::from_le_bytes(bytes[16..20].try_into().expect("4 bytes")),
            rtt_ns: u64::try_from(long(8)).ok(),
        }
    }
}

/// Rows as an Arrow IPC stream, with the columns of weft.runs.probes.SCHEMA.
pub fn encode(rows: &[Row]) -> Result<Vec<u8>, ArrowError> {
    let columns: [(&str, DataType, ArrayRef); 5] = [
        (
            "time_us",
            DataType::Int64,
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.time_us))),
        ),
        (
            "link",
            DataType::Int16,
            Arc::new(Int16Array::from_iter_values(rows.iter().map(|r| r.link))),
        ),
        (
            "kind",
            DataType::Int8,
            Arc::new(Int8Array::from_iter_values(
                rows.iter().map(|r| r.kind as i8),
            )),
        ),
        (
            "size_bytes",
            DataType::Int32,
            Arc::new(Int32Array::from_iter_values(
                rows.iter().map(|r| r.size_bytes as i32),
            )),
        ),
        (
            "rtt_ns",
            DataType::Int64,
            Arc::new(Int64Array::from_iter(
                rows.iter().map(|r| r.rtt_ns.map(|ns| ns as i64)),
            )),
        ),
    ];
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .into_iter()
        .map(|(name, kind, array)| (Field::new(name, kind, true), array))
        .unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    writer.into_inner()
}

/// Something besides probes, with the keys of weft.runs.probes.HostEvent.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Event {
    pub time_s: f64,
    pub what: &'static str,
    pub site: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}
