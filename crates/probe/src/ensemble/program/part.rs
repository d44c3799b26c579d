//! A member's part in a program, made ready to be carried out.

use weft_plan::program::{Action, Node, Own};
use weft_plan::{Pattern, Piece, Script, StopRule};

use super::super::channels::{Content, Done, End, Memory};
use super::super::error::SessionError;
use super::request::{Phase, Programs};

/// Operations, whom their messages go to, and what they carry.
pub struct Part {
    pub phase: u32,
    pub own: Own,
    pub trials: u32,
    /// The member that each rank is.
    ranks: Vec<u32>,
    networks: u32,
    data: Option<Data>,
}

/// The buffer of a collective is at the beginning of the memory, and behind it what is on its way.
struct Data {
    script: Script,
    /// By operation: where its message lies while it is on its way. Operations of different rounds share places.
    places: Vec<u64>,
    total_bytes: u64,
}

impl Part {
    pub fn of(
        asked: &Programs,
        phase: &Phase,
        node: u32,
        networks: u32,
    ) -> Result<Part, SessionError> {
        let rank = asked.ranks.iter().position(|one| *one == node);
        let rank =
            rank.ok_or_else(|| SessionError::bad_request(format!("node {node} has no rank")))?;
        let (own, data) = match (&phase.node, &asked.step.pattern) {
            (Some(given), _) => (Own::of(given.clone()), None),
            (None, Pattern::Collective(collective)) => {
                let ranks = asked.ranks.len() as u32;
                let sizes = asked.step.sizes.sizes();
                let script = collective.script_of(phase.phase, &sizes, rank as u32, ranks);
                let script = script.map_err(SessionError::bad_request)?;
                (Own::of(script.node.clone()), Some(Data::of(script)))
            }
            (None, pattern) => (Own::of(own_node(asked, phase, rank, pattern)?), None),
        };
        let part = Part {
            phase: phase.phase,
            own,
            trials: trials(&asked.step.stop),
            ranks: asked.ranks.clone(),
            networks,
            data,
        };
        part.check(rank as u32)?;
        Ok(part)
    }

    fn check(&self, rank: u32) -> Result<(), SessionError> {
        let messages = self
            .own
            .operations()
            .iter()
            .filter_map(|one| one.action.message());
        let is_wrong = |peer: &u32| *peer == rank || *peer as usize >= self.ranks.len();
        match messages.map(|message| message.peer).find(is_wrong) {
            Some(peer) => Err(SessionError::bad_request(format!(
                "phase {}: rank {rank} has a message to or from rank {peer}",
                self.phase
            ))),
            None => Ok(()),
        }
    }

    /// The channels that it sends over.
    pub fn ends(&self) -> Vec<End> {
        let operations = (0..).zip(self.own.operations());
        let sends = operations.filter(|(_, one)| matches!(one.action, Action::Send(_)));
        let mut ends: Vec<End> = sends.map(|(operation, _)| self.end(operation)).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// The other end of a message; each interface of a rank is on a network, as far as there are so many.
    pub fn end(&self, operation: u32) -> End {
        let one = self.own.operations()[operation as usize];
        let peer = one.action.message().map_or(0, |message| message.peer);
        End {
            node: self.ranks[peer as usize],
            network: u32::from(one.nic) % self.networks,
        }
    }

    /// What a message carries.
    pub fn content(&self, operation: u32) -> Content {
        let action = self.own.operations()[operation as usize].action;
        let bytes = action.message().map_or(0, |message| message.bytes);
        match &self.data {
            Some(data) => Content::Stored {
                at: data.places[operation as usize],
                bytes,
            },
            None => Content::Generated { bytes },
        }
    }

    /// Whether a message has come without its content, since its source has been stopped.
    pub fn is_emptied(&self, done: &Done) -> bool {
        let bytes = self.content(done.token).bytes();
        let is_less = done.message.is_some_and(|message| message.bytes < bytes);
        is_less && self.own.stop().is_some()
    }

    /// How much memory its messages take.
    pub fn memory_bytes(&self) -> u64 {
        self.data.as_ref().map_or(0, |data| data.total_bytes)
    }

    /// Write what the member has in the beginning.
    pub fn fill(&self, memory: &mut Memory) {
        if let Some(data) = &self.data {
            data.script.fill(memory.stored_mut(0..data.script.bytes()));
        }
    }

    /// Take what a send carries out of the buffer.
    pub fn pack(&self, operation: u32, memory: &mut Memory) {
        let Some((piece, mut at)) = self.piece(operation) else {
            return;
        };
        for range in &piece.ranges {
            let bytes = range.end - range.start;
            memory.copy(range.clone(), at);
            at += bytes;
        }
    }

    /// Whether messages carry a buffer's bytes.
    pub fn carries_data(&self) -> bool {
        self.data.is_some()
    }

    /// Whether an operation is a receive that adds to the buffer.
    pub fn adds(&self, operation: u32) -> bool {
        let action = self.own.operations()[operation as usize].action;
        let receives = matches!(action, Action::Receive(_));
        receives && self.piece(operation).is_some_and(|(piece, _)| piece.adds)
    }

    /// Put what a receive has brought into the buffer.
    pub fn unpack(&self, operation: u32, memory: &mut Memory) {
        let Some((piece, mut at)) = self.piece(operation) else {
            return;
        };
        for range in &piece.ranges {
            let bytes = range.end - range.start;
            match piece.adds {
                true => memory.add(at..at + bytes, range.start),
                false => memory.copy(at..at + bytes, range.start),
            }
            at += bytes;
        }
    }

    /// Whether the member has in the end what it should have.
    pub fn check_result(&self, memory: &Memory) -> Result<(), SessionError> {
        let Some(data) = &self.data else {
            return Ok(());
        };
        let outcome = data.script.check(memory.stored(0..data.script.bytes()));
        outcome.map_err(|wrong| SessionError::Failed {
            code: "wrong-result",
            message: format!(
                "the result of phase {} is wrong: element {} is {}, should be {}",
                self.phase, wrong.at, wrong.found, wrong.right
            ),
            peers: Vec::new(),
        })
    }

    fn piece(&self, operation: u32) -> Option<(&Piece, u64)> {
        let data = self.data.as_ref()?;
        let piece = data.script.pieces[operation as usize].as_ref()?;
        Some((piece, data.places[operation as usize]))
    }
}

impl Data {
    fn of(script: Script) -> Data {
        let (places, total_bytes) = script.places();
        Data {
            script,
            places,
            total_bytes,
        }
    }
}

/// This member's part of what the pattern says.
fn own_node(
    asked: &Programs,
    phase: &Phase,
    rank: usize,
    pattern: &Pattern,
) -> Result<Node, SessionError> {
    let (sizes, ranks) = (asked.step.sizes.sizes(), asked.ranks.len());
    let program = pattern.program(phase.phase, &sizes, ranks);
    let nothing = || {
        let name = pattern.name();
        Err(format!(
            "pattern {name:?} says nothing of this member's part"
        ))
    };
    let program = program.unwrap_or_else(nothing);
    let mut program = program.map_err(SessionError::bad_request)?;
    Ok(program.nodes.swap_remove(rank))
}

fn trials(stop: &StopRule) -> u32 {
    match stop {
        StopRule::Count { trials, .. } | StopRule::Time { trials, .. } => *trials,
    }
}
