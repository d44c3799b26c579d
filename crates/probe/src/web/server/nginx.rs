//! nginx's configuration.

use std::net::SocketAddr;
use std::path::Path;

/// Serves the folder `pages` of `root` to so many connections that stay open. It listens on the run's address only, writes
/// nothing outside of `root`, and logs errors alone.
pub fn configuration(root: &Path, at: SocketAddr, connections: u32) -> String {
    let root = root.display();
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folders = kinds.map(|kind| format!("{kind}_temp_path \"{root}/{kind}\";\n"));
    format!(
        "daemon off;\n\
         worker_processes auto;\n\
         pid \"{root}/server.pid\";\n\
         error_log \"{root}/error.log\" warn;\n\
         events {{\nworker_connections {};\n}}\n\
         http {{\n{}\
         access_log off;\n\
         etag off;\n\
         sendfile on;\n\
         tcp_nopush on;\n\
         keepalive_timeout 3600s;\n\
         keepalive_requests 1000000000;\n\
         large_client_header_buffers 8 16k;\n\
         server {{\nlisten {at};\nroot \"{root}/pages\";\n}}\n}}\n",
        connections + 64,
        folders.concat()
    )
}
