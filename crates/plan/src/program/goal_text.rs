//! GOAL as text, as LogGOPSim's `txt2bin` reads it (T. Hoefler, T. Schneider and A. Lumsdaine, "LogGOPSim", LSAP 2010).
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 100
//! l2: send 10b to 1 tag 0
//! l2 requires l1
//! }
//! rank 1 {
//! l1: recv 10b from 0 tag 0
//! }
//! ```

use std::collections::HashMap;
use std::fmt::Write;

use super::{Action, Message, Need, Node, Operation, Program, Until, check_amount};

const LINE: &str = "write for example `l2: send 10b to 1 tag 0`, `l1: recv 10b from 0`, `l3: calc 100` or `l2 requires l1`";

/// Reads a program; the error begins with the number of the line.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.lines()) {
        let read = reader.read_line(line);
        read.map_err(|why| format!("{number}: {why}"))?;
    }
    let last = text.lines().count();
    reader.finish().map_err(|why| format!("{last}: {why}"))
}

/// Writes a program.
pub fn write(program: &Program) -> String {
    let mut text = format!("num_ranks {}\n", program.nodes.len());
    for (rank, node) in program.nodes.iter().enumerate() {
        // Writing to a text cannot fail.
        let _ = write_node(&mut text, rank, node);
    }
    text
}

fn write_node(text: &mut String, rank: usize, node: &Node) -> std::fmt::Result {
    writeln!(text, "\nrank {rank} {{")?;
    for (number, one) in (1..).zip(&node.operations) {
        write!(text, "l{number}: ")?;
        match one.action {
            Action::Compute { ns } => write!(text, "calc {ns}")?,
            Action::Send(to) => write!(text, "send {}b to {} tag {}", to.bytes, to.peer, to.tag)?,
            Action::Receive(of) => {
                write!(text, "recv {}b from {} tag {}", of.bytes, of.peer, of.tag)?
            }
        }
        if one.cpu != 0 {
            write!(text, " cpu {}", one.cpu)?;
        }
        if one.nic != 0 && one.action.message().is_some() {
            write!(text, " nic {}", one.nic)?;
        }
        writeln!(text)?;
    }
    for need in &node.needs {
        let word = match need.until {
            Until::Ended => "requires",
            Until::Begun => "irequires",
        };
        writeln!(text, "l{} {word} l{}", need.operation + 1, need.on + 1)?;
    }
    writeln!(text, "}}")
}

#[derive(Default)]
struct Reader<'a> {
    program: Option<Program>,
    operations: u64,
    is_comment: bool,
    /// The rank whose block is open.
    rank: Option<usize>,
    labels: HashMap<&'a str, u32>,
}

impl<'a> Reader<'a> {
    fn read_line(&mut self, line: &'a str) -> Result<(), String> {
        let line = self.without_comments(line)?;
        let line = line.trim();
        match (line, self.rank) {
            ("", _) => Ok(()),
            ("}", Some(_)) => {
                self.rank = None;
                Ok(())
            }
            (_, Some(rank)) => self.read_operation(rank, line),
            (_, None) => self.read_head(line),
        }
    }

    /// Comments to the end of the line, and those of whole lines between `/*` and `*/`.
    fn without_comments(&mut self, line: &'a str) -> Result<&'a str, String> {
        if self.is_comment {
            let rest = line.split_once("*/").map(|(_, rest)| rest);
            self.is_comment = rest.is_none();
            return self.without_comments_after(rest.unwrap_or_default());
        }
        self.without_comments_after(line)
    }

    fn without_comments_after(&mut self, line: &'a str) -> Result<&'a str, String> {
        let line = line.split("//").next().unwrap_or_default();
        let Some((before, comment)) = line.split_once("/*") else {
            return Ok(line);
        };
        match comment.split_once("*/") {
            None => {
                self.is_comment = true;
                Ok(before)
            }
            Some((_, rest)) if before.trim().is_empty() => self.without_comments_after(rest),
            Some((_, rest)) if rest.trim().is_empty() => Ok(before),
            Some(_) => Err("a comment between words; put it behind them".to_owned()),
        }
    }

    fn read_head(&mut self, line: &'a str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), &self.program) {
            (["num_ranks", count], None) => {
                let ranks: u32 = number(count, "num_ranks")?;
                check_amount(ranks.into(), 0)?;
                self.program = Some(Program::idle(ranks as usize));
                Ok(())
            }
            (["num_ranks", _], Some(_)) => Err("num_ranks stands there twice".to_owned()),
            (["rank", rank, "{"], Some(program)) => {
                let rank: usize = number(rank, "rank")?;
                let ranks = program.nodes.len();
                let node = program.nodes.get(rank);
                let node = node.ok_or(format!("rank {rank}: there are {ranks}, counted from 0"))?;
                if !node.operations.is_empty() {
                    return Err(format!("rank {rank} stands there twice"));
                }
                self.labels.clear();
                self.rank = Some(rank);
                Ok(())
            }
            (_, None) => Err("begin with `num_ranks N`".to_owned()),
            _ => Err(format!(
                "{line:?}: write `rank R {{` before what a rank does"
            )),
        }
    }

    fn read_operation(&mut self, rank: usize, line: &'a str) -> Result<(), String> {
        let (label, words) = match line.split_once(':') {
            Some((label, rest)) => (Some(label.trim()), rest),
            None => (None, line),
        };
        let mut words = words.split_whitespace();
        let Some(program) = &mut self.program else {
            return Err("begin with `num_ranks N`".to_owned());
        };
        let node = &mut program.nodes[rank];
        let verb = words.next().unwrap_or_default();
        if label.is_none() && !["send", "recv", "calc"].contains(&verb) {
            let need = read_need(&self.labels, verb, words)?;
            node.needs.push(need);
            return Ok(());
        }
        node.operations.push(read_action(verb, words)?);
        self.operations += 1;
        if self.operations % (1 << 20) == 0 {
            check_amount(program.nodes.len() as u64, self.operations)?;
        }
        let position = program.nodes[rank].operations.len() as u32 - 1;
        match label.map(|label| (label, self.labels.insert(label, position))) {
            Some((label, Some(_))) => Err(format!("label {label:?} stands twice in rank {rank}")),
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Program, String> {
        match (self.rank, self.program) {
            (Some(rank), _) => Err(format!("rank {rank} has no closing bracket")),
            (None, None) => Err("empty; begin with `num_ranks N`".to_owned()),
            (None, Some(program)) => Ok(program),
        }
    }
}

fn read_need<'a>(
    labels: &HashMap<&str, u32>,
    label: &str,
    mut words: impl Iterator<Item = &'a str>,
) -> Result<Need, String> {
    let until = match words.next() {
        Some("requires") => Until::Ended,
        Some("irequires") => Until::Begun,
        _ => return Err(LINE.to_owned()),
    };
    let (Some(on), None) = (words.next(), words.next()) else {
        return Err(LINE.to_owned());
    };
    let position = |label: &str| {
        let found = labels.get(label).copied();
        found.ok_or_else(|| format!("no operation before has the label {label:?}"))
    };
    Ok(Need {
        operation: position(label)?,
        on: position(on)?,
        until,
    })
}

fn read_action<'a>(
    verb: &str,
    mut words: impl Iterator<Item = &'a str>,
) -> Result<Operation, String> {
    if !["send", "recv", "calc"].contains(&verb) {
        return Err(LINE.to_owned());
    }
    let amount = words.next().ok_or(LINE)?;
    let mut operation = Operation {
        action: Action::Compute { ns: 0 },
        cpu: 0,
        nic: 0,
    };
    if verb == "calc" {
        let ns = number(amount, "calc")?;
        operation.action = Action::Compute { ns };
    } else {
        operation.action = read_message(verb, amount, &mut words)?;
    }
    while let Some(key) = words.next() {
        let value = words.next().ok_or(LINE)?;
        match (key, &mut operation.action) {
            ("tag", Action::Send(message) | Action::Receive(message)) => {
                message.tag = named_number(value, "tag")?;
            }
            ("cpu", _) => operation.cpu = number(value, "cpu")?,
            ("nic", Action::Send(_) | Action::Receive(_)) => operation.nic = number(value, "nic")?,
            _ => return Err(LINE.to_owned()),
        }
    }
    Ok(operation)
}

fn read_message<'a>(
    verb: &str,
    amount: &str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<Action, String> {
    // `10 b` is right too.
    let (digits, mut next) = match amount.strip_suffix('b') {
        Some(digits) => (digits, words.next()),
        None if words.next() == Some("b") => (amount, words.next()),
        None => return Err(format!("{amount:?}: a message has bytes, such as `10b`")),
    };
    let bytes = number(digits, "bytes")?;
    let preposition = next.take();
    let peer = named_number(words.next().ok_or(LINE)?, "rank")?;
    let message = Message {
        peer,
        bytes,
        tag: 0,
    };
    match (verb, preposition) {
        ("send", Some("to")) => Ok(Action::Send(message)),
        ("recv", Some("from")) => Ok(Action::Receive(message)),
        _ => Err(LINE.to_owned()),
    }
}

/// A rank or tag that is known: which message a receive from any meets would depend on the run.
fn named_number(text: &str, what: &str) -> Result<u32, String> {
    match text {
        "-1" => Err(format!(
            "any {what} (-1) is not replayed; name the {what} that was met"
        )),
        _ => number(text, what),
    }
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    let found = text.parse();
    found.map_err(|_| format!("{what} {text:?}: must be a whole number that is not too large"))
}
