//! Where the network interface sits: four places, from the far end of the I/O bus to the processor's own die.

use weft_plan::named_enum;

named_enum! {
    /// What a frame crosses between interface and memory, and how the interface gets a processor's attention.
    #[derive(Default)]
    pub enum Location {
        /// Behind the bridge, on the I/O bus.
        #[default]
        IoBus = "io-bus",
        /// In the bridge: no I/O bus between.
        Bridge = "bridge",
        /// Beside the processors: it also signals over their bus, past the interrupt controller.
        ProcessorBus = "processor-bus",
        /// With the processors on a die, where its frames share no bus.
        Die = "die",
    }
}

impl Location {
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
