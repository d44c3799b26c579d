//! Long work, which Python can interrupt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python is asked whether it was interrupted.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Works beside Python and asks it now and then whether it was interrupted.
pub fn watched<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (over, is_over) = mpsc::channel();
            let worker = scope.spawn(move || {
                let result = work();
                // After an interrupt the answer is not used.
                let _ = over.send(());
                result
            });
            let mut interrupted = Ok(());
            while interrupted.is_ok() {
                match is_over.recv_timeout(LOOK_EVERY) {
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        interrupted = Python::attach(|py| py.check_signals());
                    }
                    _ => break,
                }
            }
            stop.store(interrupted.is_err(), Ordering::Relaxed);
            let result = worker.join();
            interrupted?;
            result.map_err(|_| PyRuntimeError::new_err("the simulator failed"))
        })
    })
}

/// Why there is no result.
pub fn interrupted() -> PyErr {
    PyRuntimeError::new_err("interrupted")
}
