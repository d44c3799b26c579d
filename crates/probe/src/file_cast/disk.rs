//! The threads at the disk: one reads the source, one writes a target, one looks at what a target has already.

use std::io;
use std::sync::Arc;

use super::board::Writing;
use super::chunk::{Chunk, Form};
use super::layout::{Digest, hex};
use super::message::Reply;
use super::shared::{Shared, Store};
use super::source::Source;
use super::target::Target;

/// The number of the source's own link.
const OWN: u32 = 0;

/// Read the whole file, as far ahead as memory allows.
pub fn read_all(shared: &Shared) {
    let Store::Source(source) = &shared.store else {
        return;
    };
    let read = read_chunks(shared, source).and_then(|is_whole| {
        source.check_unchanged()?;
        Ok(is_whole)
    });
    match read {
        Ok(true) => finish(shared),
        Ok(false) => {}
        Err(error) => shared.fail(&error),
    }
}

/// False where the cast ended before.
fn read_chunks(shared: &Shared, source: &Source) -> io::Result<bool> {
    let (board, layout) = (&shared.board, &shared.board.layout);
    let (mut data, mut data_end) = (0, 0);
    for index in 0..layout.chunks() {
        let (offset, length) = (layout.offset(index), layout.length(index));
        if offset >= data_end {
            (data, data_end) = source.next_data(offset);
        }
        let chunk = if offset + length as u64 <= data {
            Chunk::hole(index, layout.digest(index, &vec![0; length]))
        } else {
            let bytes = board.times.read.time(|| source.read(layout, index))?;
            let digest = layout.digest(index, &bytes);
            Chunk::of(index, digest, bytes, shared.compress)
        };
        if !board.insert(chunk, OWN) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Write what comes, until the cast is over.
pub fn write_all(shared: &Shared) {
    let Store::Target(target) = &shared.store else {
        return;
    };
    let (board, mut is_good) = (&shared.board, true);
    loop {
        match board.next_to_write() {
            Writing::Over => return,
            Writing::Sync if is_good => {
                match board.times.write.time(|| target.sync()) {
                    Ok(()) => finish(shared),
                    Err(error) => shared.fail(&error),
                };
            }
            Writing::Sync => {}
            Writing::Chunk(chunk) => {
                if is_good && let Err(error) = write(shared, target, &chunk) {
                    shared.fail(&error);
                    is_good = false;
                }
                // What is not on the disk must stay in memory until it is sent on.
                board.wrote(chunk.index, is_good && target.is_readable());
            }
        }
    }
}

fn write(shared: &Shared, target: &Target, chunk: &Chunk) -> io::Result<()> {
    let (times, layout) = (&shared.board.times, &shared.board.layout);
    if chunk.form == Form::Hole {
        return times.write.time(|| target.write_hole(layout, chunk.index));
    }
    let bytes = chunk.bytes(layout)?;
    times
        .write
        .time(|| target.write(layout, chunk.index, &bytes))
}

fn finish(shared: &Shared) {
    if let Some(digest) = shared.board.finish() {
        let hash = hex(&digest);
        shared.say(Reply::Whole { hash });
    }
}

/// Find out what is here already.
pub fn look(shared: &Arc<Shared>) {
    let layout = &shared.board.layout;
    let held = |index: u32| -> Option<Digest> {
        let Store::Target(target) = &shared.store else {
            return None;
        };
        if !target.holds_something() || shared.board.is_over() {
            return None;
        }
        let bytes = target.held(layout, index)?;
        Some(layout.digest(index, &bytes))
    };
    shared.board.found((0..layout.chunks()).map(held).collect());
}
