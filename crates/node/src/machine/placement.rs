//! Which processor does what.

use weft_plan::named_enum;
use weft_plan::reading::Section;

use super::keys::Result;
use super::processor::Processor;

named_enum! {
    /// What a processor is busy with.
    #[derive(PartialOrd, Ord)]
    pub enum Task {
        /// Entering interrupts: of the network interface, of the timer, of other processors.
        Interrupt = "interrupt",
        /// The driver: frames and descriptors, before sending and after an interrupt.
        Driver = "driver",
        /// TCP, IP and what hands packets up to them.
        Protocol = "protocol",
        /// Between the application's memory and the socket.
        Copy = "copy",
        /// System calls, switches to the process, and what it computes itself.
        Application = "application",
    }
}

/// A row of the table task -> processor: indices of the machine's processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    of: [usize; Task::ALL.len()],
}

impl Placement {
    /// Where a task runs.
    pub fn of(&self, task: Task) -> usize {
        self.of[task as usize]
    }

    /// Whether a processor does anything.
    pub fn uses(&self, processor: usize) -> bool {
        self.of.contains(&processor)
    }

    /// One processor does everything.
    pub fn all_on(processor: usize) -> Self {
        Self {
            of: [processor; Task::ALL.len()],
        }
    }

    /// Reads a row.
    pub(super) fn read(section: &Section, processors: &[Processor]) -> Result<Self> {
        let mut known = Task::ALL.map(Task::name).to_vec();
        known.push("with");
        section.check_keys(&known)?;
        let mut of = [0; Task::ALL.len()];
        for task in Task::ALL {
            of[task as usize] = processor_of(section, task, processors)?;
        }
        Ok(Self { of })
    }
}

fn processor_of(section: &Section, task: Task, processors: &[Processor]) -> Result<usize> {
    let known: Vec<_> = processors.iter().enumerate().collect();
    let named: Vec<_> = known
        .iter()
        .map(|(index, one)| (one.name.as_str(), *index))
        .collect();
    let found = section.choice(task.name(), &named)?;
    let index = found.ok_or_else(|| {
        let right = format!("say which processor does it, such as {:?}", named[0].0);
        section.refuse(task.name(), right)
    })?;
    if processors[index].on_nic && task != Task::Protocol {
        let right = "only protocol can be on the network interface's own processor";
        return Err(section.refuse(task.name(), right));
    }
    Ok(index)
}
