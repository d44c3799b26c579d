//! Whether the interface that probes of a link leave by has a link itself, and what it counts as errors.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::episode::{Episode, Limits, Span};
use crate::system::interfaces;
use crate::watch::notes::{LinkState, Notes};

/// Routes change.
const FIND_EVERY_S: f64 = 60.0;
/// Down for any part of a look is down.
const DOWN: Limits = Limits {
    high: 1.0,
    low: 1.0,
};
/// A second.
const ERRORS: Limits = Limits {
    high: 10.0,
    low: 1.0,
};

/// By interface, since it is there.
pub type Errors = BTreeMap<String, u64>;

pub struct Carrier {
    interface: Option<String>,
    found_s: f64,
    down: Episode,
    errors: Episode,
    last_errors: Option<u64>,
}

impl Default for Carrier {
    fn default() -> Carrier {
        Carrier {
            interface: None,
            found_s: f64::NEG_INFINITY,
            down: Episode::new(DOWN),
            errors: Episode::new(ERRORS),
            last_errors: None,
        }
    }
}

impl Carrier {
    /// `errors` are those that each interface counts.
    pub fn look(&mut self, link: &LinkState, errors: &Errors, look: (f64, f64), notes: &Notes) {
        self.find(link, look.1);
        let Some(interface) = self.interface.clone() else {
            return;
        };
        let is_down = !interfaces::is_running(&interface);
        let down = self.down.observe(look, f64::from(u8::from(is_down)));
        self.say_down(link.link, down, look.1, notes);
        let counted = errors.get(&interface).copied();
        if let (Some(now), Some(last)) = (counted, self.last_errors) {
            let rate = now.saturating_sub(last) as f64 / (look.1 - look.0);
            let errors = self.errors.observe(look, rate);
            self.say_errors(link.link, errors, look.1, notes);
        }
        self.last_errors = counted;
    }

    pub fn end(&mut self, link: i16, now_s: f64, notes: &Notes) {
        let (down, errors) = (self.down.end(), self.errors.end());
        self.say_down(link, down, now_s, notes);
        self.say_errors(link, errors, now_s, notes);
    }

    /// One that is down has no route: then the one before is meant still.
    fn find(&mut self, link: &LinkState, now_s: f64) {
        if self.interface.is_some() && now_s - self.found_s < FIND_EVERY_S {
            return;
        }
        self.found_s = now_s;
        let peer = link.address.parse().ok();
        if let Some(found) = peer.and_then(|peer| interface_to(link.from, peer)) {
            if self.interface.as_ref() != Some(&found) {
                self.last_errors = None;
            }
            self.interface = Some(found);
        }
    }

    fn name(&self) -> &str {
        self.interface.as_deref().unwrap_or_default()
    }

    fn say_down(&self, link: i16, span: Option<Span>, now_s: f64, notes: &Notes) {
        let Some(span) = span else { return };
        let lasted = (now_s - span.begin_s, span.end_s - span.begin_s);
        if lasted.1 > 0.0 {
            let text = format!("{} had no link", self.name());
            notes.span("carrier-down", Some(link), lasted, text);
        }
        if span.is_over {
            let ago = (now_s - span.end_s, 0.0);
            notes.span("carrier-up", Some(link), ago, self.name());
        }
    }

    fn say_errors(&self, link: i16, span: Option<Span>, now_s: f64, notes: &Notes) {
        let Some(span) = span.filter(|span| span.end_s > span.begin_s) else {
            return;
        };
        let text = format!("{}: {:.0} errors a second", self.name(), span.mean);
        let lasted = (now_s - span.begin_s, span.end_s - span.begin_s);
        notes.span("device-errors", Some(link), lasted, text);
    }
}

/// The interface that packets to a peer leave by, as the kernel routes them; nothing is sent.
fn interface_to(from: Option<IpAddr>, peer: IpAddr) -> Option<String> {
    let any = match peer {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind(SocketAddr::new(from.unwrap_or(any), 0)).ok()?;
    socket.connect(SocketAddr::new(peer, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    let mut all = interfaces::addresses().into_iter();
    all.find(|one| one.ip == own).map(|one| one.interface)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_left_by_loopback() {
        for peer in [
            IpAddr::from(Ipv4Addr::LOCALHOST),
            Ipv6Addr::LOCALHOST.into(),
        ] {
            assert_eq!(interface_to(None, peer).as_deref(), Some("lo"));
        }
        assert!(interfaces::is_running("lo"));
        assert!(!interfaces::is_running("nothing0"));
    }
}
