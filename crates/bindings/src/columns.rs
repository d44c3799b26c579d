//! Results as bytes of whole columns, to be wrapped as arrays.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weft_fabric::Wiring;
use weft_netsim::samples::{Digest, Outcome, QUANTILES, Tally};
use weft_netsim::table::{Column, Table};

/// What columns of the `QUANTILES` are called.
const QUANTILE_NAMES: [&str; QUANTILES.len()] = [
    "slowest_mbps",
    "tenth_mbps",
    "median_mbps",
    "nine_tenths_mbps",
    "fastest_mbps",
];

/// A dictionary of a table's columns.
pub fn columns<'py>(py: Python<'py>, table: &impl Table) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, column) in table.columns() {
        let bytes = match column {
            Column::Int32(numbers) => bytes_of(py, numbers),
            Column::Int64(numbers) => bytes_of(py, numbers),
            Column::Whole32(numbers) => bytes_of(py, numbers),
            Column::Double(numbers) => bytes_of(py, numbers),
        };
        all.set_item(name, bytes)?;
    }
    Ok(all)
}

/// Numbers of hosts and of cables in an interface; columns of ports, of ends, of networks and of rates.
pub type WiringColumns<'py> = (
    u32,
    u32,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// What is connected how.
pub fn wiring_columns<'py>(py: Python<'py>, wiring: &Wiring) -> WiringColumns<'py> {
    (
        wiring.hosts,
        wiring.cables_per_interface,
        bytes_of(py, &wiring.switch_ports),
        bytes_of(py, wiring.cables.as_flattened()),
        bytes_of(py, &wiring.networks),
        bytes_of(py, &wiring.rates),
    )
}

/// What a simulation came to.
pub fn columns_of(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let digests = outcome.phases.iter();
    let digests: Vec<_> = digests
        .filter_map(|one| Some((one.index, one.digest?)))
        .collect();
    all.set_item("digests", digests_of(py, &digests)?)?;
    all.set_item("tally", tally_of(py, &outcome.tally)?)?;
    all.set_item("rows", columns(py, &outcome.rows)?)?;
    all.set_item("loads", columns(py, &outcome.loads)?)?;
    let phases = outcome.phases.into_iter();
    let phases: Vec<_> = phases
        .map(|one| {
            (
                one.index,
                one.start_ns,
                one.span_ns,
                one.barrier_ns,
                one.failed,
                one.fingerprint.value(),
            )
        })
        .collect();
    all.set_item("phases", phases)?;
    all.set_item("span_ns", outcome.span_ns)?;
    all.set_item("idle_s", outcome.idle_s)?;
    all.set_item("events", outcome.events)?;
    Ok(all)
}

/// A column each, of phases that were condensed.
fn digests_of<'py>(py: Python<'py>, digests: &[(u32, Digest)]) -> PyResult<Bound<'py, PyDict>> {
    let whole = |of: fn(&Digest) -> i64| {
        let column: Vec<i64> = digests.iter().map(|(_, one)| of(one)).collect();
        bytes_of(py, &column)
    };
    let rates = |of: &dyn Fn(&Digest) -> f64| {
        let column: Vec<f64> = digests.iter().map(|(_, one)| of(one)).collect();
        bytes_of(py, &column)
    };
    let phases: Vec<_> = digests.iter().map(|(index, _)| *index).collect();
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &phases))?;
    columns.set_item("size_bytes", whole(|one| one.size_bytes))?;
    columns.set_item("transfers", whole(|one| one.transfers as i64))?;
    columns.set_item("slowest_src", whole(|one| one.slowest.0.into()))?;
    columns.set_item("slowest_dst", whole(|one| one.slowest.1.into()))?;
    columns.set_item("elapsed_ns", whole(|one| one.elapsed_ns))?;
    for (at, name) in QUANTILE_NAMES.iter().enumerate() {
        columns.set_item(name, rates(&|one| one.mbps[at]))?;
    }
    columns.set_item("mean_mbps", rates(&|one| one.mean_mbps))?;
    columns.set_item("aggregate_mbps", rates(&|one| one.aggregate_mbps))?;
    Ok(columns)
}

fn tally_of<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let (least_mbps, transfers) = tally.rates();
    columns.set_item("least_mbps", bytes_of(py, &least_mbps))?;
    columns.set_item("rate_transfers", bytes_of(py, &transfers))?;
    let (bottleneck, transfers) = tally.bottlenecks();
    columns.set_item("bottleneck", bytes_of(py, &bottleneck))?;
    columns.set_item("bottleneck_transfers", bytes_of(py, &transfers))?;
    Ok(columns)
}

/// Numbers whose bytes may be copied as they are.
pub trait Plain: Copy {
    fn to_bytes(self, out: &mut Vec<u8>);
}

macro_rules! plain {
    ($($number:ty),*) => {
        $(impl Plain for $number {
            #[inline]
            fn to_bytes(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}
plain!(i32, i64, u32, u64, f64);

/// The compiler turns the loop into one copy where the machine's order of bytes is Arrow's.
pub fn bytes_of<'py, T: Plain>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyBytes> {
    let mut bytes = Vec::with_capacity(std::mem::size_of_val(numbers));
    for number in numbers {
        number.to_bytes(&mut bytes);
    }
    PyBytes::new(py, &bytes)
}
