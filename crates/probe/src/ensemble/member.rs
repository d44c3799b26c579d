//! An agent as a member of ensembles: it has a session or has none.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::error::SessionError;
use super::reply::Reply;
use super::request::Request;
use super::session::{End, Session};
use crate::system::wake::Wake;
use crate::wire::outbox::Outbox;

/// Answers the requests of the ensemble protocol.
pub struct Member {
    wake: Arc<Wake>,
    session: Option<Session>,
    /// Connections that sessions have refused since the coordinator last asked.
    rejected: u64,
}

impl Member {
    pub fn new(wake: Arc<Wake>) -> Member {
        Member {
            wake,
            session: None,
            rejected: 0,
        }
    }

    /// The next request that still matters, looking after the session while there is none.
    pub fn next_request(
        &mut self,
        outbox: &mut Outbox,
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<Option<Vec<u8>>> {
        loop {
            let next = match &mut self.session {
                Some(session) => session.idle(outbox, requests),
                None => {
                    outbox.flush()?;
                    Ok(requests.recv().ok())
                }
            };
            match next {
                Ok(Some(payload)) if self.is_void(&payload) => {}
                Ok(next) => return Ok(next),
                Err(error) => self.fail(error, outbox)?,
            }
        }
    }

    /// Answer one request.
    pub fn answer(&mut self, request: Request, outbox: &mut Outbox) -> io::Result<()> {
        match self.perform(request, outbox) {
            Ok(()) => Ok(()),
            Err(error) => self.fail(error, outbox),
        }
    }

    /// Answer what cannot be understood.
    pub fn refuse(&mut self, error: &serde_json::Error, outbox: &mut Outbox) -> io::Result<()> {
        let message = format!("a request is malformed: {error}");
        self.fail(SessionError::bad_request(message), outbox)
    }

    /// What was asked before an abort is not done any more.
    fn is_void(&self, payload: &[u8]) -> bool {
        self.wake.is_aborting() && !super::is_abort(payload)
    }

    fn perform(&mut self, request: Request, outbox: &mut Outbox) -> Result<(), SessionError> {
        let reply = match request {
            Request::Open(opening) => {
                if self.session.is_some() {
                    return Err(SessionError::bad_request("a session is open already"));
                }
                let session = Session::open(opening, self.wake.clone())?;
                let ports = session.ports()?;
                self.session = Some(session);
                Reply::ListeningOn { ports }
            }
            Request::Join(joining) => self.session()?.join(joining, outbox)?,
            Request::Phases(phases) => {
                self.session()?.run_phases(&phases, outbox)?;
                Reply::PhasesDone
            }
            Request::Programs(programs) => {
                self.session()?.run_programs(&programs, outbox)?;
                Reply::PhasesDone
            }
            Request::Traffics(traffic) => {
                self.session()?.run_traffic(&traffic, outbox)?;
                Reply::PhasesDone
            }
            Request::Leave => self.leave(End::Done),
            Request::Abort => {
                self.wake.aborted();
                self.leave(End::Broken(None))
            }
        };
        outbox.put(&reply).map_err(SessionError::Unheard)
    }

    fn session(&mut self) -> Result<&mut Session, SessionError> {
        self.session.as_mut().ok_or_else(|| SessionError::Failed {
            code: "no-session",
            message: "there is no session: it was not opened, or has ended by an error".to_owned(),
            peers: Vec::new(),
        })
    }

    fn leave(&mut self, end: End) -> Reply {
        self.end(end);
        Reply::Left {
            rejected: std::mem::take(&mut self.rejected),
        }
    }

    fn end(&mut self, end: End) {
        if let Some(session) = self.session.take() {
            self.rejected += session.close(end);
        }
    }

    /// End the session and say why, unless the coordinator ended it.
    fn fail(&mut self, error: SessionError, outbox: &mut Outbox) -> io::Result<()> {
        match error {
            SessionError::Aborted => {
                self.end(End::Broken(None));
                Ok(())
            }
            SessionError::Unheard(error) => Err(error),
            SessionError::Failed {
                code,
                message,
                peers,
            } => {
                let node = self.session.as_ref().map(Session::node);
                self.end(End::Broken(peers.first().copied().or(node)));
                outbox.put(&Reply::Error {
                    code,
                    message,
                    peers,
                })
            }
        }
    }
}
