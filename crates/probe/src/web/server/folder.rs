//! The server's folder: its configuration, its pages, what it writes.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::listener::token::nonce;

/// The user that a server runs as where this agent is root, unless the system has other numbers for `nobody`.
const NOBODY: u32 = 65534;

/// A temporary folder, removed when it is dropped.
pub struct Folder {
    pub path: PathBuf,
    /// User and group that own it, where they are not those of this process.
    pub owner: Option<(u32, u32)>,
}

impl Folder {
    /// Make one with a page of each size, in a folder of that name in `pages`.
    pub fn make(name: &str, sizes: &[u64]) -> io::Result<Folder> {
        let random: String = nonce()?[..8]
            .iter()
            .map(|one| format!("{one:02x}"))
            .collect();
        let path = std::env::temp_dir().join(format!("weft-web-{random}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        let folder = Folder {
            path,
            owner: geteuid().is_root().then(nobody),
        };
        let pages = folder.path.join("pages").join(name);
        fs::create_dir_all(&pages)?;
        for size in sizes {
            let mut file = File::create(pages.join(size.to_string()))?;
            // No two blocks are alike, so that nothing on the way can be clever about them.
            let mut bytes = File::open("/dev/urandom")?.take(*size);
            io::copy(&mut bytes, &mut file)?;
        }
        Ok(folder)
    }

    /// Write the server's configuration, and give all to the user that the server runs as.
    pub fn configure(&self, text: &str) -> io::Result<PathBuf> {
        let file = self.path.join("server.conf");
        fs::write(&file, text)?;
        if let Some(owner) = self.owner {
            hand_over(&self.path, owner)?;
        }
        Ok(file)
    }

    /// What the server said last: in its log, or before it had one.
    pub fn last_words(&self) -> String {
        let files = ["error.log", "stderr"].map(|name| self.path.join(name));
        let texts = files.map(|file| fs::read_to_string(file).unwrap_or_default());
        let lines = texts.iter().flat_map(|text| text.lines());
        let mut words = lines.filter(|line| {
            ["error", "emerg", "crit", "AH0"]
                .iter()
                .any(|one| line.contains(one))
        });
        words.next_back().unwrap_or_default().trim().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing can be done about one that stays.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn hand_over(path: &Path, owner: (u32, u32)) -> io::Result<()> {
    chown(path, Some(owner.0), Some(owner.1))?;
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            hand_over(&entry?.path(), owner)?;
        }
    }
    Ok(())
}

fn nobody() -> (u32, u32) {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut numbers = users.lines().filter_map(|line| {
        let mut fields = line.strip_prefix("nobody:")?.split(':').skip(1);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    });
    numbers.next().unwrap_or((NOBODY, NOBODY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_a_page_of_each_size_and_goes_away() {
        let folder = Folder::make("secret", &[5, 300_000]).expect("a folder");
        let path = folder.path.clone();
        let page = fs::metadata(path.join("pages/secret/300000")).expect("a page");
        assert_eq!(page.len(), 300_000);
        drop(folder);
        assert!(!path.exists());
    }
}
