//! Samples: one row per timed batch, sent as Arrow IPC.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};

/// Samples and evidence wait at most this long before they are handed on, always between two phases.
pub const REPORT_EVERY_NS: u64 = 200_000_000;

/// One timed batch. Times are nanoseconds; `start_ns` counts from the run's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub step: i32,
    pub phase: i32,
    pub launch: i32,
    pub batch: i32,
    pub src: i32,
    pub dst: i32,
    pub size_bytes: i64,
    pub messages: i32,
    pub start_ns: i64,
    pub elapsed_ns: i64,
}

/// A whole Arrow IPC stream that holds `samples`.
pub fn encode(samples: &[Sample]) -> Result<Vec<u8>, ArrowError> {
    let batch = record_batch(samples)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    writer.into_inner()
}

fn record_batch(samples: &[Sample]) -> Result<RecordBatch, ArrowError> {
    let narrow = |name: &str, column: fn(&Sample) -> i32| -> (Field, ArrayRef) {
        let values = Int32Array::from_iter_values(samples.iter().map(column));
        (Field::new(name, DataType::Int32, false), Arc::new(values))
    };
    let wide = |name: &str, column: fn(&Sample) -> i64| -> (Field, ArrayRef) {
        let values = Int64Array::from_iter_values(samples.iter().map(column));
        (Field::new(name, DataType::Int64, false), Arc::new(values))
    };
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = [
        narrow("step", |s| s.step),
        narrow("phase", |s| s.phase),
        narrow("launch", |s| s.launch),
        narrow("batch", |s| s.batch),
        narrow("src", |s| s.src),
        narrow("dst", |s| s.dst),
        wide("size_bytes", |s| s.size_bytes),
        narrow("messages", |s| s.messages),
        wide("start_ns", |s| s.start_ns),
        wide("elapsed_ns", |s| s.elapsed_ns),
    ]
    .into_iter()
    .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_ipc::reader::StreamReader;

    #[test]
    fn samples_travel_as_arrow_ipc() {
        let sample = Sample {
            step: 1,
            phase: 2,
            launch: 3,
            batch: 4,
            src: 0,
            dst: 1,
            size_bytes: 8 << 30,
            messages: 9,
            start_ns: 10,
            elapsed_ns: 11,
        };
        let bytes = encode(&[sample, sample]).unwrap();
        let batch = StreamReader::try_new(&bytes[..], None)
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (2, 10));
        let sizes = batch.column_by_name("size_bytes").unwrap();
        assert_eq!(
            sizes
                .as_any()
                .downcast_ref::<Int64Array>()
                .unwrap()
                .value(1),
            8 << 30
        );
    }
}
