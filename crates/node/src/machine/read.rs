//! From a TOML file to a machine.

use weft_plan::Fault;
use weft_plan::reading::{CLOCK, RATE, SIZE, SPAN, Section, Value, document};

use super::DriverDomain;
use super::configuration::configuration;
use super::interfaces::{read_buses, read_interfaces};
use super::keys::{Result, access_time, amount, count, table};
use super::memory::read_memory;
use super::mpi::{Libraries, presets};
use super::processor::{Processor, read_processors};
use super::{
    Application, Interrupts, IoBus, Link, Location, Machine, Nic, Placement, Sockets, check, costs,
};
use crate::MachineError;

const KEYS: [&str; 17] = [
    "name",
    "title",
    "processors",
    "memory",
    "footprints",
    "io_bus",
    "io_buses",
    "interfaces",
    "nic",
    "interrupts",
    "link",
    "driver_domain",
    "sockets",
    "costs",
    "application",
    "mpi",
    "placements",
];

/// Linux's net.core.netdev_max_backlog.
const BACKLOG_FRAMES: u32 = 1000;
/// Linux's net.ipv4.tcp_tso_win_divisor.
const LARGE_SENDS: u32 = 3;
const MOST_PACKET_CYCLES: u32 = 100_000_000;
const PS_PER_S: u64 = 1_000_000_000_000;
/// What the network interface interrupts for.
const EVENTS: [(&str, bool); 2] = [("frame", false), ("ring", true)];

impl Machine {
    /// Reads a machine's description with one of its placements, overrides applied first.
    ///
    /// `origin` is what messages call the text. An override is a dotted key and a TOML value or bare text:
    /// `("processors.cpu0.clock", "1 GHz")`. What a placement says of other keys (`with`) comes before them. Without a placement's name the file must have one only.
    pub fn load(
        text: &str,
        origin: &str,
        placement: Option<&str>,
        overrides: &[(String, String)],
    ) -> std::result::Result<Self, MachineError> {
        let mut all = presets(text);
        all.extend(configuration(text, placement));
        all.extend_from_slice(overrides);
        document(text, origin, &all, |value| read(value, placement))
    }
}

fn read(value: &Value, placement: Option<&str>) -> Result<Machine> {
    let root = Section::of(value, "", &KEYS, "name = \"my-machine\"")?;
    let right = "give the machine a name, such as \"p4-400\"";
    let name = root
        .name("name")?
        .ok_or_else(|| root.refuse("name", right))?;
    let processors = read_processors(&root)?;
    let (placement_name, placement) = read_placement(&root, placement, &processors)?;
    let (costs, breakdown) = costs::read(&table(&root, "costs")?)?;
    let io_buses = read_buses(&root, read_io_bus)?;
    let interfaces = read_interfaces(&root, &io_buses, &processors)?;
    let clock_hz = processors[0].clock_hz;
    let machine = Machine {
        name: format!("{name}-{placement_name}"),
        title: root.text("title")?.unwrap_or_default().to_owned(),
        processors,
        memory: read_memory(&root, clock_hz)?,
        io_bus: read_io_bus(&table(&root, "io_bus")?)?,
        io_buses,
        interfaces,
        nic: read_nic(&root, clock_hz)?,
        interrupts: read_interrupts(&table(&root, "interrupts")?)?,
        link: read_link(&table(&root, "link")?)?,
        sockets: read_sockets(&table(&root, "sockets")?)?,
        costs,
        breakdown,
        driver_domain: read_driver_domain(&root)?,
        application: read_application(&root)?,
        mpi: Libraries::read(&root)?,
        placement,
    };
    check::check(&machine, &root)?;
    Ok(machine)
}

/// The named row of the table of placements, or the only one.
fn read_placement(
    root: &Section,
    wanted: Option<&str>,
    processors: &[Processor],
) -> Result<(String, Placement)> {
    let rows = table(root, "placements")?;
    let names: Vec<_> = rows.names().map(|name| (name, name)).collect();
    let name = match (wanted, names.as_slice()) {
        (Some(wanted), _) => names.iter().find(|(name, _)| *name == wanted),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let listed = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let Some((name, _)) = name else {
        let right = match wanted {
            Some(wanted) => format!("no row {wanted:?}; there are {}", listed().join(", ")),
            None => format!("choose one of {}", listed().join(", ")),
        };
        return Err(Fault::missing("placements", right));
    };
    let example = "{ interrupt = \"cpu0\", ... }";
    let right = "give a row of tasks and processors";
    let path = rows.key(name);
    let section = Section::unchecked(rows.require(name, right)?, &path, example)?;
    Ok(((*name).to_owned(), Placement::read(&section, processors)?))
}

fn read_io_bus(section: &Section) -> Result<IoBus> {
    section.check_keys(&["rate", "access", "burst"])?;
    Ok(IoBus {
        bits_per_s: amount(section, "rate", &RATE, 1)?,
        access_ps: amount(section, "access", &SPAN, 0)?,
        burst_bytes: section.quantity("burst", &SIZE, 1)?.unwrap_or(0),
    })
}

/// What the memory of the interface's own processor takes: what the host's takes unless it is given, and of caches what
/// lies behind them. The times of a hit and a miss, and the share of hits.
fn nic_memory(section: &Section, memory: &Section, clock_hz: u64) -> Result<(u64, u64, f64)> {
    let has = |one: &Section, name| one.get(name).is_some();
    let takes = |name| match (has(section, name), has(memory, name)) {
        (true, _) => amount(section, name, &SPAN, 0),
        (_, true) => access_time(memory, name, clock_hz),
        _ => amount(memory, "latency", &SPAN, 0),
    };
    let (hit_ps, miss_ps) = (takes("hit")?, takes("miss")?);
    let hit_rate = match (has(section, "hit_rate"), has(memory, "hit_rate")) {
        (false, true) => memory.number("hit_rate", 1.0)?,
        (false, false) if hit_ps == miss_ps => 0.0,
        _ => section.number("hit_rate", 1.0)?,
    };
    Ok((hit_ps, miss_ps, hit_rate))
}

fn read_nic(root: &Section, clock_hz: u64) -> Result<Nic> {
    let section = &table(root, "nic")?;
    let (hit_ps, miss_ps, hit_rate) = nic_memory(section, &table(root, "memory")?, clock_hz)?;
    section.check_keys(&[
        "location",
        "ring",
        "pause",
        "mtu_bytes",
        "coalesce_frames",
        "coalesce_time",
        "interrupt_rate",
        "event",
        "large_send",
        "merge",
        "poll",
        "checksum",
        "header_split",
        "hit_rate",
        "hit",
        "miss",
    ])?;
    Ok(Nic {
        location: section
            .choice("location", &Location::NAMED)?
            .unwrap_or_default(),
        ring_bytes: amount(section, "ring", &SIZE, 1)?,
        pause: section.flag("pause")?.unwrap_or(true),
        mtu_bytes: count(section, "mtu_bytes", 1..=65_535)?,
        coalesce_frames: count(section, "coalesce_frames", 1..=4096)?,
        coalesce_ps: amount(section, "coalesce_time", &SPAN, 0)?,
        interrupt_gap_ps: match section.quantity("interrupt_rate", &CLOCK, 1)? {
            Some(hz) => PS_PER_S / hz,
            None => 0,
        },
        by_ring: section.choice("event", &EVENTS)?.unwrap_or(false),
        large_send_bytes: most_bytes(section, "large_send")?,
        merge_bytes: most_bytes(section, "merge")?,
        poll: section.flag("poll")?.unwrap_or(false),
        checksum: section.flag("checksum")?.unwrap_or(false),
        header_split: section.flag("header_split")?.unwrap_or(false),
        hit_rate,
        hit_ps,
        miss_ps,
    })
}

/// Up to what an IP packet's length can say, which bounds large sends and merged packets too.
fn most_bytes(section: &Section, name: &str) -> Result<u32> {
    let Some(bytes) = section.quantity(name, &SIZE, 1)? else {
        return Ok(0);
    };
    match u32::try_from(bytes) {
        Ok(bytes) if bytes <= 65_536 => Ok(bytes),
        _ => Err(section.refuse(name, "must not be more than 64 KiB")),
    }
}

fn read_interrupts(section: &Section) -> Result<Interrupts> {
    section.check_keys(&["delay", "timer"])?;
    Ok(Interrupts {
        delay_ps: amount(section, "delay", &SPAN, 0)?,
        timer_hz: section.quantity("timer", &CLOCK, 1)?.unwrap_or(0),
    })
}

fn read_link(section: &Section) -> Result<Link> {
    section.check_keys(&["rate", "delay"])?;
    Ok(Link {
        bits_per_s: amount(section, "rate", &RATE, 1)?,
        delay_ps: amount(section, "delay", &SPAN, 0)?,
    })
}

fn read_sockets(section: &Section) -> Result<Sockets> {
    section.check_keys(&[
        "send_buffer",
        "receive_buffer",
        "large_sends",
        "delayed_ack",
        "backlog",
        "send_in_place",
    ])?;
    Ok(Sockets {
        send_bytes: amount(section, "send_buffer", &SIZE, 1)?,
        receive_bytes: amount(section, "receive_buffer", &SIZE, 1)?,
        large_sends: section.count("large_sends", 1..=64)?.unwrap_or(LARGE_SENDS),
        delayed_ack_ps: amount(section, "delayed_ack", &SPAN, 1)?,
        backlog_frames: section
            .count("backlog", 1..=1_000_000)?
            .unwrap_or(BACKLOG_FRAMES),
        send_in_place: section.flag("send_in_place")?.unwrap_or(false),
    })
}

fn read_driver_domain(root: &Section) -> Result<Option<DriverDomain>> {
    if root.get("driver_domain").is_none() {
        return Ok(None);
    }
    let section = table(root, "driver_domain")?;
    section.check_keys(&["packet"])?;
    let packet = section.count("packet", 0..=MOST_PACKET_CYCLES)?;
    let packet = packet.ok_or_else(|| section.refuse("packet", "give cycles, such as 2000"))?;
    Ok(Some(DriverDomain {
        packet: u64::from(packet),
    }))
}

fn read_application(root: &Section) -> Result<Application> {
    if root.get("application").is_none() {
        return Ok(Application {
            cycles_per_byte: 0.0,
        });
    }
    let section = table(root, "application")?;
    section.check_keys(&["cycles_per_byte"])?;
    Ok(Application {
        cycles_per_byte: section.number("cycles_per_byte", 1e6)?,
    })
}
