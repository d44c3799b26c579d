//! Where a message's time goes: the last byte is followed from stage to stage, and each stage has the time since the one
//! before was over, so that all of them together are the whole.

/// What a message passes, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    SystemCall,
    CopyOut,
    ProtocolOut,
    DriverOut,
    BusOut,
    Wire,
    BusIn,
    /// The network interface waits for more frames, and its signal for the processor.
    Coalescing,
    Interrupt,
    DriverIn,
    ProtocolIn,
    WakeUp,
    CopyIn,
    Application,
}

impl Stage {
    /// All of them, in the order of the host's protocol processing.
    pub const ALL: [Self; 14] = [
        Self::SystemCall,
        Self::CopyOut,
        Self::ProtocolOut,
        Self::DriverOut,
        Self::BusOut,
        Self::Wire,
        Self::BusIn,
        Self::Coalescing,
        Self::Interrupt,
        Self::DriverIn,
        Self::ProtocolIn,
        Self::WakeUp,
        Self::CopyIn,
        Self::Application,
    ];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SystemCall => "system call",
            Self::CopyOut => "copy out",
            Self::ProtocolOut => "protocol out",
            Self::DriverOut => "driver out",
            Self::BusOut => "bus out",
            Self::Wire => "wire",
            Self::BusIn => "bus in",
            Self::Coalescing => "coalescing",
            Self::Interrupt => "interrupt",
            Self::DriverIn => "driver in",
            Self::ProtocolIn => "protocol in",
            Self::WakeUp => "wake-up",
            Self::CopyIn => "copy in",
            Self::Application => "application",
        }
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
