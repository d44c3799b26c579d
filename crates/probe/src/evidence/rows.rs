//! Rows of evidence as Arrow IPC. The coordinator adds what it knows: step, launch, node.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;

use super::recorder::{Recorded, Row, Stretch};

/// A frame has at most so many rows, 28 bytes each.
pub const MOST_ROWS: usize = 100_000;

/// Whole Arrow IPC streams, each of at most `MOST_ROWS` rows.
pub fn encode(recorded: &Recorded) -> Result<Vec<Vec<u8>>, ArrowError> {
    let parts = recorded.rows.chunks(MOST_ROWS);
    let streams = parts.map(|rows| {
        let batch = record_batch(recorded, rows)?;
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
        writer.write(&batch)?;
        writer.into_inner()
    });
    streams.collect()
}

fn record_batch(recorded: &Recorded, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let of_stretch = |column: fn(&Stretch) -> u32| {
        let values = rows.iter().map(|row| column(&row.stretch) as i32);
        Arc::new(Int32Array::from_iter_values(values))
    };
    let cpus = rows
        .iter()
        .map(|row| recorded.counters[row.counter as usize].cpu);
    let cpus = Int32Array::from_iter(cpus.map(|cpu| cpu.map(|cpu| cpu as i32)));
    let values = Int64Array::from_iter_values(rows.iter().map(|row| row.value as i64));
    RecordBatch::try_from_iter_with_nullable([
        ("phase", of_stretch(|one| one.phase) as _, false),
        ("batch", of_stretch(|one| one.batch) as _, false),
        ("batches", of_stretch(|one| one.batches) as _, false),
        ("counter", Arc::new(counters(recorded, rows)?) as _, false),
        ("cpu", Arc::new(cpus) as _, true),
        ("value", Arc::new(values) as _, false),
    ])
}

/// The name of each row's counter, each name once.
fn counters(recorded: &Recorded, rows: &[Row]) -> Result<DictionaryArray<Int32Type>, ArrowError> {
    let mut names: Vec<&str> = Vec::new();
    let mut keys = Vec::with_capacity(recorded.counters.len());
    for counter in recorded.counters {
        let known = names.iter().position(|name| *name == counter.name);
        keys.push(known.unwrap_or(names.len()) as i32);
        if known.is_none() {
            names.push(&counter.name);
        }
    }
    let keys = rows.iter().map(|row| keys[row.counter as usize]);
    let keys = Int32Array::from_iter_values(keys);
    DictionaryArray::try_new(keys, Arc::new(StringArray::from(names)))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::evidence::recorder::Recorder;
    use crate::evidence::source::Counter;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_ipc::reader::StreamReader;

    fn decode(bytes: &[u8]) -> RecordBatch {
        let mut reader = StreamReader::try_new(bytes, None).expect("a stream");
        reader.next().expect("a batch").expect("a batch")
    }

    /// The counters of all that was recorded, as the coordinator sees them.
    pub fn names(recorder: &mut Recorder) -> Vec<String> {
        let streams = recorder.hand_on(|recorded| encode(&recorded).expect("Arrow"));
        let batch = decode(&streams.expect("something was recorded")[0]);
        let names = batch["counter"].as_dictionary::<Int32Type>();
        let names = names.downcast_dict::<StringArray>().expect("names");
        names.into_iter().flatten().map(str::to_owned).collect()
    }

    #[test]
    fn long_evidence_travels_in_several_frames_and_names_travel_once() {
        let of = |cpu| Counter {
            cpu,
            ..Counter::new("a")
        };
        let counters = [of(Some(7)), of(None)];
        let row = |counter| Row {
            stretch: Stretch {
                phase: 1,
                batch: 2,
                batches: 3,
            },
            counter,
            value: 1 << 40,
        };
        let rows: Vec<Row> = (0..=MOST_ROWS as u32).map(|at| row(at % 2)).collect();
        let recorded = Recorded {
            counters: &counters,
            rows: &rows,
        };
        let streams = encode(&recorded).expect("Arrow");
        let (first, last) = (decode(&streams[0]), decode(&streams[1]));
        assert_eq!((first.num_rows(), last.num_rows()), (MOST_ROWS, 1));
        assert!(streams[0].len() < 16 << 20);
        let cpus = first["cpu"].as_primitive::<Int32Type>();
        assert_eq!((cpus.value(0), cpus.is_null(1)), (7, true));
        let names = first["counter"].as_dictionary::<Int32Type>();
        assert_eq!(names.values().len(), 1);
    }
}
