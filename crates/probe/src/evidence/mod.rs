//! Evidence: what the host did while batches were timed. The kernel's counters are read before and after batches, never
//! while one is timed, and their differences go to the coordinator.

mod clock;
mod driver;
mod frequency;
mod interface;
mod interrupts;
mod moved;
mod netstat;
mod open;
mod pressure;
mod process;
mod processors;
mod recorder;
mod report;
mod rows;
mod serving;
mod source;
mod tcp;
mod text;
mod throttling;

pub use moved::{Moved, MovedBytes};
pub use open::{open, open_beside, open_own, open_served};
pub use pressure::total_us;
pub use process::{Computed, USED, waited_ns};
pub use recorder::Recorder;
pub use report::put;
pub use serving::ServingEnd;
pub use text::KeptFile;
