//! Which servers are installed.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use weft_plan::Server;

/// Where servers are though a user's search path may not have it.
const MORE_FOLDERS: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/sbin", "/usr/bin"];

/// A server program on this node.
pub struct Program {
    pub server: Server,
    pub path: PathBuf,
    /// As it says it itself.
    pub version: String,
}

impl Program {
    /// The one that was asked for, or the first that is installed.
    pub fn find(wanted: Option<Server>) -> io::Result<Program> {
        let all = [Server::Apache, Server::Nginx];
        let mut servers = all
            .into_iter()
            .filter(|one| wanted.is_none_or(|it| it == *one));
        let found = servers.find_map(|server| {
            let mut names = names(server).iter();
            names
                .find_map(|name| locate(name))
                .map(|path| (server, path))
        });
        let (server, path) = found.ok_or_else(|| missing(wanted))?;
        let version = version(&path)?;
        Ok(Program {
            server,
            path,
            version,
        })
    }

    pub fn name(&self) -> &'static str {
        names(self.server)[0]
    }
}

fn names(server: Server) -> &'static [&'static str] {
    match server {
        Server::Apache => &["apache2", "httpd"],
        Server::Nginx => &["nginx"],
    }
}

fn missing(wanted: Option<Server>) -> io::Error {
    let packages = match wanted {
        Some(Server::Apache) => {
            "Apache is not installed here: install the package apache2 (Debian) or httpd (Fedora)"
        }
        Some(Server::Nginx) => "nginx is not installed here: install the package nginx",
        None => {
            "no web server is installed here: install the package apache2 (Debian), httpd (Fedora) or nginx"
        }
    };
    io::Error::new(io::ErrorKind::NotFound, packages)
}

fn locate(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let more = MORE_FOLDERS.iter().map(PathBuf::from);
    let mut files = folders.into_iter().chain(more).map(|one| one.join(name));
    files.find(|file| file.is_file())
}

/// Apache says it on standard output, nginx on the other.
fn version(path: &Path) -> io::Result<String> {
    let said = Command::new(path).arg("-v").output()?;
    let text = [said.stdout, said.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find_map(|line| line.split_once("version: "));
    Ok(line.map_or("", |(_, version)| version).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_by_its_package() {
        assert!(missing(Some(Server::Nginx)).to_string().contains("nginx"));
        let both = missing(None).to_string();
        assert!(both.contains("apache2") && both.contains("nginx"), "{both}");
    }
}
