//! What happened in a node as columns of numbers.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_node::Recording;

use super::columns::bytes_of;

/// A column of whole numbers for each of these fields of the rows.
macro_rules! table {
    ($py:expr, $rows:expr, $($name:ident),+) => {{
        let all = PyDict::new($py);
        $(
            let column: Vec<_> = $rows.iter().map(|row| row.$name as i64).collect();
            all.set_item(stringify!($name), bytes_of($py, &column))?;
        )+
        all
    }};
}

/// Tables of slices, passages and gauges' readings, each column as bytes.
pub fn columns_of_recording<'py>(
    py: Python<'py>,
    seen: &Recording,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let (slices, passages, readings) = (&seen.slices, &seen.passages, &seen.readings);
    let slices = table!(
        py, slices, track, name, begin_ps, end_ps, bytes, flow, is_put_off
    );
    all.set_item("slices", slices)?;
    all.set_item(
        "passages",
        table!(py, passages, way, stage, begin_ps, end_ps),
    )?;
    all.set_item("readings", table!(py, readings, node, gauge, at_ps, value))?;
    all.set_item("batches_ps", seen.batches_ps.clone())?;
    all.set_item("is_cut", seen.is_cut)?;
    Ok(all)
}
