//! When the responder last had a datagram of this watch from each address: what a link needs to tell a path that is cut
//! from one that loses only what goes out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

const MOST: usize = 1024;

#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<HashMap<IpAddr, Instant>>>);

impl Heard {
    pub fn note(&self, from: IpAddr, now: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST || known.contains_key(&from.to_canonical()) {
            known.insert(from.to_canonical(), now);
        }
    }

    /// Whether the last one came between these times.
    pub fn is_between(&self, from: IpAddr, begin: Instant, end: Instant) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = known.get(&from.to_canonical());
        last.is_some_and(|at| (begin..end).contains(at))
    }
}

/// Tells, once for each row of losses, that the peer's datagrams arrive while ours are lost.
pub struct OneWay {
    heard: Heard,
    /// Since when a datagram was on its way after the first loss, and whether it was said.
    losing: Option<(Instant, bool)>,
}

/// So many in a row may be chance.
const LEAST_LOST: u32 = 3;

impl OneWay {
    pub fn new(heard: Heard) -> OneWay {
        OneWay {
            heard,
            losing: None,
        }
    }

    /// Take one probe into account; true when it is to be said. `ended` is the time of its answer or its time-out. The
    /// peer must have been heard between two of our losses: what comes in when a cut is over is no sign.
    pub fn observe(
        &mut self,
        peer: IpAddr,
        lost_in_a_row: u32,
        began: Instant,
        ended: Instant,
    ) -> bool {
        if lost_in_a_row == 0 {
            self.losing = None;
            return false;
        }
        let (since, is_said) = *self.losing.get_or_insert((ended, false));
        let is_new =
            !is_said && lost_in_a_row >= LEAST_LOST && self.heard.is_between(peer, since, began);
        self.losing = Some((since, is_said || is_new));
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// What is said for losses at each second, with the peer heard at `heard_s`.
    fn said(heard_s: f64, losses: u32) -> Vec<u32> {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let heard = Heard::default();
        let mut link = OneWay::new(heard.clone());
        let observed = (1..=losses).filter(|lost| {
            let began = f64::from(*lost);
            if heard_s < began + 0.3 {
                heard.note(PEER, at(heard_s));
            }
            link.observe(PEER, *lost, at(began), at(began + 0.3))
        });
        observed.collect()
    }

    #[test]
    fn a_peer_that_is_heard_between_losses_is_said_once() {
        assert_eq!(said(2.5, 10), [3]);
        assert_eq!(said(6.5, 10), [7]);
    }

    #[test]
    fn a_peer_that_is_heard_before_or_at_the_end_is_no_sign() {
        assert_eq!(said(0.9, 10), [0; 0]);
        assert_eq!(said(1.2, 10), [0; 0]);
        assert_eq!(said(10.1, 10), [0; 0]);
        assert_eq!(said(1.5, 2), [0; 0]);
    }
}
