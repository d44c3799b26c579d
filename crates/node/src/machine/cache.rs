//! A cache's description.

use weft_plan::Fault;
use weft_plan::reading::{SIZE, Section, Value};

use super::keys::{Result, access_time, amount, count};

/// One cache, or one of a kind for each processor of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    pub name: String,
    /// 1 is next to the processor.
    pub level: u32,
    pub holds: Holds,
    pub size_bytes: u64,
    pub ways: u32,
    pub line_bytes: u64,
    /// What an access takes that comes here, whether it hits or goes on to the next level.
    pub read_ps: u64,
    pub write_ps: u64,
    /// Whether what is written stays here until its line is evicted; otherwise it goes on at once.
    pub writes_back: bool,
    /// Whether a line that is written and not here is brought here; otherwise the write goes on without it.
    pub allocates: bool,
    /// Whether there is one for all processors of the host.
    pub shared: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Instructions,
    Data,
    Both,
}

impl Holds {
    pub fn instructions(self) -> bool {
        self != Self::Data
    }

    pub fn data(self) -> bool {
        self != Self::Instructions
    }
}

pub const MOST_LEVELS: usize = 3;
/// Each line is a word of the simulator's, for each processor of two nodes.
const MOST_BYTES: u64 = 64 << 20;
const LEAST_LINE_BYTES: u64 = 16;
const MOST_WAYS: u32 = 64;
const KEYS: [&str; 11] = [
    "name", "level", "holds", "size", "ways", "line", "read", "write", "policy", "allocate",
    "shared",
];

/// Reads a list of them and refuses what could not be.
pub fn read_caches(memory: &Section, clock_hz: u64) -> Result<Vec<Cache>> {
    let right = "list caches from the inside out: [[memory.caches]] with a name, a level, a size";
    let values = memory.require("caches", right)?.as_array();
    let values = values.filter(|values| !values.is_empty());
    let values = values.ok_or_else(|| memory.refuse("caches", right))?;
    let mut caches = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let section = section(value, index)?;
        let cache = read(&section, clock_hz)?;
        check_shape(&cache, &section)?;
        check_place(&cache, &caches, &section)?;
        for inner in caches.iter().filter(|one: &&Cache| is_inside(one, &cache)) {
            check_outward(&cache, inner, &section)?;
        }
        caches.push(cache);
    }
    let last = caches.iter().map(|one| one.level).max();
    for (index, value) in values.iter().enumerate() {
        let cache = &caches[index];
        let others = || caches.iter().filter(|other| other.level == cache.level);
        if cache.holds != Holds::Both && others().count() == 1 {
            let right = format!(
                "level {} needs one for instructions and one for data, or one for both",
                cache.level
            );
            return Err(section(value, index)?.refuse("holds", right));
        }
    }
    match last {
        Some(last) if last as usize <= MOST_LEVELS => Ok(caches),
        _ => Err(memory.refuse("caches", format!("give at most {MOST_LEVELS} levels"))),
    }
}

fn section(value: &Value, index: usize) -> Result<Section<'_>> {
    let path = format!("memory.caches[{index}]");
    Section::of(value, &path, &KEYS, "[[memory.caches]]")
}

fn read(section: &Section, clock_hz: u64) -> Result<Cache> {
    let name = section.name("name")?;
    let holds = [("instructions", Holds::Instructions), ("data", Holds::Data)];
    let holds = section.choice("holds", &holds)?.unwrap_or(Holds::Both);
    let mut cache = Cache {
        name: name.ok_or_else(|| section.refuse("name", "such as \"L1D\""))?,
        level: count(section, "level", 1..=MOST_LEVELS as u32)?,
        holds,
        size_bytes: amount(section, "size", &SIZE, 1)?,
        ways: count(section, "ways", 1..=MOST_WAYS)?,
        line_bytes: amount(section, "line", &SIZE, 1)?,
        read_ps: access_time(section, "read", clock_hz)?,
        write_ps: 0,
        writes_back: false,
        allocates: false,
        shared: section.flag("shared")?.unwrap_or(false),
    };
    if !holds.data() {
        for key in ["write", "policy", "allocate"] {
            section.only_for(key, "caches that hold data")?;
        }
        return Ok(cache);
    }
    cache.write_ps = access_time(section, "write", clock_hz)?;
    let policy = section.choice("policy", &[("through", false), ("back", true)])?;
    cache.writes_back =
        policy.ok_or_else(|| section.refuse("policy", "\"through\" or \"back\""))?;
    cache.allocates = section.flag("allocate")?.unwrap_or(cache.writes_back);
    Ok(cache)
}

fn check_shape(cache: &Cache, section: &Section) -> Result<()> {
    let line_bytes = cache.line_bytes;
    if !line_bytes.is_power_of_two() || line_bytes < LEAST_LINE_BYTES {
        let right = format!("a line is a power of two, at least {LEAST_LINE_BYTES} B");
        return Err(section.refuse("line", right));
    }
    let step_bytes = line_bytes * u64::from(cache.ways);
    if cache.size_bytes % step_bytes != 0 {
        let right = format!(
            "must be a multiple of line x ways = {line_bytes} x {} = {step_bytes} B",
            cache.ways
        );
        return Err(section.refuse("size", right));
    }
    match cache.size_bytes > MOST_BYTES {
        true => Err(section.refuse("size", "give at most 64 MiB")),
        false => Ok(()),
    }
}

/// Whether it stands between the processor and an outer one.
fn is_inside(inner: &Cache, outer: &Cache) -> bool {
    inner.level < outer.level
        && (inner.holds == outer.holds || inner.holds == Holds::Both || outer.holds == Holds::Both)
}

fn check_place(cache: &Cache, earlier: &[Cache], section: &Section) -> Result<()> {
    if earlier.iter().any(|other| other.name == cache.name) {
        return Err(section.refuse("name", "give each cache its own name"));
    }
    let last = earlier.last().map_or(0, |other| other.level);
    if cache.level != last && cache.level != last + 1 {
        let right = format!(
            "caches are listed from the inside out; {} comes next",
            last + 1
        );
        return Err(section.refuse("level", right));
    }
    let meets = |other: &&Cache| other.level == cache.level;
    let is_taken = |other: &Cache| {
        other.holds == cache.holds || other.holds == Holds::Both || cache.holds == Holds::Both
    };
    if let Some(other) = earlier.iter().filter(meets).find(|one| is_taken(one)) {
        let right = format!("level {} has {} for that", cache.level, other.name);
        return Err(section.refuse("level", right));
    }
    match earlier.iter().find(|one| one.holds == Holds::Both) {
        Some(other) if cache.holds != Holds::Both => {
            let right = format!("{}, which holds both, is inside of it", other.name);
            Err(section.refuse("holds", right))
        }
        _ => Ok(()),
    }
}

/// What an outer cache must have over an inner one, whose lines it all holds.
fn check_outward(outer: &Cache, inner: &Cache, section: &Section) -> Result<()> {
    let refuse = |name, right: &str| -> Fault {
        section.refuse(
            name,
            format!("{right} {}, which is inside of it", inner.name),
        )
    };
    if outer.line_bytes < inner.line_bytes {
        return Err(refuse("line", "must not be shorter than that of"));
    }
    if outer.size_bytes < inner.size_bytes {
        return Err(refuse("size", "must not be smaller than"));
    }
    if outer.read_ps < inner.read_ps {
        return Err(refuse("read", "must not be faster than"));
    }
    if inner.holds.data() && outer.write_ps < inner.write_ps {
        return Err(refuse("write", "must not be faster than"));
    }
    if inner.shared && !outer.shared {
        return Err(refuse("shared", "must be shared as is"));
    }
    match inner.writes_back && !outer.writes_back {
        true => Err(refuse("policy", "must be \"back\" as is that of")),
        false => Ok(()),
    }
}
