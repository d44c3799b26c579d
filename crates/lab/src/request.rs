//! The command line.

use lexopt::Arg::{Long, Value};
use lexopt::{Parser, ValueExt};

use std::path::PathBuf;
use std::time::Duration;

use crate::daemon::DaemonRequest;
use crate::enter::EnterRequest;
use crate::error::{LabError, Result};
use crate::guest::beat::{BeatRequest, HearRequest};
use crate::guest::into::IntoRequest;
use crate::guest::pace::PaceRequest;

/// What `--help` says.
pub const HELP: &str = "\
weft-lab: a fabric out of Linux network namespaces; started by weft, seldom by hand

  weft-lab keep --fabric FILE [--scale S] [--stats-socket PATH] [--weather-log PATH] [--weather-speed S]
                [--guests]
      Builds the fabric, prints one line of JSON when it is up, and keeps it until the standard input
      ends or, once a word was said there, until SIGTERM, SIGINT or SIGHUP. With --guests the hosts are
      virtual machines, which are started by request.
  weft-lab enter --pid PID [--started TICKS] --fd FD [--user] [--give-way] -- COMMAND [ARGUMENT...]
      Runs a command on a host of a lab. PID, TICKS and FD are those of the line of JSON; --user and --give-way
      if it says user_namespace and give_way.
  weft-lab cookie --pid PID
      Prints the cookie of a process's network namespace, a number that no other one ever has.
  weft-lab into --folder DIR --host NAME --ports N -- COMMAND [ARGUMENT...]
      Runs a command in a guest, which is reached by the sockets DIR/NAME.1 to DIR/NAME.N.
  weft-lab attend PORT...
      In a guest: carries out what comes through its ports.
  weft-lab pace --interface NAME --rate BITS_PER_S --mtu BYTES --queue FRAMES
      Lets an interface send no faster than its link.
  weft-lab plain --interface NAME
      Switches the offloads of an interface off.
  weft-lab beat --to ADDRESS:PORT --every-us US --for-ms MS
  weft-lab hear --at ADDRESS:PORT
      Sends numbered datagrams; receives them until the standard input ends, and says which were lost.";

/// What the user requested.
#[derive(Debug)]
pub enum Request {
    Keep(DaemonRequest),
    Enter(EnterRequest),
    Cookie { pid: u32 },
    Into(IntoRequest),
    Attend { ports: Vec<PathBuf> },
    Pace(PaceRequest),
    Plain { interface: String },
    Beat(BeatRequest),
    Hear(HearRequest),
    Help,
}

impl Request {
    /// Reads the command line.
    pub fn parse(mut parser: Parser) -> Result<Self> {
        match parser.next()? {
            Some(Value(verb)) if verb == "keep" => parse_daemon(parser).map(Self::Keep),
            Some(Value(verb)) if verb == "enter" => parse_enter(parser).map(Self::Enter),
            Some(Value(verb)) if verb == "cookie" => parse_cookie(parser),
            Some(Value(verb)) if verb == "into" => parse_into(parser).map(Self::Into),
            Some(Value(verb)) if verb == "attend" => Ok(Self::Attend {
                ports: parser.raw_args()?.map(PathBuf::from).collect(),
            }),
            Some(Value(verb)) if verb == "pace" => parse_pace(parser).map(Self::Pace),
            Some(Value(verb)) if verb == "plain" => parse_plain(parser),
            Some(Value(verb)) if verb == "beat" => parse_beat(parser).map(Self::Beat),
            Some(Value(verb)) if verb == "hear" => parse_hear(parser).map(Self::Hear),
            Some(Long("help")) => Ok(Self::Help),
            Some(other) => Err(other.unexpected().into()),
            None => Err(LabError::request(
                "no command given",
                "keep, enter or cookie; see --help",
            )),
        }
    }
}

fn parse_daemon(mut parser: Parser) -> Result<DaemonRequest> {
    let mut fabric = None;
    let (mut scale, mut stats_socket) = (1.0, None);
    let (mut weather_log, mut weather_speed) = (None, None);
    let mut guests = false;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("fabric") => fabric = Some(parser.value()?.into()),
            Long("scale") => scale = parser.value()?.parse()?,
            Long("stats-socket") => stats_socket = Some(parser.value()?.into()),
            Long("weather-log") => weather_log = Some(parser.value()?.into()),
            Long("weather-speed") => weather_speed = Some(parser.value()?.parse()?),
            Long("guests") => guests = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let fabric = fabric.ok_or_else(|| missing("--fabric FILE"))?;
    Ok(DaemonRequest {
        fabric,
        scale,
        stats_socket,
        weather_log,
        weather_speed,
        guests,
    })
}

fn parse_enter(mut parser: Parser) -> Result<EnterRequest> {
    let (mut pid, mut started, mut fd) = (None, None, None);
    let (mut user, mut give_way) = (false, false);
    let mut command = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pid") => pid = Some(parser.value()?.parse()?),
            Long("started") => started = Some(parser.value()?.parse()?),
            Long("fd") => fd = Some(parser.value()?.parse()?),
            Long("user") => user = true,
            Long("give-way") => give_way = true,
            Value(program) => {
                command.push(program);
                command.extend(parser.raw_args()?);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let pid = pid.ok_or_else(|| missing("--pid PID"))?;
    let fd = fd.ok_or_else(|| missing("--fd FD"))?;
    Ok(EnterRequest {
        pid,
        started,
        fd,
        user,
        give_way,
        command,
    })
}

fn parse_cookie(mut parser: Parser) -> Result<Request> {
    let mut pid = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pid") => pid = Some(parser.value()?.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let pid = pid.ok_or_else(|| missing("--pid PID"))?;
    Ok(Request::Cookie { pid })
}

fn parse_into(mut parser: Parser) -> Result<IntoRequest> {
    let (mut folder, mut host, mut ports) = (None, None, None);
    let mut command = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("folder") => folder = Some(parser.value()?.into()),
            Long("host") => host = Some(parser.value()?.string()?),
            Long("ports") => ports = Some(parser.value()?.parse()?),
            Value(program) => {
                command.push(program.string()?);
                for further in parser.raw_args()? {
                    command.push(further.string()?);
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(IntoRequest {
        folder: folder.ok_or_else(|| missing("--folder DIR"))?,
        host: host.ok_or_else(|| missing("--host NAME"))?,
        ports: ports.ok_or_else(|| missing("--ports N"))?,
        command,
    })
}

fn parse_pace(mut parser: Parser) -> Result<PaceRequest> {
    let (mut interface, mut rate, mut mtu, mut queue) = (None, None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("interface") => interface = Some(parser.value()?.string()?),
            Long("rate") => rate = Some(parser.value()?.parse()?),
            Long("mtu") => mtu = Some(parser.value()?.parse()?),
            Long("queue") => queue = Some(parser.value()?.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(PaceRequest {
        interface: interface.ok_or_else(|| missing("--interface NAME"))?,
        bits_per_s: rate.ok_or_else(|| missing("--rate BITS_PER_S"))?,
        mtu_bytes: mtu.ok_or_else(|| missing("--mtu BYTES"))?,
        queue_frames: queue.ok_or_else(|| missing("--queue FRAMES"))?,
    })
}

fn parse_plain(mut parser: Parser) -> Result<Request> {
    let mut interface = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("interface") => interface = Some(parser.value()?.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let interface = interface.ok_or_else(|| missing("--interface NAME"))?;
    Ok(Request::Plain { interface })
}

fn parse_beat(mut parser: Parser) -> Result<BeatRequest> {
    let (mut to, mut every_us, mut for_ms) = (None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("to") => to = Some(parser.value()?.parse()?),
            Long("every-us") => every_us = Some(parser.value()?.parse()?),
            Long("for-ms") => for_ms = Some(parser.value()?.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(BeatRequest {
        to: to.ok_or_else(|| missing("--to ADDRESS:PORT"))?,
        every: Duration::from_micros(every_us.ok_or_else(|| missing("--every-us US"))?),
        lasting: Duration::from_millis(for_ms.ok_or_else(|| missing("--for-ms MS"))?),
    })
}

fn parse_hear(mut parser: Parser) -> Result<HearRequest> {
    let mut at = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("at") => at = Some(parser.value()?.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let at = at.ok_or_else(|| missing("--at ADDRESS:PORT"))?;
    Ok(HearRequest { at })
}

fn missing(option: &str) -> LabError {
    LabError::request(format!("{option} is missing"), "see weft-lab --help")
}
