//! Agents in one session on the loopback network.

use std::time::Duration;

use serde_json::{Value, json};

use crate::agent::{Agent, Row, Said};

/// What a node said about the phases that it was asked for.
#[derive(Debug, Default)]
pub struct Report {
    pub rows: Vec<Row>,
    pub over: Vec<Value>,
    pub alive: Vec<Value>,
    /// What it did with its time, of programs.
    pub spent: Vec<Value>,
    /// Why it did not come to the end.
    pub error: Option<Value>,
}

/// The agents of a session; some may have been lost.
pub struct Ensemble {
    pub agents: Vec<Option<Agent>>,
    pub ports: Vec<Vec<u16>>,
    pub token: String,
}

impl Ensemble {
    /// Agents that have joined.
    pub fn start(count: usize) -> Ensemble {
        Ensemble::start_with(count, &json!({}))
    }

    pub fn start_with(count: usize, options: &Value) -> Ensemble {
        let mut ensemble = Ensemble::started(count);
        ensemble.open(options);
        ensemble.join();
        ensemble
    }

    /// Agents without a session.
    pub fn started(count: usize) -> Ensemble {
        Ensemble {
            agents: (0..count).map(|_| Some(Agent::start())).collect(),
            ports: vec![Vec::new(); count],
            token: "5a".repeat(32),
        }
    }

    pub fn members(&self) -> Vec<usize> {
        let is_there = |node: &usize| self.agents[*node].is_some();
        (0..self.agents.len()).filter(is_there).collect()
    }

    pub fn agent(&mut self, node: usize) -> &mut Agent {
        self.agents[node].as_mut().unwrap()
    }

    /// Open two listeners at each node, for two networks.
    pub fn open(&mut self, options: &Value) {
        for node in self.members() {
            let request = json!({"type": "open", "node": node, "addresses": ["127.0.0.1", "127.0.0.2"],
                "options": options, "token": self.token});
            self.agent(node).send(&request);
            let answer = self.agent(node).expect("listening_on");
            self.ports[node] = serde_json::from_value(answer["ports"].clone()).unwrap();
        }
    }

    pub fn ask_to_join(&mut self, members: &[usize], connect_ms: u64) {
        for node in members {
            let others = members.iter().filter(|other| *other != node);
            let peers: serde_json::Map<_, _> = others
                .map(|other| (other.to_string(), json!(self.endpoints(*other))))
                .collect();
            let request = json!({"type": "join", "members": members, "peers": peers, "epoch_ns": 0,
                "connect_ms": connect_ms});
            if let Some(agent) = &mut self.agents[*node] {
                agent.send(&request);
            }
        }
    }

    pub fn join(&mut self) -> Vec<Value> {
        let members = self.members();
        self.ask_to_join(&members, 10_000);
        let mut joined = Vec::new();
        for node in members {
            joined.push(self.agent(node).expect("joined"));
        }
        joined
    }

    /// Give every node its part of phases.
    pub fn ask(&mut self, phases: &[Phase]) {
        for node in self.members() {
            self.ask_node(node, phases);
        }
    }

    pub fn ask_node(&mut self, node: usize, phases: &[Phase]) {
        let numbered = phases.iter().enumerate();
        let parts: Vec<Value> = numbered
            .map(|(index, phase)| phase.part(index, node))
            .collect();
        let request = json!({"type": "phases", "step_index": 4, "launch": 2, "phases": parts});
        self.agent(node).send(&request);
    }

    /// Follow all nodes to the end of what they were asked for.
    pub fn follow(&mut self) -> Vec<Report> {
        let members = self.members();
        members
            .into_iter()
            .map(|node| follow(self.agent(node)))
            .collect()
    }

    pub fn run(&mut self, phases: &[Phase]) -> Vec<Report> {
        self.ask(phases);
        self.follow()
    }

    /// All rows of phases that must go well.
    pub fn measure(&mut self, phases: &[Phase]) -> Vec<Row> {
        let reports = self.run(phases);
        for report in &reports {
            assert!(report.error.is_none(), "{:?}", report.error);
            assert_eq!(report.over.len(), phases.len());
            for over in &report.over {
                assert_eq!(over["failed"], json!([]));
            }
        }
        reports.into_iter().flat_map(|report| report.rows).collect()
    }

    /// End the session with one request or the other; returns how many strangers each node counted.
    pub fn end(&mut self, how: &str) -> Vec<u64> {
        let members = self.members();
        for node in &members {
            self.agent(*node).send(&json!({"type": how}));
        }
        members.iter().map(|node| left(self.agent(*node))).collect()
    }

    /// Wait until a node says that it is in a state.
    pub fn await_state(&mut self, node: usize, state: &str) -> Value {
        loop {
            let alive = self.agent(node).expect("alive");
            if alive["state"] == state {
                return alive;
            }
        }
    }

    pub fn kill(&mut self, node: usize) {
        self.agents[node] = None;
    }

    fn endpoints(&self, node: usize) -> Vec<String> {
        let ports = self.ports[node].iter().zip(["127.0.0.1", "127.0.0.2"]);
        ports
            .map(|(port, address)| format!("{address}:{port}"))
            .collect()
    }
}

fn follow(agent: &mut Agent) -> Report {
    let mut report = Report::default();
    loop {
        match agent.next() {
            Said::Samples(rows) => report.rows.extend(rows),
            Said::Message(message) => match message["type"].as_str().unwrap() {
                "phases_done" => return report,
                "phase_over" => report.over.push(message),
                "alive" => report.alive.push(message),
                "activities" => report.spent.push(message),
                "error" => {
                    report.error = Some(message);
                    return report;
                }
                other => panic!("unexpected {other}"),
            },
        }
    }
}

/// What comes before `left` does not matter to somebody who has said that it is over.
fn left(agent: &mut Agent) -> u64 {
    for _ in 0..10_000 {
        match agent.next_within(Duration::from_secs(2)) {
            Some(Said::Message(message)) if message["type"] == "left" => {
                return message["rejected"].as_u64().unwrap();
            }
            Some(_) => {}
            None => break,
        }
    }
    panic!("the agent did not leave within two seconds");
}

/// A phase, for all nodes.
pub struct Phase {
    pub work: &'static str,
    pub size_bytes: u64,
    pub stop: Value,
    /// Source, destination, streams, network.
    pub transfers: Vec<(usize, usize, u32, u32)>,
}

impl Phase {
    fn part(&self, index: usize, node: usize) -> Value {
        let of = |is_mine: &dyn Fn(usize, usize) -> bool, send: bool| -> Vec<Value> {
            let mine = self
                .transfers
                .iter()
                .filter(|(src, dst, ..)| is_mine(*src, *dst));
            mine.map(|(src, dst, streams, network)| match send {
                true => json!({"dst": dst, "streams": streams, "network": network}),
                false => json!({"src": src, "streams": streams, "network": network}),
            })
            .collect()
        };
        json!({"phase": index, "work": self.work, "size_bytes": self.size_bytes, "stop": self.stop,
            "chunk_bytes": (self.work == "cast").then_some(65_536),
            "send": of(&|src, _| src == node, true), "receive": of(&|_, dst| dst == node, false)})
    }
}

pub fn count(repeats: u32, trials: u32) -> Value {
    json!({"rule": "count", "repeats": repeats, "trials": trials})
}

pub fn time(trial_ms: u64, trials: u32) -> Value {
    json!({"rule": "time", "trial_ns": trial_ms * 1_000_000, "trials": trials, "at_least": 1, "at_most_ns": null})
}

/// Every node sends to the next.
pub fn ring(count: usize, streams: u32) -> Vec<(usize, usize, u32, u32)> {
    (0..count)
        .map(|node| (node, (node + 1) % count, streams, 0))
        .collect()
}

/// Every node sends to every other.
pub fn all_to_all(count: usize) -> Vec<(usize, usize, u32, u32)> {
    let pairs = (0..count).flat_map(|src| (0..count).map(move |dst| (src, dst, 1, 0)));
    pairs.filter(|(src, dst, ..)| src != dst).collect()
}

/// Each node passes on to the next, over each network.
pub fn chain(count: usize, networks: u32) -> Vec<(usize, usize, u32, u32)> {
    let links =
        (1..count).flat_map(|dst| (0..networks).map(move |network| (dst - 1, dst, 1, network)));
    links.collect()
}

pub fn stream(size_bytes: u64, stop: Value, transfers: Vec<(usize, usize, u32, u32)>) -> Phase {
    Phase {
        work: "stream",
        size_bytes,
        stop,
        transfers,
    }
}
