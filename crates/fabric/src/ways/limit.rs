//! What limits a frame on its way, and where that is.

use crate::contention::CapacityByPorts;
use crate::fabric::Direction;
use crate::queue::Admission;

/// Something that all frames that pass it share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// What it is.
    pub place: Place,
    /// Its rate and delay.
    pub direction: Direction,
    /// Where the rate depends on how many ports contend; the direction then has the greatest.
    pub by_ports: Option<CapacityByPorts>,
    /// The largest IP packet that it carries.
    pub mtu_bytes: u32,
    /// Frames that wait in front of it.
    pub queue_frames: u32,
    /// Whether it takes everything and delivers nothing.
    pub dead: bool,
}

/// Where a limit is. Ports are positions in the layout, switches in their network's tree or in the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// From a host.
    Up { port: usize },
    /// To a host.
    Down { port: usize },
    /// What a switch lets in from below it.
    Enter { network: usize, switch: usize },
    /// What a switch lets out to below it.
    Leave { network: usize, switch: usize },
    /// The link from a switch to the one above.
    TrunkUp { network: usize, switch: usize },
    /// The link to a switch from the one above.
    TrunkDown { network: usize, switch: usize },
    /// What passes a switch of a mesh.
    Through { switch: usize },
    /// A link from a switch of a mesh to another; of several in parallel the first is 0.
    Trunk { from: usize, to: usize, cable: u32 },
    /// A route with a limit of its own.
    Detour { from: usize, to: usize },
}

impl Place {
    /// Whether it is the inside of a switch, where frames have neither preamble nor gap.
    pub fn is_inside(self) -> bool {
        matches!(
            self,
            Self::Enter { .. } | Self::Leave { .. } | Self::Through { .. }
        )
    }

    /// Whose frames may wait in front of it.
    pub fn admission(self) -> Admission {
        match self {
            Self::Up { .. } | Self::Detour { .. } => Admission::DropTail,
            // Mostly one sender's, which is to have the whole queue.
            Self::Down { .. } => Admission::OneEach,
            _ => Admission::DynamicThreshold,
        }
    }
}

/// Where the limits between the switches of two ports are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: u32,
    pub length: u32,
}

impl Span {
    /// Adds a path to others.
    pub fn added(paths: &mut Vec<u32>, path: &[u32]) -> Self {
        let start = paths.len() as u32;
        paths.extend(path);
        Self {
            start,
            length: path.len() as u32,
        }
    }

    /// Where they stand in the list.
    pub fn range(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.length as usize
    }
}
