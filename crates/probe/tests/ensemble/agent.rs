//! A real agent: the built program, spoken to as its coordinator does.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_ipc::reader::StreamReader;
use serde_json::Value;

/// Longer than anything here may take.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// One row of samples.
#[derive(Clone, Debug)]
pub struct Row {
    pub phase: i32,
    pub batch: i32,
    pub src: i32,
    pub dst: i32,
    pub size_bytes: i64,
    pub messages: i32,
    pub start_ns: i64,
    pub elapsed_ns: i64,
}

/// What an agent says.
#[derive(Clone, Debug)]
pub enum Said {
    Message(Value),
    Samples(Vec<Row>),
}

/// A running agent; it is killed when it is dropped.
pub struct Agent {
    child: Child,
    input: ChildStdin,
    said: Receiver<Said>,
    output: Option<(ChildStdout, mpsc::Sender<Said>)>,
}

impl Agent {
    /// Start an agent that is read from.
    pub fn start() -> Agent {
        let mut agent = Agent::start_unheard();
        agent.listen();
        assert_eq!(agent.expect("ready")["type"], "ready");
        agent
    }

    /// Start an agent whose output is not read until `listen`.
    pub fn start_unheard() -> Agent {
        let mut child = Command::new(env!("CARGO_BIN_EXE_weft-probe"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, said) = mpsc::channel();
        Agent {
            input: child.stdin.take().unwrap(),
            output: child.stdout.take().map(|output| (output, sender)),
            child,
            said,
        }
    }

    /// Read all that it has said and will say.
    pub fn listen(&mut self) {
        let (output, sender) = self.output.take().unwrap();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(said) = read(&mut output) {
                let _ = sender.send(said);
            }
        });
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    pub fn send(&mut self, request: &Value) {
        let payload = serde_json::to_vec(request).unwrap();
        let mut frame = (payload.len() as u32).to_le_bytes().to_vec();
        frame.push(b'J');
        frame.extend(payload);
        // An agent that has been killed does not read any more.
        let _ = self.input.write_all(&frame);
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: sends a signal to our own child, which has not been waited for.
        assert_eq!(unsafe { libc::kill(self.pid(), signal) }, 0);
    }

    /// What it says next.
    pub fn next(&mut self) -> Said {
        self.said
            .recv_timeout(PATIENCE)
            .expect("the agent says something")
    }

    /// What it says next, if it does within a time.
    pub fn next_within(&mut self, time: Duration) -> Option<Said> {
        self.said.recv_timeout(time).ok()
    }

    /// The next message of one type; an error that was not asked for fails the test.
    pub fn expect(&mut self, kind: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            match self.next() {
                Said::Message(message) if message["type"] == kind => return message,
                Said::Message(message) if message["type"] == "error" => panic!("{message}"),
                _ => {}
            }
        }
        panic!("no {kind} came");
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next message or samples; evidence, which Python's tests look at, is passed over.
fn read(output: &mut impl Read) -> Option<Said> {
    let mut head = [0; 5];
    output.read_exact(&mut head).ok()?;
    let mut payload = vec![0; u32::from_le_bytes(head[..4].try_into().unwrap()) as usize];
    output.read_exact(&mut payload).ok()?;
    match head[4] {
        b'J' => Some(Said::Message(serde_json::from_slice(&payload).unwrap())),
        b'A' => Some(Said::Samples(rows(&payload))),
        b'E' => read(output),
        other => panic!("a frame of kind {other}"),
    }
}

fn rows(stream: &[u8]) -> Vec<Row> {
    let batches = StreamReader::try_new(stream, None).unwrap();
    batches
        .flat_map(|batch| {
            let batch = batch.unwrap();
            let narrow = |name, at| {
                let column = batch.column_by_name(name).unwrap();
                column.as_primitive::<Int32Type>().value(at)
            };
            let wide = |name, at| {
                let column = batch.column_by_name(name).unwrap();
                column.as_primitive::<Int64Type>().value(at)
            };
            let row = |at| Row {
                phase: narrow("phase", at),
                batch: narrow("batch", at),
                src: narrow("src", at),
                dst: narrow("dst", at),
                size_bytes: wide("size_bytes", at),
                messages: narrow("messages", at),
                start_ns: wide("start_ns", at),
                elapsed_ns: wide("elapsed_ns", at),
            };
            (0..batch.num_rows()).map(row).collect::<Vec<_>>()
        })
        .collect()
}
