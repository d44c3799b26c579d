//! Folders and files of which only this user may have a part: others may have prepared a place in a shared folder.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::process::geteuid;

const OTHERS_WRITE: u32 = 0o022;
const NO_LINK: i32 = OFlags::NOFOLLOW.bits() as i32;

/// The folder `base`, with folders in it, one in the other. Each is made where it is not there, for this user only;
/// one that is a link, belongs to another user or lets others write is refused.
pub fn folder(base: &Path, inner: &[&str]) -> io::Result<PathBuf> {
    if let Some(above) = base.parent() {
        fs::create_dir_all(above)?;
    }
    let mut path = base.to_owned();
    own(&path)?;
    for name in inner {
        path.push(name);
        own(&path)?;
    }
    Ok(path)
}

fn own(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => (),
    }
    let found = fs::symlink_metadata(path)?;
    let why_not = if found.is_symlink() {
        "is a link"
    } else if !found.is_dir() {
        "is no folder"
    } else if found.uid() != geteuid().as_raw() {
        "belongs to another user"
    } else if found.mode() & OTHERS_WRITE != 0 {
        "lets other users write into it"
    } else {
        return match found.mode() & 0o077 {
            0 => Ok(()),
            _ => fs::set_permissions(path, Permissions::from_mode(0o700)),
        };
    };
    let said = format!("{} {why_not}: remove it, or set HOME", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, said))
}

/// Put a file in the place of another at once; only this user may read it, from its first byte on.
pub fn replace(path: &Path, bytes: &[u8], is_synced: bool) -> io::Result<()> {
    let temporary = path.with_extension("new");
    let outcome = fresh(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            if is_synced { file.sync_all() } else { Ok(()) }
        })
        .and_then(|()| fs::rename(&temporary, path));
    if outcome.is_err() {
        let _ = fs::remove_file(temporary);
    }
    outcome
}

/// A new file; what an earlier process left under the name goes.
fn fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => (),
    }
    let mut how = OpenOptions::new();
    how.write(true).create_new(true).mode(0o600);
    how.custom_flags(NO_LINK).open(path)
}

/// Open a file of this user's; a link, or a file of another user, is refused.
pub fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(NO_LINK)
        .open(path)?;
    if file.metadata()?.uid() == geteuid().as_raw() {
        return Ok(file);
    }
    let said = format!("{} belongs to another user", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, said))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("weft-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        path
    }

    #[test]
    fn folders_are_this_users_alone() {
        let base = place("private").join("base");
        let made = folder(&base, &["watch", "a"]).unwrap();
        assert_eq!(made, base.join("watch/a"));
        assert_eq!(fs::metadata(&made).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&base, Permissions::from_mode(0o755)).unwrap();
        folder(&base, &[]).unwrap();
        assert_eq!(fs::metadata(&base).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&base, Permissions::from_mode(0o777)).unwrap();
        let refused = folder(&base, &[]).unwrap_err();
        assert!(refused.to_string().contains("lets other users write"));
    }

    #[test]
    fn links_that_others_planted_are_not_followed() {
        let here = place("links");
        fs::create_dir(here.join("elsewhere")).unwrap();
        symlink(here.join("elsewhere"), here.join("base")).unwrap();
        let refused = folder(&here.join("base"), &[]).unwrap_err();
        assert!(refused.to_string().contains("is a link"));

        let victim = here.join("victim");
        fs::write(&victim, "mine").unwrap();
        symlink(&victim, here.join("config.new")).unwrap();
        symlink(&victim, here.join("config.json")).unwrap();
        assert!(open(&here.join("config.json")).is_err());
        replace(&here.join("config.json"), b"{}", true).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
        let written = fs::symlink_metadata(here.join("config.json")).unwrap();
        assert_eq!((written.is_file(), written.mode() & 0o777), (true, 0o600));
    }
}
