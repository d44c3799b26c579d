//! Where the network interface sits: four places, from the far end of the I/O bus to the processor's own die.

/// What a frame crosses between interface and memory, and how the interface gets a processor's attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Location {
    /// Behind the bridge, on the I/O bus.
    #[default]
    IoBus,
    /// In the bridge: no I/O bus between.
    Bridge,
    /// Beside the processors: it also signals over their bus, past the interrupt controller.
    ProcessorBus,
    /// With the processors on a die, where its frames share no bus.
    Die,
}

impl Location {
    /// As descriptions name them.
    pub const ALL: [(&'static str, Self); 4] = [
        ("io-bus", Self::IoBus),
        ("bridge", Self::Bridge),
        ("processor-bus", Self::ProcessorBus),
        ("die", Self::Die),
    ];

    /// Whether frames cross the I/O bus, else at the memory bus's rate and without winning a bus first.
    pub fn crosses_io_bus(self) -> bool {
        self == Self::IoBus
    }

    /// Whether processors find its frames on their way to memory.
    pub fn holds_memory_bus(self) -> bool {
        self != Self::Die
    }

    /// Whether its interrupts take the way through the interrupt controller.
    pub fn needs_controller(self) -> bool {
        matches!(self, Self::IoBus | Self::Bridge)
    }
}
