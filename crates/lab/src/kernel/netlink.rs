//! A route netlink socket of one network namespace: a request, then its acknowledgement.

use std::io;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader,
    NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};

/// Speaks for the namespace its thread was in when it was opened.
pub struct Netlink {
    socket: Socket,
}

impl Netlink {
    /// Opens a socket in the calling thread's namespace.
    pub fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self { socket })
    }

    /// Creates what must not be there yet.
    pub fn create(&self, message: RouteNetlinkMessage) -> io::Result<()> {
        self.request(message, NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Creates something in place of what may be there.
    pub fn replace(&self, message: RouteNetlinkMessage) -> io::Result<()> {
        self.request(message, NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// Changes what is there.
    pub fn change(&self, message: RouteNetlinkMessage) -> io::Result<()> {
        self.request(message, 0)
    }

    fn request(&self, message: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(message));
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        self.acknowledgement()
    }

    fn acknowledgement(&self) -> io::Result<()> {
        let (bytes, _) = self.socket.recv_from_full()?;
        let answer =
            NetlinkMessage::<RouteNetlinkMessage>::deserialize(&bytes).map_err(io::Error::other)?;
        match answer.payload {
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            _ => Ok(()),
        }
    }
}
