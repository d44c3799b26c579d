//! GOAL as LogGOPSim's `txt2bin` writes it for the simulator (spcl/LogGOPSim, src/LogGOPSim/Parser.hpp).
//!
//! A cookie; ranks, processors, interfaces; by rank where its part begins and ends, from behind the cookie. A part has
//! its operations, those that need nothing, and behind them what depends on each. All numbers are packed, little-endian.

use super::{Action, Message, Need, Node, Operation, Program, Until, check_amount};

/// What a file begins with.
pub const COOKIE: u64 = 4223;
const COOKIE_BYTES: usize = 8;
/// What the simulator leaves where it used a file up.
const USED_UP: u64 = 2342;
const HEAD_BYTES: usize = 6;
const OPERATION_BYTES: usize = 39;
const SEND: u8 = 1;
const RECEIVE: u8 = 2;
const COMPUTE: u8 = 3;

/// Reads a program.
pub fn parse(bytes: &[u8]) -> Result<Program, String> {
    let mut cookie = Cursor { bytes, at: 0 };
    match cookie.u64()? {
        COOKIE => {}
        USED_UP => {
            return Err("was used up by a simulation (--save-mem); convert it anew".to_owned());
        }
        _ => return Err("is no binary GOAL file".to_owned()),
    }
    let bytes = &bytes[COOKIE_BYTES..];
    let mut head = Cursor { bytes, at: 0 };
    let ranks = head.u32()?;
    check_amount(ranks.into(), (bytes.len() / OPERATION_BYTES) as u64)?;
    head.at = HEAD_BYTES;
    let part = |_| {
        let (from, to) = (head.u64()?, head.u64()?);
        let part = bytes.get(from as usize..to as usize);
        read_node(part.ok_or_else(cut_off)?)
    };
    let nodes = (0..ranks).map(part).collect::<Result<_, _>>()?;
    Ok(Program { nodes })
}

fn read_node(bytes: &[u8]) -> Result<Node, String> {
    let mut cursor = Cursor { bytes, at: 0 };
    let (count, roots) = (cursor.u32()?, cursor.u32()?);
    cursor.at += 4 * roots as usize;
    let appendix = cursor.at + OPERATION_BYTES * count as usize;
    let mut node = Node::default();
    for on in 0..count {
        node.operations.push(read_operation(&mut cursor)?);
        for until in [Until::Ended, Until::Begun] {
            let (dependents, from) = (cursor.u32()?, cursor.u32()?);
            let at = appendix + 4 * from as usize;
            let mut list = Cursor { bytes, at };
            for _ in 0..dependents {
                let operation = list.u32()?;
                node.needs.push(Need {
                    operation,
                    on,
                    until,
                });
            }
        }
    }
    Ok(node)
}

fn read_operation(cursor: &mut Cursor<'_>) -> Result<Operation, String> {
    let _needs = cursor.u32()?;
    let kind = cursor.u8()?;
    let (peer, bytes, tag) = (cursor.u32()?, cursor.u64()?, cursor.u32()?);
    let message = Message { peer, bytes, tag };
    let action = match kind {
        SEND => Action::Send(message),
        RECEIVE => Action::Receive(message),
        COMPUTE => Action::Compute { ns: bytes },
        _ => return Err(format!("an operation of kind {kind}; known: 1, 2 and 3")),
    };
    if kind != COMPUTE && (peer == u32::MAX || tag == u32::MAX) {
        return Err("any rank or tag (-1) is not replayed; name those that were met".to_owned());
    }
    let (cpu, nic) = (cursor.u8()?, cursor.u8()?);
    Ok(Operation { action, cpu, nic })
}

/// Writes a program.
pub fn write(program: &Program) -> Vec<u8> {
    let operations = || program.nodes.iter().flat_map(|node| &node.operations);
    let mut bytes = COOKIE.to_le_bytes().to_vec();
    bytes.extend((program.nodes.len() as u32).to_le_bytes());
    bytes.push(operations().map(|one| one.cpu).max().unwrap_or(0));
    bytes.push(operations().map(|one| one.nic).max().unwrap_or(0));
    let parts: Vec<_> = program.nodes.iter().map(write_node).collect();
    let mut from = (HEAD_BYTES + 16 * parts.len()) as u64;
    for part in &parts {
        let to = from + part.len() as u64;
        bytes.extend(from.to_le_bytes());
        bytes.extend(to.to_le_bytes());
        from = to;
    }
    bytes.extend(parts.into_iter().flatten());
    bytes
}

fn write_node(node: &Node) -> Vec<u8> {
    let mut needs = vec![0u32; node.operations.len()];
    let mut dependents = vec![[Vec::new(), Vec::new()]; node.operations.len()];
    for need in &node.needs {
        needs[need.operation as usize] += 1;
        let kind = usize::from(need.until == Until::Begun);
        dependents[need.on as usize][kind].push(need.operation);
    }
    let free: Vec<u32> = (0..)
        .zip(&needs)
        .filter(|(_, count)| **count == 0)
        .map(|(at, _)| at)
        .collect();
    let mut bytes = Vec::new();
    let mut put = |number: u32| bytes.extend(number.to_le_bytes());
    put(node.operations.len() as u32);
    put(free.len() as u32);
    free.into_iter().for_each(put);
    let mut from = 0;
    for ((one, needs), dependents) in node.operations.iter().zip(&needs).zip(&dependents) {
        write_operation(&mut bytes, one, *needs);
        for list in dependents {
            bytes.extend((list.len() as u32).to_le_bytes());
            bytes.extend(u32::to_le_bytes(from));
            from += list.len() as u32;
        }
    }
    for operation in dependents.iter().flatten().flatten() {
        bytes.extend(operation.to_le_bytes());
    }
    bytes
}

fn write_operation(bytes: &mut Vec<u8>, one: &Operation, needs: u32) {
    let (kind, peer, amount, tag) = match one.action {
        Action::Send(to) => (SEND, to.peer, to.bytes, to.tag),
        Action::Receive(of) => (RECEIVE, of.peer, of.bytes, of.tag),
        Action::Compute { ns } => (COMPUTE, 0, ns, 0),
    };
    bytes.extend(needs.to_le_bytes());
    bytes.push(kind);
    bytes.extend(peer.to_le_bytes());
    bytes.extend(amount.to_le_bytes());
    bytes.extend(tag.to_le_bytes());
    bytes.extend([one.cpu, one.nic]);
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let rest = self.bytes.get(self.at..).ok_or_else(cut_off)?;
        let found = rest.first_chunk::<N>().ok_or_else(cut_off)?;
        self.at += N;
        Ok(*found)
    }

    fn u8(&mut self) -> Result<u8, String> {
        self.take().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.take().map(u64::from_le_bytes)
    }
}

fn cut_off() -> String {
    "ends before its last operation; it is damaged, or was cut off".to_owned()
}
