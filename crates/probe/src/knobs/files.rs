//! Files under /proc and /sys, of the network namespace of this process.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::system::files::mount;

const FOLDERS: [&str; 3] = ["/proc/sys/", "/proc/irq/", "/sys/class/net/"];

/// Where a file is; nothing but settings of the kernel may be read and written.
///
/// /sys shows the interfaces of the network namespace in which it was mounted, which need not be ours: root gets a
/// mount of its own, which nothing else sees.
pub fn place(file: &str) -> io::Result<PathBuf> {
    let is_setting = FOLDERS.iter().any(|folder| file.starts_with(folder));
    if !is_setting || file.split('/').any(|part| part == "..") {
        let message = format!("{file} is no setting of the kernel");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    match (file.strip_prefix("/sys/"), sysfs()) {
        (None, _) => Ok(PathBuf::from(file)),
        (Some(rest), Some(own)) => {
            let own = own.as_raw_fd();
            Ok(PathBuf::from(format!("/proc/thread-self/fd/{own}/{rest}")))
        }
        (Some(rest), None) => {
            check_interface(rest.trim_start_matches("class/net/"))?;
            Ok(PathBuf::from(file))
        }
    }
}

/// The files that a name with at most one "*" means, in order.
pub fn matching(file: &str) -> io::Result<Vec<String>> {
    let Some((start, end)) = file.split_once('*') else {
        return Ok(vec![file.to_owned()]);
    };
    let (folder, prefix) = start.rsplit_once('/').unwrap_or(("", start));
    let (suffix, rest) = end.split_at(end.find('/').unwrap_or(end.len()));
    let listed = match fs::read_dir(place(&format!("{folder}/"))?) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let names = listed.filter_map(|one| Some(one.ok()?.file_name().to_string_lossy().into_owned()));
    let fits = |name: &String| name.starts_with(prefix) && name.ends_with(suffix);
    let mut found: Vec<String> = names.filter(fits).collect();
    found.sort_by_key(|name| (name.len(), name.clone()));
    let whole = |name| format!("{folder}/{name}{rest}");
    Ok(found.into_iter().map(whole).collect())
}

/// A mount of sysfs for this network namespace, where this process may have one.
fn sysfs() -> Option<&'static OwnedFd> {
    static OWN: OnceLock<Option<OwnedFd>> = OnceLock::new();
    OWN.get_or_init(|| mount("sysfs").ok()).as_ref()
}

/// Refuse an interface that /sys does not show, or of which it shows another of the same name.
fn check_interface(rest: &str) -> io::Result<()> {
    let name = rest.split('/').next().unwrap_or(rest);
    let shown = fs::read_to_string(format!("/sys/class/net/{name}/ifindex"));
    let shown: Option<u32> = shown.ok().and_then(|text| text.trim().parse().ok());
    let name = CString::new(name)?;
    // SAFETY: the name ends with a zero.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    if shown == Some(index) && index != 0 {
        return Ok(());
    }
    Err(io::Error::other("/sys shows another network namespace"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_the_kernel_have_a_place() {
        assert!(place("/proc/sys/net/ipv4/tcp_rmem").is_ok());
        for wrong in ["/etc/passwd", "/proc/sys/../1/mem", "/sys/power/state"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_star_means_all_files_that_match() {
        let queues = matching("/sys/class/net/lo/queues/rx-*/rps_cpus").expect("a folder");
        assert_eq!(queues, ["/sys/class/net/lo/queues/rx-0/rps_cpus"]);
        assert!(place(&queues[0]).expect("a place").exists());
        assert!(
            matching("/sys/class/net/none0/queues/rx-*/rps_cpus").is_ok_and(|all| all.is_empty())
        );
    }
}
