//! The lab: a fabric out of Linux network namespaces.

mod address;
mod clock;
mod enter;
mod error;
mod forwarder;
mod frame;
mod interface;
mod keep;
mod lab;
mod meter;
mod mptcp;
mod namespace;
mod netlink;
mod packet_socket;
mod plant;
mod process;
mod request;
mod stats;
mod sys;
mod token_bucket;
mod topology;
mod waiter;
mod warning;
mod wire;

use std::process::exit;

use error::{Doing, LabError, Result};
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
        Request::Keep(request) => keep::keep(request),
        Request::Enter(request) => enter::enter(request),
        Request::Cookie { pid } => print_cookie(*pid),
        Request::Help => {
            println!("{}", request::HELP);
            Ok(())
        }
    }
}

fn print_cookie(pid: u32) -> Result<()> {
    let cookie = namespace::cookie_of(pid).doing("enter the process's network namespace")?;
    let old = || LabError::work("this kernel tells no cookies of network namespaces");
    println!("{}", cookie.ok_or_else(old)?);
    Ok(())
}

fn complain(error: &LabError) {
    eprintln!("weft-lab: {}", error.message);
    if !error.hint.is_empty() {
        eprintln!("  {}", error.hint);
    }
}
