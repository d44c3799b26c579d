//! Keys that change nothing, because of what other keys say.

use weft_fabric::IP_AND_TCP_BYTES;

use super::description::Machine;
use super::memory::MemoryModel;
use super::placement::Task;
use super::processor::Processor;

/// When keys are idle, and why.
type Rule = (&'static [&'static str], fn(&Machine) -> bool, &'static str);

/// The keys and those inside of them. Processors, interfaces, buses and placements, which have names, are in `named`.
const RULES: [Rule; 20] = [
    (
        &[
            "memory.latency",
            "memory.write_buffer",
            "memory.caches",
            "footprints",
        ],
        |machine| matches!(machine.memory.model, MemoryModel::Mean(_)),
        "memory.model is \"mean\"; say memory.model=caches",
    ),
    (
        &["memory.line", "memory.bridge_share"],
        |machine| machine.memory.caches().is_some(),
        "memory.model is \"caches\"; say memory.model=mean",
    ),
    (
        &["memory.hit_rate", "memory.hit", "memory.miss"],
        |machine| machine.memory.caches().is_some() && !machine.protocol().on_nic,
        "memory.model is \"caches\"; say memory.model=mean",
    ),
    (
        &["nic.hit_rate", "nic.hit", "nic.miss"],
        |machine| !machine.protocol().on_nic || machine.protocol_accesses_nothing(),
        "the interface has no processor whose accesses are counted",
    ),
    (
        &["nic.hit_rate"],
        |machine| machine.nic.hit_ps == machine.nic.miss_ps,
        "nic.hit and nic.miss are the same",
    ),
    (
        &["nic.coalesce_frames"],
        |machine| machine.nic.by_ring,
        "nic.event is \"ring\"; say nic.event=frame",
    ),
    (
        &["nic.coalesce_time"],
        |machine| !machine.nic.by_ring && machine.nic.coalesce_frames == 1,
        "nic.coalesce_frames is 1, so that no frame waits",
    ),
    (
        &["nic.checksum"],
        |machine| machine.costs.checksum_accesses_per_byte == 0.0,
        "costs.checksum_accesses_per_byte is 0",
    ),
    (
        &["costs.checksum_accesses_per_byte"],
        |machine| machine.nic.checksum,
        "the interface computes checksums; say nic.checksum=false",
    ),
    (
        &["nic.merge"],
        |machine| !machine.nic.poll,
        "only a driver that polls merges packets; say nic.poll=true",
    ),
    (
        &["costs.merge"],
        |machine| machine.nic.merge_bytes == 0 || !machine.nic.poll,
        "no packets are merged; give nic.merge and nic.poll=true",
    ),
    (
        &["nic.large_send"],
        |machine| machine.large_send_frames() < 2,
        "a window's part, sockets.receive_buffer / sockets.large_sends, is less than two frames",
    ),
    (
        &["sockets.backlog"],
        |machine| machine.protocol().on_nic,
        "protocol processing is on the interface's own processor",
    ),
    (
        &["sockets.backlog"],
        |machine| machine.nic.poll && machine.is_one(&[Task::Driver, Task::Protocol]),
        "a driver that polls takes the next frame when the last one is processed",
    ),
    (
        &["sockets.large_sends"],
        |machine| machine.nic.large_send_bytes == 0,
        "there is no large send; give nic.large_send",
    ),
    (
        &["interrupts.delay"],
        |machine| machine.nic.by_ring || !machine.nic.location.needs_controller(),
        "interrupts do not take the way through the interrupt controller",
    ),
    (
        &["io_bus", "io_buses"],
        |machine| !machine.nic.location.crosses_io_bus(),
        "frames do not cross it; say nic.location=io-bus",
    ),
    (
        &["costs.softirq", "costs.refill"],
        |machine| machine.protocol().on_nic,
        "protocol processing is on the interface's own processor",
    ),
    (
        &["costs.remote"],
        |machine| machine.protocol().on_nic || machine.is_one(&[Task::Protocol, Task::Copy]),
        "copies are on the processor of protocol processing, or that is the interface's",
    ),
    (
        &["sockets.send_in_place"],
        |machine| {
            let host = [Task::Interrupt, Task::Driver, Task::Copy, Task::Application];
            machine.is_one(&host)
                && (machine.protocol().on_nic || machine.is_one(&[Task::Protocol, Task::Copy]))
        },
        "one processor of the host does everything",
    ),
];

impl Machine {
    /// Why a key, such as `memory.latency`, changes nothing here, if it does not. Several pairs take all processors and
    /// interfaces in turn; one pair takes those of the placement and the first interface.
    pub fn idle(&self, key: &str, has_pairs: bool) -> Option<&'static str> {
        let key = key.replace('[', ".").replace(']', "");
        let found = RULES.iter().find(|(keys, is_idle, _)| {
            keys.iter().any(|one| is_within(&key, one)) && is_idle(self)
        });
        match found {
            Some((.., why)) => Some(why),
            None => self.named(&key, has_pairs),
        }
    }

    fn named(&self, key: &str, has_pairs: bool) -> Option<&'static str> {
        let (table, rest) = key.split_once('.')?;
        let name = rest.split('.').next()?;
        let of = |names: Vec<&str>| names.iter().position(|one| *one == name);
        let (is_idle, why) = match table {
            "processors" => {
                let names = self.processors.iter().map(|one| one.name.as_str());
                let at = of(names.collect()).or_else(|| name.parse().ok())?;
                let is_idle = !self.is_used(at, has_pairs);
                (is_idle, "the placement has nothing on this processor")
            }
            "interfaces" => {
                let names = self.interfaces.iter().map(|one| one.name.as_str());
                let is_idle = of(names.collect())? > 0 && !has_pairs;
                (is_idle, "one pair uses the first interface only")
            }
            "io_buses" => {
                let at = of(self
                    .io_buses
                    .iter()
                    .map(|(name, _)| name.as_str())
                    .collect())?;
                let uses = |count| {
                    self.interfaces
                        .iter()
                        .take(count)
                        .any(|one| one.bus == at + 1)
                };
                let is_idle = !uses(if has_pairs { usize::MAX } else { 1 });
                (is_idle, "no interface that is used is on this bus")
            }
            "costs" => (
                name == "bond" && !has_pairs,
                "one pair uses no bond; run multi-pair --interfaces bonded",
            ),
            "placements" => {
                let is_other = !self.name.ends_with(&format!("-{name}"));
                (is_other, "this is another placement than the one that runs")
            }
            _ => return None,
        };
        is_idle.then_some(why)
    }

    fn is_used(&self, processor: usize, has_pairs: bool) -> bool {
        let Some(one) = self.processors.get(processor) else {
            return true;
        };
        let is_interrupted = self.interrupts.timer_hz > 0
            || self
                .interfaces
                .iter()
                .any(|interface| interface.interrupt == Some(processor));
        self.placement.uses(processor) || (!one.on_nic && (has_pairs || is_interrupted))
    }

    fn protocol(&self) -> &Processor {
        &self.processors[self.placement.of(Task::Protocol)]
    }

    /// Of the largest that there can be.
    fn large_send_frames(&self) -> u64 {
        let most_bytes = self.sockets.receive_bytes / u64::from(self.sockets.large_sends);
        most_bytes / u64::from(self.nic.mtu_bytes - IP_AND_TCP_BYTES)
    }

    fn protocol_accesses_nothing(&self) -> bool {
        self.costs.accesses_per_cycle == 0.0 && self.out_accesses_per_byte() == 0.0
    }

    fn is_one(&self, tasks: &[Task]) -> bool {
        tasks
            .iter()
            .all(|task| self.placement.of(*task) == self.placement.of(tasks[0]))
    }
}

fn is_within(key: &str, outer: &str) -> bool {
    key.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
