//! Ensembles of real agents on the loopback network.

mod agent;
mod ensemble;
mod failures;
mod handshake;
mod joining;
mod programs;
mod routes;
mod strangers;
mod works;
