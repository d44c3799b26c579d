//! For how long a processor was slowed down by heat, and a process stopped by the quota of its control group.

use std::fs;
use std::io;
use std::path::Path;

use super::text::{Format, See, TextSource};

/// Of a processor; x86 only.
pub fn heat_path(cpu: u32) -> String {
    format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_total_time_ms")
}

/// Of one processor.
pub struct Heat(pub u32);

impl Format for Heat {
    fn visit(&self, text: &str, see: &mut See) {
        if let Ok(ms) = text.trim().parse::<u64>() {
            see(Some(self.0), 1_000_000 * ms, &|| {
                "thermal_throttled_ns".to_owned()
            });
        }
    }
}

/// Of a control group, all its processors together.
pub struct Quota;

impl Quota {
    /// That of a process, by its number or `self`: the nearest group around it that counts.
    pub fn open(process: &str) -> io::Result<TextSource<Quota>> {
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup"))?;
        let mut paths = groups.lines().flat_map(stat_paths);
        let found = paths.find_map(|path| TextSource::open(&path, Quota).ok());
        found.ok_or_else(|| {
            let message = "no control group of the process counts it";
            io::Error::new(io::ErrorKind::NotFound, message)
        })
    }
}

impl Format for Quota {
    /// A line `throttled_usec N` of version 2, or `throttled_time N`, in ns, of version 1.
    fn visit(&self, text: &str, see: &mut See) {
        let found = text.lines().find_map(|line| {
            let (name, value) = line.split_once(' ')?;
            let unit_ns = match name {
                "throttled_usec" => 1000,
                "throttled_time" => 1,
                _ => return None,
            };
            Some(unit_ns * value.parse::<u64>().ok()?)
        });
        if let Some(ns) = found {
            see(None, ns, &|| "process_throttled_ns".to_owned());
        }
    }
}

/// Where a line of /proc/PID/cgroup, `number:controllers:path`, may be counted: in its group, else in one around it.
fn stat_paths(line: &str) -> Vec<String> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
    let roots: &[&str] = match controllers.split(',').any(|one| one == "cpu") {
        true => &["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"],
        false if controllers.is_empty() => &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
        false => &[],
    };
    let around = Path::new(path).ancestors();
    around
        .flat_map(|group| {
            let group = group.display().to_string();
            roots
                .iter()
                .map(move |root| format!("{root}{}/cpu.stat", group.trim_end_matches('/')))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn both_versions_of_control_groups_are_read() {
        let named = |ns| [("process_throttled_ns".to_owned(), None, ns)];
        let second =
            "usage_usec 7\nnr_periods 9\nnr_throttled 2\nthrottled_usec 1500\nnr_bursts 0\n";
        assert_eq!(found(&Quota, second), named(1_500_000));
        let first = "nr_periods 9\nnr_throttled 2\nthrottled_time 1500\n";
        assert_eq!(found(&Quota, first), named(1500));
        assert!(found(&Quota, "usage_usec 7\nuser_usec 4\nsystem_usec 3\n").is_empty());
    }

    #[test]
    fn heat_is_of_its_processor() {
        let all = found(&Heat(3), "20\n");
        assert_eq!(
            all,
            [("thermal_throttled_ns".to_owned(), Some(3), 20_000_000)]
        );
    }

    #[test]
    fn a_group_is_looked_for_from_the_inside() {
        assert_eq!(
            stat_paths("4:cpu,cpuacct:/job/step"),
            [
                "/sys/fs/cgroup/cpu/job/step/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/job/step/cpu.stat",
                "/sys/fs/cgroup/cpu/job/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
                "/sys/fs/cgroup/cpu/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
            ]
        );
        let unified = stat_paths("0::/pod");
        assert_eq!(unified[0], "/sys/fs/cgroup/pod/cpu.stat");
        assert_eq!(stat_paths("5:freezer:/job"), [""; 0]);
    }
}
