//! What a network is asked the path of.

/// One connection, by its hosts; networks that choose a path by a hash look at the port too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    pub src: usize,
    pub dst: usize,
    /// Which of the hosts' networks it takes.
    pub network: u32,
    /// The sender's port; 0 where it is not said, and all such connections of a pair take one path.
    pub port: u16,
}

impl Flow {
    /// Between two hosts over their first network.
    pub fn between(src: usize, dst: usize) -> Self {
        Self {
            src,
            dst,
            network: 0,
            port: 0,
        }
    }

    /// What comes back of it.
    pub fn back(self) -> Self {
        Self {
            src: self.dst,
            dst: self.src,
            ..self
        }
    }

    /// The ports of its packets, as far as they are known.
    pub fn ports(self) -> Option<[u16; 2]> {
        (self.port > 0).then_some([self.port, 0])
    }
}
