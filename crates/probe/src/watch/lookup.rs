//! Names of peers: looked up by the system's own `getent`, since a static program has no resolver, beside the probing.

use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

const AGAIN_AFTER: Duration = Duration::from_secs(300);
const AGAIN_IN_TROUBLE: Duration = Duration::from_secs(10);

/// The address of a peer, as it was found last.
pub struct Lookup {
    name: String,
    address: Option<IpAddr>,
    is_literal: bool,
    answer: Option<Receiver<Vec<IpAddr>>>,
    asked: Option<Instant>,
    is_known: bool,
}

/// What a lookup has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    Address(Option<IpAddr>, IpAddr),
    NameUnknown,
    NameKnown,
}

impl Lookup {
    pub fn new(name: &str) -> Lookup {
        let address = name.parse().ok();
        Lookup {
            name: name.to_owned(),
            address,
            is_literal: address.is_some(),
            answer: None,
            asked: None,
            is_known: true,
        }
    }

    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Ask where it is time to, and take what has been answered; waits for nothing.
    pub fn advance(&mut self, is_in_trouble: bool) -> Option<Change> {
        if self.is_literal {
            return None;
        }
        let patience = if is_in_trouble || self.address.is_none() {
            AGAIN_IN_TROUBLE
        } else {
            AGAIN_AFTER
        };
        if self.answer.is_none() && self.asked.is_none_or(|asked| asked.elapsed() >= patience) {
            self.ask();
        }
        match self.answer.as_ref()?.try_recv() {
            Ok(found) => {
                self.answer = None;
                self.take(&found)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.answer = None;
                self.take(&[])
            }
        }
    }

    fn ask(&mut self) {
        let (sender, answer) = channel();
        let name = self.name.clone();
        let asking = thread::Builder::new().stack_size(128 << 10);
        let started = asking.spawn(move || {
            let _ = sender.send(look_up(&name));
        });
        self.answer = started.is_ok().then_some(answer);
        self.asked = Some(Instant::now());
    }

    /// An address stays while it is among those found: names with several give them in turn.
    fn take(&mut self, all: &[IpAddr]) -> Option<Change> {
        let kept = self.address.filter(|known| all.contains(known));
        let found = kept.or(all.first().copied());
        let was_known = std::mem::replace(&mut self.is_known, found.is_some());
        match found {
            None if was_known => Some(Change::NameUnknown),
            None => None,
            Some(address) if self.address != Some(address) => {
                Some(Change::Address(self.address.replace(address), address))
            }
            Some(_) if !was_known => Some(Change::NameKnown),
            Some(_) => None,
        }
    }
}

/// All addresses that the system gives, those of IPv4 first.
fn look_up(name: &str) -> Vec<IpAddr> {
    let output = Command::new("getent")
        .args(["ahosts", name])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let text = output.map_or_else(|_| Vec::new(), |output| output.stdout);
    parse(&String::from_utf8_lossy(&text))
}

/// A line has an address and what it is for; each address has several.
fn parse(text: &str) -> Vec<IpAddr> {
    let words = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let mut found: Vec<IpAddr> = words.filter_map(|word| word.parse().ok()).collect();
    found.sort_by_key(IpAddr::is_ipv6);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_changes_and_a_name_that_is_lost_are_said_once() {
        let mut lookup = Lookup::new("cluster.example");
        let [one, two]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        assert_eq!(lookup.take(&[one]), Some(Change::Address(None, one)));
        assert_eq!(lookup.take(&[one]), None);
        assert_eq!(lookup.take(&[]), Some(Change::NameUnknown));
        assert_eq!(lookup.take(&[]), None);
        assert_eq!(lookup.address(), Some(one));
        assert_eq!(lookup.take(&[one]), Some(Change::NameKnown));
        assert_eq!(lookup.take(&[two]), Some(Change::Address(Some(one), two)));
    }

    #[test]
    fn of_several_addresses_the_one_in_use_stays_and_ipv4_comes_first() {
        let text = "2001:db8::1     STREAM cluster.example\n2001:db8::1     DGRAM\n\
                    10.0.0.1        STREAM\n10.0.0.2        STREAM\n";
        let found = parse(text);
        let mut lookup = Lookup::new("cluster.example");
        let [one, two]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        assert_eq!(lookup.take(&found), Some(Change::Address(None, one)));
        assert_eq!(lookup.take(&[two, one]), None);
        assert_eq!(lookup.address(), Some(one));
        assert_eq!(parse("2001:db8::1 STREAM a\n").len(), 1);
        assert!(parse("").is_empty());
    }
}
