//! Where a message's time goes: the last byte is followed from stage to stage, and each stage has the time since the one
//! before was over, so that all of them together are the whole.

use weft_plan::named_enum;

named_enum! {
    /// What a message passes, in this order.
    #[derive(PartialOrd, Ord)]
    pub enum Stage {
        SystemCall = "system call",
        CopyOut = "copy out",
        ProtocolOut = "protocol out",
        DriverOut = "driver out",
        BusOut = "bus out",
        Wire = "wire",
        BusIn = "bus in",
        /// The network interface waits for more frames, and its signal for the processor.
        Coalescing = "coalescing",
        Interrupt = "interrupt",
        DriverIn = "driver in",
        ProtocolIn = "protocol in",
        WakeUp = "wake-up",
        CopyIn = "copy in",
        Application = "application",
    }
}

/// By stage, since the last reset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budget {
    pub parts_ps: [u64; Stage::ALL.len()],
    last_ps: u64,
}

impl Budget {
    pub fn reset(&mut self, now_ps: u64) {
        self.parts_ps = Default::default();
        self.last_ps = now_ps;
    }

    /// A stage is over.
    pub fn mark(&mut self, stage: Stage, now_ps: u64) {
        self.parts_ps[stage as usize] += now_ps - self.last_ps;
        self.last_ps = now_ps;
    }
}
