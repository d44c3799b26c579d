//! Apache's configuration (2.4).

use std::net::SocketAddr;
use std::path::Path;

const MODULES: [&str; 4] = [
    "/usr/lib/apache2/modules",
    "/usr/lib64/httpd/modules",
    "/usr/lib/httpd/modules",
    "/usr/lib64/apache2",
];
/// What it needs: the name of the module, and of its file.
const NEEDED: [(&str, &str); 3] = [
    ("mpm_event_module", "mod_mpm_event.so"),
    ("authz_core_module", "mod_authz_core.so"),
    ("unixd_module", "mod_unixd.so"),
];
const LEAST_THREADS: u32 = 64;
const MOST_THREADS: u32 = 1024;
const LEAST_PROCESSES: u32 = 4;
const MOST_PROCESSES: u32 = 16;
/// Connections for which there is a further process.
const OF_A_PROCESS: u32 = 256;

/// Serves the folder `pages` of `root` to so many connections that stay open. It listens on the run's address only, writes
/// nothing outside of `root`, and logs errors alone.
pub fn configuration(root: &Path, at: SocketAddr, connections: u32) -> String {
    let root = root.display();
    let folder = MODULES.iter().find(|one| Path::new(one).is_dir());
    let folder = folder.unwrap_or(&MODULES[0]);
    let load = NEEDED.map(|(name, file)| match Path::new(folder).join(file).exists() {
        true => format!("<IfModule !{name}>\nLoadModule {name} {folder}/{file}\n</IfModule>\n"),
        false => String::new(),
    });
    // A thread for each connection: where all threads are busy, Apache closes connections that are idle.
    let processes = connections
        .div_ceil(OF_A_PROCESS)
        .clamp(LEAST_PROCESSES, MOST_PROCESSES);
    let threads = connections
        .div_ceil(processes)
        .clamp(LEAST_THREADS, MOST_THREADS);
    let all = processes * threads;
    let factor = connections.div_ceil(all) + 2;
    format!(
        "{}ServerRoot \"{root}\"\n\
         ServerName weft\n\
         PidFile \"{root}/server.pid\"\n\
         DefaultRuntimeDir \"{root}\"\n\
         ErrorLog \"{root}/error.log\"\n\
         LogLevel warn\n\
         Listen {at}\n\
         ServerLimit {processes}\n\
         ThreadLimit {threads}\n\
         ThreadsPerChild {threads}\n\
         ThreadStackSize 262144\n\
         MaxRequestWorkers {all}\n\
         AsyncRequestWorkerFactor {factor}\n\
         StartServers {processes}\n\
         MinSpareThreads {threads}\n\
         MaxSpareThreads {all}\n\
         MaxConnectionsPerChild 0\n\
         GracefulShutdownTimeout 1\n\
         KeepAlive On\n\
         MaxKeepAliveRequests 0\n\
         KeepAliveTimeout 3600\n\
         FileETag None\n\
         DocumentRoot \"{root}/pages\"\n\
         <Directory \"{root}/pages\">\nAllowOverride None\nOptions None\nRequire all granted\n</Directory>\n",
        load.concat()
    )
}
