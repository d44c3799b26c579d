//! What software costs, from a description.

use weft_plan::reading::Section;

use super::breakdown::Categories;
use super::keys::Result;

/// What software costs in cycles of the processor that does it, without its wait for memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Accesses to memory for each of these cycles.
    pub accesses_per_cycle: f64,
    /// Entering an interrupt and leaving it.
    pub interrupt: f64,
    /// The driver, for each frame received.
    pub driver: f64,
    /// Each page of 4 KiB of a frame received; of split frames, of their payload.
    pub page: f64,
    /// Each page of what is copied to be sent; what comes next fills the rest of it (Linux: sk_page_frag).
    pub page_out: f64,
    /// Putting a packet to others, where packets are merged.
    pub merge: f64,
    /// The driver, for each frame, or large send, that is sent.
    pub driver_out: f64,
    /// The bonding driver, for each frame that is sent or received over a bond.
    pub bond: f64,
    /// What hands a packet from the driver to the protocol on a processor of the host.
    pub softirq: f64,
    /// TCP and IP, for each segment received, or each that was merged.
    pub protocol: f64,
    /// The same for a packet without payload.
    pub acknowledgement: f64,
    /// TCP and IP, for each segment, or large send, that is sent.
    pub protocol_out: f64,
    /// UDP and IP in place of TCP and IP, for each packet received or sent; what those take unless it is given.
    pub datagram: Option<f64>,
    /// Besides its bytes, for each copy to and from a socket: at most a segment.
    pub copy_in: f64,
    pub copy_out: f64,
    /// New buffers for the ring, after packets were handed up.
    pub refill: f64,
    /// Making a process ready to run.
    pub wake_up: f64,
    /// Switching to it.
    pub context_switch: f64,
    /// Entering the kernel and leaving it.
    pub system_call: f64,
    /// Accesses of protocol processing for each byte: from buffer to buffer.
    pub protocol_accesses_per_byte: f64,
    /// Accesses of a checksum for each byte.
    pub checksum_accesses_per_byte: f64,
    /// Accesses of a copy for each byte.
    pub copy_accesses_per_byte: f64,
    /// The same from the socket to the reader.
    pub copy_in_accesses_per_byte: f64,
    pub remote: Remote,
}

/// What comes on top where the copy to the reader is on another processor of the host than protocol processing: what one
/// has written moves from its cache to the other's, and both want the socket's lock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Remote {
    /// In the driver, for each frame received that has payload.
    pub frame: f64,
    /// In protocol processing, for each segment received.
    pub segment: f64,
    /// In protocol processing, for each acknowledgement: what it frees, the writer's processor made.
    pub acknowledgement: f64,
    /// In the copy, for each of them.
    pub copy: f64,
    /// In the copy to the socket, for each page: it was freed where acknowledgements are processed, so that it does not
    /// come from the processor's own list of free pages (Linux: pcplists), but from that of all, which has a lock.
    pub page_out: f64,
    /// In the copy, for each byte.
    pub accesses_per_byte: f64,
}

/// What software costs by category, where the description says it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Breakdown {
    /// In the order in which the description has them.
    pub categories: Vec<String>,
    /// Of each cost the cycles of a category, by category.
    pub costs: Vec<Costs>,
}

impl Breakdown {
    /// Whether the description says anything about categories.
    pub fn is_known(&self) -> bool {
        !self.categories.is_empty()
    }
}

const KEYS: [&str; 24] = [
    "accesses_per_cycle",
    "interrupt",
    "driver",
    "page",
    "page_out",
    "merge",
    "driver_out",
    "bond",
    "softirq",
    "protocol",
    "protocol_out",
    "acknowledgement",
    "datagram",
    "copy_in",
    "copy_out",
    "remote",
    "copy_in_accesses_per_byte",
    "refill",
    "wake_up",
    "context_switch",
    "system_call",
    "protocol_accesses_per_byte",
    "checksum_accesses_per_byte",
    "copy_accesses_per_byte",
];
const MOST_ACCESSES_PER_BYTE: f64 = 100.0;

/// What is read of a cost in cycles: all, or those of a category.
type Look<'a> = &'a mut dyn FnMut(&Section, &str) -> Result<Option<f64>>;

/// Costs in cycles.
struct Cycles<'a> {
    section: &'a Section<'a>,
    look: Look<'a>,
}

impl Cycles<'_> {
    /// One that must be given.
    fn of(&mut self, name: &str) -> Result<f64> {
        let right = "give cycles, such as 250, or a table of them by category";
        let given = (self.look)(self.section, name)?;
        given.ok_or_else(|| self.section.refuse(name, right))
    }

    /// One that is something else unless it is given.
    fn or(&mut self, name: &str, other: f64) -> Result<f64> {
        Ok((self.look)(self.section, name)?.unwrap_or(other))
    }
}

/// Reads the costs, as a whole and by category.
pub fn read(section: &Section) -> Result<(Costs, Breakdown)> {
    let mut categories = Categories::default();
    let whole = read_with(section, &mut |section, name| categories.read(section, name))?;
    let of = |index| {
        read_with(section, &mut |section, name| {
            categories.part(section, name, index)
        })
    };
    let costs = (0..categories.names.len()).map(of).collect::<Result<_>>()?;
    let breakdown = Breakdown {
        categories: categories.names,
        costs,
    };
    Ok((whole, breakdown))
}

fn read_with(section: &Section, look: Look<'_>) -> Result<Costs> {
    section.check_keys(&KEYS)?;
    let remote = read_remote(section, look)?;
    let mut cycles = Cycles { section, look };
    let (driver, protocol) = (cycles.of("driver")?, cycles.of("protocol")?);
    let per_byte = |name| section.number(name, MOST_ACCESSES_PER_BYTE);
    let copy_accesses = per_byte("copy_accesses_per_byte")?;
    Ok(Costs {
        accesses_per_cycle: section.number("accesses_per_cycle", 10.0)?,
        interrupt: cycles.of("interrupt")?,
        driver,
        page: cycles.or("page", 0.0)?,
        page_out: cycles.or("page_out", 0.0)?,
        merge: cycles.or("merge", 0.0)?,
        driver_out: cycles.or("driver_out", driver)?,
        bond: cycles.or("bond", 0.0)?,
        softirq: cycles.of("softirq")?,
        protocol,
        acknowledgement: cycles.or("acknowledgement", protocol)?,
        protocol_out: cycles.or("protocol_out", protocol)?,
        datagram: (cycles.look)(section, "datagram")?,
        copy_in: cycles.or("copy_in", 0.0)?,
        copy_out: cycles.or("copy_out", 0.0)?,
        refill: cycles.of("refill")?,
        wake_up: cycles.of("wake_up")?,
        context_switch: cycles.of("context_switch")?,
        system_call: cycles.of("system_call")?,
        protocol_accesses_per_byte: per_byte("protocol_accesses_per_byte")?,
        checksum_accesses_per_byte: per_byte("checksum_accesses_per_byte")?,
        copy_accesses_per_byte: copy_accesses,
        copy_in_accesses_per_byte: per_byte_or(
            section,
            "copy_in_accesses_per_byte",
            copy_accesses,
        )?,
        remote,
    })
}

fn per_byte_or(section: &Section, name: &str, other: f64) -> Result<f64> {
    match section.get(name) {
        Some(_) => section.number(name, MOST_ACCESSES_PER_BYTE),
        None => Ok(other),
    }
}

fn read_remote(section: &Section, look: Look<'_>) -> Result<Remote> {
    let Some(value) = section.get("remote") else {
        return Ok(Remote::default());
    };
    let path = section.key("remote");
    let known = [
        "frame",
        "segment",
        "acknowledgement",
        "copy",
        "page_out",
        "accesses_per_byte",
    ];
    let section = Section::of(value, &path, &known, "{ frame = 100 }")?;
    let accesses_per_byte = per_byte_or(&section, "accesses_per_byte", 0.0)?;
    let mut cycles = Cycles {
        section: &section,
        look,
    };
    Ok(Remote {
        frame: cycles.or("frame", 0.0)?,
        segment: cycles.or("segment", 0.0)?,
        acknowledgement: cycles.or("acknowledgement", 0.0)?,
        copy: cycles.or("copy", 0.0)?,
        page_out: cycles.or("page_out", 0.0)?,
        accesses_per_byte,
    })
}
