//! What was measured, on the disk until the coordinator has it: segments of frames. Each start begins a new segment, so a
//! frame that a kill has cut is the last of its segment.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::notes::thin;
use super::row::{Event, ROW_BYTES, Row};
use crate::system::clock::time_of_day_ns;
use crate::system::private;
use crate::wire::frame::{self, Kind};

const ID_NAME: &str = "id";
const SEGMENT_BYTES: u64 = 256 << 10;
/// A segment that was thinned so many times has hardly more than events, and goes next.
const MOST_THINNED: u32 = 12;

/// How far the coordinator has read of which spool: a byte of a segment, which is read again from its begin where it was
/// thinned since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    #[serde(default)]
    pub spool: u64,
    pub segment: u64,
    pub thinned: u32,
    pub offset: u64,
}

/// A segment's file: its number, and how many times it was thinned.
#[derive(Clone, Debug)]
struct Segment {
    number: u64,
    thinned: u32,
    path: PathBuf,
    bytes: u64,
}

pub struct Spool {
    folder: PathBuf,
    file: File,
    number: u64,
    most_bytes: u64,
}

impl Spool {
    pub fn open(folder: &Path, most_bytes: u64) -> io::Result<Spool> {
        fs::create_dir_all(folder)?;
        let last = segments(folder)?.pop();
        if last.is_none() {
            let id = time_of_day_ns().to_string();
            private::replace(&folder.join(ID_NAME), id.as_bytes(), false)?;
        }
        let number = last.map_or(0, |last| last.number + 1);
        Ok(Spool {
            folder: folder.to_owned(),
            file: create(folder, number)?,
            number,
            most_bytes,
        })
    }

    pub fn set_most_bytes(&mut self, most_bytes: u64) {
        self.most_bytes = most_bytes;
    }

    /// Append; where that fails, the file is as it was. True when something older was thinned for it.
    pub fn append(&mut self, rows: &[Row], events: &[Event]) -> io::Result<bool> {
        let mut bytes = Vec::new();
        for event in events {
            frame::write(&mut bytes, Kind::Json, &serde_json::to_vec(event)?)?;
        }
        if !rows.is_empty() {
            frame::write(&mut bytes, Kind::Samples, &flat(rows))?;
        }
        let before = self.file.metadata()?.len();
        let written = self
            .file
            .write_all(&bytes)
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            self.file.set_len(before)?;
            return Err(error);
        }
        if before + (bytes.len() as u64) < SEGMENT_BYTES {
            return Ok(false);
        }
        // What was appended is safe: whatever fails now is tried again behind the next.
        let Ok(next) = create(&self.folder, self.number + 1) else {
            return Ok(false);
        };
        self.file = next;
        self.number += 1;
        Ok(self.make_room().unwrap_or(false))
    }

    /// Thin the segments that were thinned least, the oldest of them first.
    fn make_room(&mut self) -> io::Result<bool> {
        let mut has_thinned = false;
        loop {
            let all = segments(&self.folder)?;
            let old = all.iter().filter(|one| one.number < self.number);
            let total: u64 = all.iter().map(|one| one.bytes).sum();
            let Some(chosen) = old.min_by_key(|one| one.thinned) else {
                return Ok(has_thinned);
            };
            // The segment that grows has its room, too.
            if total + SEGMENT_BYTES <= self.most_bytes {
                return Ok(has_thinned);
            }
            if chosen.thinned < MOST_THINNED {
                thin_segment(&self.folder, chosen)?;
            } else {
                fs::remove_file(&chosen.path)?;
            }
            has_thinned = true;
        }
    }
}

/// Bytes in all segments.
pub fn bytes(folder: &Path) -> u64 {
    let all = segments(folder).unwrap_or_default();
    all.iter().map(|one| one.bytes).sum()
}

/// What tells a spool from another that was in the same folder: when it was made. 0 where it does not say.
fn id(folder: &Path) -> u64 {
    let text = fs::read_to_string(folder.join(ID_NAME)).unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// What the coordinator has not read: rows and events (as JSON), up to about so many bytes, and the cursor behind them.
/// Segments before the cursor are removed: the coordinator has them on its disk. A cursor of another spool says nothing of
/// this one, which is read from its begin.
pub fn drain(
    folder: &Path,
    cursor: Cursor,
    most_bytes: usize,
) -> io::Result<(Vec<Row>, Vec<serde_json::Value>, Cursor)> {
    let all = segments(folder)?;
    let spool = id(folder);
    let cursor = if cursor.spool == spool {
        cursor
    } else {
        Cursor {
            spool,
            ..Cursor::default()
        }
    };
    let (mut rows, mut events, mut reached) = (Vec::new(), Vec::new(), cursor);
    for segment in all {
        if segment.number < cursor.segment {
            fs::remove_file(&segment.path)?;
            continue;
        }
        let is_same = (segment.number, segment.thinned) == (cursor.segment, cursor.thinned);
        let mut offset = if is_same { cursor.offset } else { 0 };
        let bytes = fs::read(&segment.path)?;
        let mut input = bytes.get(offset as usize..).unwrap_or_default();
        while rows.len() * ROW_BYTES < most_bytes {
            let before = input.len();
            // A frame that is cut is not whole yet, or never will be.
            let Ok(Some((kind, payload))) = frame::read(&mut input) else {
                break;
            };
            offset += (before - input.len()) as u64;
            match kind {
                Kind::Json => events.extend(serde_json::from_slice(&payload)),
                _ => rows.extend(unflat(&payload)),
            }
        }
        reached = Cursor {
            spool,
            segment: segment.number,
            thinned: segment.thinned,
            offset,
        };
        if rows.len() * ROW_BYTES >= most_bytes {
            break;
        }
    }
    Ok((rows, events, reached))
}

fn create(folder: &Path, number: u64) -> io::Result<File> {
    let path = folder.join(format!("{number:010}-0.seg"));
    OpenOptions::new().create(true).append(true).open(path)
}

fn segments(folder: &Path) -> io::Result<Vec<Segment>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        let parts = name
            .strip_suffix(".seg")
            .and_then(|name| name.split_once('-'));
        let numbers = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        // One that is gone by now was thinned or fetched.
        if let (Some((number, thinned)), Ok(meta)) = (numbers, entry.metadata()) {
            found.push(Segment {
                number,
                thinned,
                path: entry.path(),
                bytes: meta.len(),
            });
        }
    }
    found.sort_by_key(|one| (one.number, one.thinned));
    Ok(found)
}

/// Keep every event and half of the rows.
fn thin_segment(folder: &Path, segment: &Segment) -> io::Result<()> {
    let mut input = BufReader::new(File::open(&segment.path)?);
    let (mut rows, mut bytes) = (Vec::new(), Vec::new());
    while let Ok(Some((kind, payload))) = frame::read(&mut input) {
        match kind {
            Kind::Json => frame::write(&mut bytes, kind, &payload)?,
            _ => rows.extend(unflat(&payload)),
        }
    }
    thin(&mut rows);
    frame::write(&mut bytes, Kind::Samples, &flat(&rows))?;
    let name = format!("{:010}-{}.seg", segment.number, segment.thinned + 1);
    let temporary = folder.join("thinned.new");
    fs::write(&temporary, bytes)?;
    fs::rename(temporary, folder.join(name))?;
    fs::remove_file(&segment.path)
}

fn flat(rows: &[Row]) -> Vec<u8> {
    rows.iter().flat_map(|row| row.to_bytes()).collect()
}

fn unflat(bytes: &[u8]) -> impl Iterator<Item = Row> + '_ {
    let rows = bytes.chunks_exact(ROW_BYTES);
    rows.map(|row| Row::from_bytes(row.try_into().expect("its length is that")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("weft-spool-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn rows(first: i64, count: i64) -> Vec<Row> {
        let row = |time_us| Row {
            time_us,
            link: 0,
            kind: 1,
            size_bytes: 20_000,
            rtt_ns: (time_us % 7 != 0).then_some(1_300_000),
        };
        (first..first + count).map(row).collect()
    }

    #[test]
    fn what_was_appended_is_drained_once_also_after_a_cut() {
        let folder = folder("drain");
        let mut spool = Spool::open(&folder, 1 << 30).unwrap();
        spool.append(&rows(0, 10), &[Event::default()]).unwrap();
        let (found, events, cursor) = drain(&folder, Cursor::default(), 1 << 20).unwrap();
        assert_eq!((found, events.len()), (rows(0, 10), 1));
        spool.append(&rows(10, 5), &[]).unwrap();
        spool.append(&rows(15, 5), &[]).unwrap();
        // Killed while the last frame was written.
        let length = spool.file.metadata().unwrap().len();
        spool.file.set_len(length - 3).unwrap();
        let mut next = Spool::open(&folder, 1 << 30).unwrap();
        next.append(&rows(20, 5), &[]).unwrap();
        let (found, _, cursor) = drain(&folder, cursor, 1 << 20).unwrap();
        assert_eq!(found, [rows(10, 5), rows(20, 5)].concat());
        assert_eq!(
            drain(&folder, cursor, 1 << 20).unwrap(),
            (vec![], vec![], cursor)
        );
        assert_eq!(segments(&folder).unwrap().len(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn another_spool_in_the_same_folder_is_read_from_its_begin() {
        let folder = folder("another");
        let mut spool = Spool::open(&folder, 1 << 30).unwrap();
        spool.append(&rows(0, 1000), &[]).unwrap();
        let (_, _, cursor) = drain(&folder, Cursor::default(), 1 << 20).unwrap();
        let later = Cursor {
            segment: cursor.segment + 3,
            ..cursor
        };
        for old in [cursor, later] {
            fs::remove_dir_all(&folder).unwrap();
            let mut next = Spool::open(&folder, 1 << 30).unwrap();
            next.append(&rows(5000, 10), &[]).unwrap();
            let (found, _, reached) = drain(&folder, old, 1 << 20).unwrap();
            assert_eq!(found, rows(5000, 10));
            assert_ne!(reached.spool, cursor.spool);
            next.append(&rows(5010, 5), &[]).unwrap();
            assert_eq!(drain(&folder, reached, 1 << 20).unwrap().0, rows(5010, 5));
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn room_is_made_also_where_only_events_are_left() {
        let folder = folder("events");
        let mut spool = Spool::open(&folder, 2 * SEGMENT_BYTES).unwrap();
        let events = vec![Event::default(); 2000];
        for _ in 0..20 {
            spool.append(&[], &events).unwrap();
        }
        assert!(bytes(&folder) <= 2 * SEGMENT_BYTES + 150_000);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_full_spool_is_thinned_oldest_first_and_loses_no_event() {
        let folder = folder("thin");
        let mut spool = Spool::open(&folder, 3 * SEGMENT_BYTES).unwrap();
        let mut thinned = 0;
        for part in 0..40 {
            thinned += u32::from(
                spool
                    .append(&rows(part * 2000, 2000), &[Event::default()])
                    .unwrap(),
            );
        }
        assert!(thinned > 0);
        assert!(bytes(&folder) <= 3 * SEGMENT_BYTES + 50_000);
        let (found, events, _) = drain(&folder, Cursor::default(), 1 << 30).unwrap();
        assert_eq!(events.len(), 40);
        assert!(found.iter().any(|row| row.time_us < 2000));
        assert!(found.windows(2).all(|two| two[0].time_us < two[1].time_us));
        fs::remove_dir_all(folder).unwrap();
    }
}
