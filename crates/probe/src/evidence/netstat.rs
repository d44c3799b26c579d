//! The counters of the network namespace, as `nstat` names them (/proc/net/netstat and /proc/net/snmp).

use super::text::{Format, See};

pub const PATHS: [&str; 2] = [
    "/proc/thread-self/net/netstat",
    "/proc/thread-self/net/snmp",
];

/// Among them are some settings, and the number of connections just now.
const NO_COUNTERS: [&str; 7] = [
    "Forwarding",
    "DefaultTTL",
    "RtoAlgorithm",
    "RtoMin",
    "RtoMax",
    "MaxConn",
    "CurrEstab",
];

pub struct Netstat;

impl Format for Netstat {
    /// Two lines for each protocol: names, then numbers.
    fn visit(&self, text: &str, see: &mut See) {
        let mut lines = text.lines();
        while let (Some(names), Some(numbers)) = (lines.next(), lines.next()) {
            let mut names = names.split_ascii_whitespace();
            let protocol = names.next().unwrap_or("").trim_end_matches(':');
            let numbers = numbers.split_ascii_whitespace().skip(1);
            for (name, number) in names.zip(numbers) {
                if !NO_COUNTERS.contains(&name) {
                    let number = number.parse().unwrap_or(0);
                    see(None, number, &|| format!("nstat:{protocol}{name}"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn a_name_is_the_protocols_and_its_own() {
        let text = "TcpExt: SyncookiesSent TCPTimeouts\nTcpExt: 0 7\nTcp: MaxConn RetransSegs\nTcp: -1 3\n";
        let all = found(&Netstat, text);
        let wanted = [
            ("nstat:TcpExtSyncookiesSent".to_owned(), None, 0),
            ("nstat:TcpExtTCPTimeouts".to_owned(), None, 7),
            ("nstat:TcpRetransSegs".to_owned(), None, 3),
        ];
        assert_eq!(all, wanted);
    }
}
