//! The lab: a fabric out of Linux network namespaces.

mod address;
mod chance;
mod clock;
mod control;
mod daemon;
mod enter;
mod error;
mod forward;
mod guest;
mod kernel;
mod lab;
mod request;
mod topology;
mod warning;
mod weather;

use std::process::exit;

use error::{Doing, LabError, Result};
use kernel::interface::switch_offloads_off;
use request::Request;

fn main() {
    let result = Request::parse(lexopt::Parser::from_env()).and_then(|request| fulfil(&request));
    if let Err(error) = result {
        complain(&error);
        exit(error.exit_code);
    }
}

fn fulfil(request: &Request) -> Result<()> {
    match request {
        Request::Keep(request) => daemon::keep(request),
        Request::Enter(request) => enter::enter(request),
        Request::Cookie { pid } => print_cookie(*pid),
        Request::Into(request) => exit(guest::into::into(request)?),
        Request::Attend { ports } => guest::attend::attend(ports),
        Request::Pace(request) => guest::pace::pace(request),
        Request::Beat(request) => guest::beat::beat(request),
        Request::Hear(request) => guest::beat::hear(request),
        Request::Plain { interface } => {
            switch_offloads_off(interface).doing(&format!("switch the offloads of {interface} off"))
        }
        Request::Help => {
            println!("{}", request::HELP);
            Ok(())
        }
    }
}

fn print_cookie(pid: u32) -> Result<()> {
    let cookie =
        kernel::namespace::cookie_of(pid).doing("enter the process's network namespace")?;
    let old = || LabError::work("this kernel gives no cookies of network namespaces");
    println!("{}", cookie.ok_or_else(old)?);
    Ok(())
}

fn complain(error: &LabError) {
    eprintln!("weft-lab: {}", error.message);
    if !error.hint.is_empty() {
        eprintln!("  {}", error.hint);
    }
}
