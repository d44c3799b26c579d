//! The settings of a step: what is asked of sockets and processors.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::error::{Fault, Result};
use crate::limits::MOST_NODES;
use crate::pattern::Pattern;
use crate::rate::Rate;
use crate::reading::{Section, count};
use crate::transport::Transport;

/// The kernel keeps twice the request, in a signed 32-bit number.
const MOST_BUFFER_BYTES: u64 = 1 << 30;
/// Connections that may share a message.
const STRIPES: RangeInclusive<u32> = 2..=64;
/// The size of the kernel's fixed set of CPUs.
const MOST_CPU: u32 = 1023;
/// Agents run where the kernel puts them.
const ANY_CPU: &str = "any";
/// TCP_CA_NAME_MAX without its final zero.
const LONGEST_CONGESTION: usize = 15;

/// What the kernel takes as a segment's size: TCP_MIN_MSS and MAX_TCP_WINDOW.
const SEGMENT_BYTES: RangeInclusive<u64> = 88..=32_767;
/// The longest name of a knob, and the longest value.
const LONGEST_KNOB: usize = 200;

/// What to ask for; what was got is read back and stands in the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub send_buffer_bytes: Option<u64>,
    pub receive_buffer_bytes: Option<u64>,
    pub nodelay: bool,
    /// The congestion control's name in the kernel, such as cubic.
    pub congestion: Option<String>,
    /// One CPU per node; none where the kernel chooses.
    pub cpus: Option<Vec<u32>>,
    pub wait: Wait,
    /// Check every byte that arrives.
    pub verify: bool,
    /// How fast a stream of datagrams is sent; `None` is as fast as possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Which MPI; `None` is the one whose mpicc comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<Mpi>,
    /// How MPI is called; `None` is blocking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Calls>,
    /// How many connections share a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripes: Option<u32>,
    /// How long a receiver polls its interface before it sleeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_poll_ns: Option<u64>,
    /// The largest segment of a TCP connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss_bytes: Option<u64>,
    /// The most that a connection sends, in bits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing_bits_per_s: Option<u64>,
    /// Settings of the nodes while the step runs: values by the name of a knob, with "@" and a node where not for all.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub knobs: BTreeMap<String, String>,
    /// Read the kernel's counters before and after batches.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub evidence: bool,
}

json_enum! {
    /// A kind of MPI.
    pub enum Mpi {
        OpenMpi = "openmpi",
        Mpich = "mpich",
    }
}

json_enum! {
    /// Which of MPI's calls move messages.
    pub enum Calls {
        /// MPI_Send and MPI_Recv.
        Blocking = "blocking",
        /// MPI_Isend and MPI_Irecv, a window of them at once.
        NonBlocking = "nonblocking",
    }
}

json_enum! {
    /// How an agent waits for data.
    #[derive(Default)]
    pub enum Wait {
        /// The agent chooses and reports what it chose.
        #[default]
        Auto = "auto",
        /// Sleep in the kernel.
        Block = "block",
        /// Ask again and again, never sleep.
        Spin = "spin",
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
            nodelay: true,
            congestion: None,
            cpus: None,
            wait: Wait::Auto,
            verify: false,
            rate: None,
            mpi: None,
            calls: None,
            stripes: None,
            busy_poll_ns: None,
            mss_bytes: None,
            pacing_bits_per_s: None,
            knobs: BTreeMap::new(),
            evidence: true,
        }
    }
}

impl Options {
    /// Reads the `options` of a step.
    pub(crate) fn read(step: &Section, transport: Transport, pattern: &Pattern) -> Result<Self> {
        let Some(value) = step.get("options") else {
            return Ok(Self::default());
        };
        let section = Section::unchecked(value, &step.key("options"), "{ nodelay = true }")?;
        refuse_options_of_others(&section, transport, pattern)?;
        if !pattern.is_pair() {
            // One thread serves all of a node's connections: it cannot spin for one, nor look at every byte.
            section.only_for_pairs("wait")?;
        }
        if !(pattern.is_pair() || pattern.is_program()) {
            section.only_for_pairs("verify")?;
        }
        if matches!(pattern, Pattern::Exchange { .. } | Pattern::MultiPair(_)) {
            // What comes in while a message goes out is not held still to be looked at.
            section.only_for("verify", "pattern = \"pingpong\" or \"stream\"")?;
        }
        let default = Self::default();
        let options = Self {
            send_buffer_bytes: read_buffer(&section, "send_buffer")?,
            receive_buffer_bytes: read_buffer(&section, "receive_buffer")?,
            nodelay: section.flag("nodelay")?.unwrap_or(default.nodelay),
            congestion: read_congestion(&section)?,
            cpus: read_cpus(&section, transport, pattern)?,
            wait: section
                .choice("wait", &Wait::NAMED)?
                .unwrap_or(default.wait),
            verify: section.flag("verify")?.unwrap_or(default.verify),
            rate: read_rate(&section, pattern)?,
            mpi: section.choice("mpi", &Mpi::NAMED)?,
            calls: section.choice("calls", &Calls::NAMED)?,
            stripes: section.count("stripes", STRIPES)?,
            busy_poll_ns: section.time("busy_poll")?,
            mss_bytes: read_segment(&section)?,
            pacing_bits_per_s: Rate::read_absolute(&section, "pacing")?,
            knobs: read_knobs(&section)?,
            evidence: section.flag("evidence")?.unwrap_or(default.evidence),
        };
        section.finish()?;
        Ok(options)
    }
}

type Owns = fn(Transport) -> bool;

/// Which transports an option means something to; the others mean something to all.
const OWNERS: [(&str, Owns); 13] = [
    ("send_buffer", Transport::has_buffers),
    ("receive_buffer", Transport::has_buffers),
    ("nodelay", Transport::is_tcp),
    ("congestion", Transport::is_tcp),
    ("verify", Transport::is_verifiable),
    ("wait", |one| {
        !matches!(one, Transport::Mpi | Transport::Icmp)
    }),
    ("rate", |one| one == Transport::Udp),
    ("mpi", |one| one == Transport::Mpi),
    ("calls", |one| one == Transport::Mpi),
    ("stripes", |one| one == Transport::TcpStriped),
    ("busy_poll", |one| one == Transport::TcpBusyPoll),
    ("mss", Transport::has_segments),
    ("pacing", Transport::has_segments),
];

/// Removes from a step's options those that its transport does not have and that are not `kept`, and names them.
pub(crate) fn take_of_others(step: &mut Value, is_kept: &dyn Fn(&str) -> bool) -> Vec<String> {
    let named = step.get("transport").and_then(Value::as_str);
    let transport = named.and_then(Transport::named);
    let options = step.get_mut("options").and_then(Value::as_table_mut);
    let (Some(transport), Some(options)) = (transport, options) else {
        return Vec::new();
    };
    // Of these two the pattern decides, too.
    let is_other = |name: &str, owns: Owns| !owns(transport) && !["mpi", "verify"].contains(&name);
    OWNERS
        .iter()
        .filter(|(name, owns)| is_other(name, *owns) && !is_kept(name))
        .filter_map(|(name, _)| options.remove(*name).map(|_| (*name).to_owned()))
        .collect()
}

fn refuse_options_of_others(
    section: &Section,
    transport: Transport,
    pattern: &Pattern,
) -> Result<()> {
    // An MPI takes part, and results are checked as those of agents are.
    let is_collective = matches!(pattern, Pattern::Collective(_));
    let takes_part = pattern.has_library() || is_collective && transport == Transport::Mpi;
    let by_library = |name| takes_part && ["mpi", "verify"].contains(&name);
    OWNERS
        .iter()
        .filter(|(name, owns)| !owns(transport) && !by_library(*name))
        .try_for_each(|(name, owns)| {
            let owners = Transport::ALL.into_iter().filter(|one| owns(*one));
            let names: Vec<String> = owners.map(|one| format!("{:?}", one.name())).collect();
            section.only_for(name, &format!("transport = {}", names.join(" or ")))
        })
}

fn read_buffer(section: &Section, name: &str) -> Result<Option<u64>> {
    match section.size(name)? {
        Some(bytes) if bytes > MOST_BUFFER_BYTES => {
            Err(section.refuse(name, "must be at most 1 GiB"))
        }
        bytes => Ok(bytes),
    }
}

fn read_segment(section: &Section) -> Result<Option<u64>> {
    match section.size("mss")? {
        Some(bytes) if !SEGMENT_BYTES.contains(&bytes) => {
            Err(section.refuse("mss", "must be from 88 B to 32767 B"))
        }
        bytes => Ok(bytes),
    }
}

/// Which knobs there are is the catalogue's to say.
fn read_knobs(section: &Section) -> Result<BTreeMap<String, String>> {
    let Some(knobs) = section.section("knobs")? else {
        return Ok(BTreeMap::new());
    };
    knobs.names().map(|key| read_knob(&knobs, key)).collect()
}

fn read_knob(knobs: &Section, key: &str) -> Result<(String, String)> {
    let (name, node) = key.split_once('@').unwrap_or((key, "0"));
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_node = node.parse().is_ok_and(|node: u32| node < MOST_NODES);
    if name.is_empty() || name.len() > LONGEST_KNOB || !name.chars().all(plain) || !is_node {
        let right = "must be a knob, such as mtu, or a knob and a node's number, such as mtu@1";
        return Err(knobs.refuse(key, right));
    }
    let value = knobs.required_text(key, "1400")?.trim();
    let fits = !value.is_empty() && value.len() <= LONGEST_KNOB;
    if !fits || value.chars().any(char::is_control) {
        return Err(knobs.refuse(key, "must be a value in one line, such as \"1400\""));
    }
    Ok((key.to_owned(), value.to_owned()))
}

fn read_rate(section: &Section, pattern: &Pattern) -> Result<Option<Rate>> {
    if *pattern == Pattern::Pingpong {
        section.only_for("rate", "pattern = \"stream\"")?;
    }
    Rate::read(section, "rate")
}

fn read_congestion(section: &Section) -> Result<Option<String>> {
    let Some(text) = section.text("congestion")? else {
        return Ok(None);
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || text.len() > LONGEST_CONGESTION || !text.chars().all(plain) {
        let right = "must be the name of a congestion control in the kernel, such as \"cubic\"";
        return Err(section.refuse("congestion", right));
    }
    Ok(Some(text.to_owned()))
}

fn read_cpus(
    section: &Section,
    transport: Transport,
    pattern: &Pattern,
) -> Result<Option<Vec<u32>>> {
    let Some(value) = section.get("cpus") else {
        return Ok(None);
    };
    if value.as_str() == Some(ANY_CPU) && !matches!(pattern, Pattern::MultiPair(_)) {
        return Ok(Some(Vec::new()));
    }
    let amounts = cpu_amounts(transport, pattern);
    let values = value
        .as_array()
        .filter(|values| amounts.contains(&values.len()))
        .ok_or_else(|| section.refuse("cpus", one_cpu_per_node(pattern)))?;
    values
        .iter()
        .enumerate()
        .map(|cpu| read_cpu(cpu, section))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Of patterns between many nodes the testbed decides how many there must be.
fn cpu_amounts(transport: Transport, pattern: &Pattern) -> RangeInclusive<usize> {
    let nodes = pattern.nodes() as usize;
    match (transport, pattern.is_pair()) {
        (_, true) if matches!(pattern, Pattern::MultiPair(_)) => 1..=MOST_CPU as usize,
        (Transport::Null, true) => 1..=nodes,
        (_, true) => nodes..=nodes,
        (_, false) => nodes..=MOST_NODES as usize,
    }
}

fn one_cpu_per_node(pattern: &Pattern) -> String {
    if matches!(pattern, Pattern::MultiPair(_)) {
        return "must be CPUs that the processes of a node take in turn, such as [0, 1, 2, 3]"
            .to_owned();
    }
    if pattern.is_pair() {
        return "must be one CPU per node, such as [0, 1], or \"any\"".to_owned();
    }
    let nodes = pattern.nodes();
    format!("must be one CPU per node of the testbed, at least {nodes}, such as [0, 1, 0, 1]")
}

fn read_cpu((index, value): (usize, &Value), section: &Section) -> Result<u32> {
    let key = format!("{}[{index}]", section.key("cpus"));
    count(value, 0..=MOST_CPU).map_err(|right| Fault::new(key, value, format!("a CPU {right}")))
}
