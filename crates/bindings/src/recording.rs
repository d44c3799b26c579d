//! What happened in a node as columns of numbers.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_node::{Passage, Reading, Recording, Slice};

use super::columns::bytes_of;

/// Tables of slices, passages and gauges' readings, each column as bytes.
pub fn columns_of_recording<'py>(
    py: Python<'py>,
    seen: &Recording,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("slices", slices_of(py, &seen.slices)?)?;
    all.set_item("passages", passages_of(py, &seen.passages)?)?;
    all.set_item("readings", readings_of(py, &seen.readings)?)?;
    all.set_item("batches_ps", seen.batches_ps.clone())?;
    all.set_item("is_cut", seen.is_cut)?;
    Ok(all)
}

fn slices_of<'py>(py: Python<'py>, rows: &[Slice]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let numbers = |of: fn(&Slice) -> i64| bytes_of(py, &rows.iter().map(of).collect::<Vec<_>>());
    columns.set_item("track", numbers(|row| row.track.into()))?;
    columns.set_item("name", numbers(|row| row.name.into()))?;
    columns.set_item("begin_ps", numbers(|row| row.begin_ps as i64))?;
    columns.set_item("end_ps", numbers(|row| row.end_ps as i64))?;
    columns.set_item("bytes", numbers(|row| row.bytes))?;
    columns.set_item("flow", numbers(|row| row.flow))?;
    columns.set_item("is_put_off", numbers(|row| row.is_put_off.into()))?;
    Ok(columns)
}

fn passages_of<'py>(py: Python<'py>, rows: &[Passage]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let numbers = |of: fn(&Passage) -> i64| bytes_of(py, &rows.iter().map(of).collect::<Vec<_>>());
    columns.set_item("way", numbers(|row| row.way.into()))?;
    columns.set_item("stage", numbers(|row| row.stage as i64))?;
    columns.set_item("begin_ps", numbers(|row| row.begin_ps as i64))?;
    columns.set_item("end_ps", numbers(|row| row.end_ps as i64))?;
    Ok(columns)
}

fn readings_of<'py>(py: Python<'py>, rows: &[Reading]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let numbers = |of: fn(&Reading) -> i64| bytes_of(py, &rows.iter().map(of).collect::<Vec<_>>());
    columns.set_item("node", numbers(|row| row.node.into()))?;
    columns.set_item("gauge", numbers(|row| row.gauge as i64))?;
    columns.set_item("at_ps", numbers(|row| row.at_ps as i64))?;
    columns.set_item("value", numbers(|row| row.value as i64))?;
    Ok(columns)
}
