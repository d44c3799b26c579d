//! How a value is read and set: files under /proc and /sys, or commands where no file serves.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::files;

/// Values by the file that has them; that of a command has no name.
pub type Values = BTreeMap<String, String>;

/// A file, all files where it has a "*", or a command; the value of one that reads follows the texts of `after`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Access {
    pub file: String,
    /// Files whose names stand for {each} in `file`.
    each: String,
    command: Vec<String>,
    after: Vec<String>,
}

impl Access {
    /// The values as they are, with single spaces.
    pub fn read(&self) -> io::Result<Values> {
        if self.file.is_empty() {
            let said = run(&self.command)?;
            return Ok(Values::from([(String::new(), self.value_in(&said)?)]));
        }
        let files = self.files()?;
        let read = |file: String| {
            let text = fs::read_to_string(files::place(&file)?)?;
            Ok((file, normal(&text)))
        };
        files.into_iter().map(read).collect()
    }

    /// Set all that it means to a value.
    pub fn write(&self, value: &str) -> io::Result<()> {
        if self.file.is_empty() {
            return run(&with_value(&self.command, value)).map(drop);
        }
        let files = self.files()?;
        files.iter().try_for_each(|file| write(file, value))
    }

    /// Set one of what it means, by the name under which `read` has it.
    pub fn write_one(&self, name: &str, value: &str) -> io::Result<()> {
        match name {
            "" => self.write(value),
            file => write(file, value),
        }
    }

    /// Why it cannot be set here, where that can be said without trying.
    pub fn why_not(&self) -> Option<String> {
        if self.file.is_empty() {
            return (!geteuid().is_root()).then(|| "needs root".to_owned());
        }
        let open = |file: &String| OpenOptions::new().write(true).open(files::place(file)?);
        let opened = self
            .files()
            .and_then(|files| files.iter().try_for_each(|file| open(file).map(drop)));
        match opened {
            Ok(()) => None,
            Err(_) if !geteuid().is_root() => Some("needs root".to_owned()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(
                "can be read only: it belongs to the host, not to this network namespace"
                    .to_owned(),
            ),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Whether its command prints a text.
    pub fn prints(&self, text: &str) -> bool {
        run(&self.command).is_ok_and(|said| said.contains(text))
    }

    fn files(&self) -> io::Result<Vec<String>> {
        let found = if self.each.is_empty() {
            files::matching(&self.file)?
        } else {
            let each = files::matching(&self.each)?;
            let names = each.iter().filter_map(|one| Path::new(one).file_name());
            names
                .map(|name| self.file.replace("{each}", &name.to_string_lossy()))
                .collect()
        };
        if found.is_empty() {
            let message = format!("there is no {}", self.file);
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        Ok(found)
    }

    fn value_in(&self, said: &str) -> io::Result<String> {
        let said = format!("\n{said}");
        let found = self.after.iter().try_fold(said.as_str(), |rest, text| {
            Some(&rest[rest.find(text)? + text.len()..])
        });
        let line = found.and_then(|rest| rest.lines().next()).unwrap_or("");
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (None | Some("n/a"), _) => Err(io::Error::other("the driver does not have it")),
            (_, Some("[fixed]")) => Err(io::Error::other("the driver has it fixed")),
            (Some(value), _) => Ok(value.to_owned()),
        }
    }
}

/// What a command prints; its complaint is the error.
fn run(command: &[String]) -> io::Result<String> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    // A login that is no shell of root's has often no folder of system programs in its path.
    let path = env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let mut child = Command::new(program);
    let child = child.args(arguments).env("PATH", path).env("LC_ALL", "C");
    let output = child
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other(format!("{program} is not installed")),
            _ => error,
        })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty());
    Err(io::Error::other(said.unwrap_or("it failed").to_owned()))
}

fn with_value(command: &[String], value: &str) -> Vec<String> {
    let words = command.iter().map(|word| word.replace("{value}", value));
    words.collect()
}

fn write(file: &str, value: &str) -> io::Result<()> {
    // Without creating or emptying anything: these are no ordinary files.
    let mut opened = OpenOptions::new().write(true).open(files::place(file)?)?;
    io::Write::write_all(&mut opened, value.as_bytes())
}

/// With single spaces.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two texts are the same value; a mask of processors may have zeros and commas that were not written.
pub fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (normal(a), normal(b));
    a == b || mask(&a).is_some_and(|one| Some(one) == mask(&b))
}

fn mask(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let is_mask = groups.all(|group| group.len() == 8);
    let digits = text.replace(',', "");
    let is_mask = is_mask && !first.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_mask.then(|| digits.trim_start_matches('0').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str], after: &[&str]) -> Access {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Access {
            command: owned(words),
            after: owned(after),
            ..Access::default()
        }
    }

    #[test]
    fn a_value_is_the_word_after_texts_that_follow_each_other() {
        let rings = "Pre-set maximums:\nRX:\t4096\nTX:\t4096\nCurrent hardware settings:\nRX:\t512\nTX:\tn/a\n";
        let of = |label| command(&["ethtool"], &["Current hardware settings:", label]);
        assert_eq!(of("\nRX:").value_in(rings).expect("a value"), "512");
        let refused = of("\nTX:").value_in(rings).expect_err("it has none");
        assert!(
            refused.to_string().contains("does not have it"),
            "{refused}"
        );
        let fixed = command(&["ethtool"], &["gro:"]).value_in("gro: off [fixed]");
        assert!(
            fixed
                .expect_err("it is fixed")
                .to_string()
                .contains("fixed")
        );
    }

    #[test]
    fn a_program_that_is_missing_is_named_and_a_complaint_is_passed_on() {
        let missing = command(&["no-such-program-of-weft"], &[]).read();
        let message = missing.expect_err("there is none").to_string();
        assert_eq!(message, "no-such-program-of-weft is not installed");
        let failing = command(&["sh", "-c", "echo no such device >&2; exit 1"], &[]).read();
        assert_eq!(failing.expect_err("it fails").to_string(), "no such device");
    }

    #[test]
    fn masks_are_the_same_with_zeros_in_front_and_lists_are_not_masks() {
        assert!(is_same("2", "00000000,00000002") && is_same("4096\t16384", "4096 16384"));
        assert!(!is_same("1,2", "12") && !is_same("2", "20") && !is_same("cubic", "reno"));
    }
}
