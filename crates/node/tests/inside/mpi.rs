//! An MPI library over TCP: what it costs, and where its protocol changes.

use weft_node::{Carrier, Exchange, Library, Machine, measure};

use super::closed_form::{code_ps, loop_ps};
use super::{CACHES, PLACEMENTS, load, machine, pingpong, refuse, stream};
use weft_plan::Mpi;

const ALONE: [(&str, &str); 2] = [("memory.collision", "0 ns"), ("nic.coalesce_frames", "1")];

fn over(library: Library, exchange: Exchange) -> Exchange {
    Exchange {
        carrier: Carrier::Mpi(library),
        ..exchange
    }
}

fn one_way_ps(machine: &Machine, exchange: Exchange) -> f64 {
    measure(machine, exchange).unwrap().period_ps / 2.0
}

/// Beside the header, the library's work at both ends and its copies come on top; no process is woken.
#[test]
fn an_eager_message_takes_what_tcp_takes_and_the_librarys_part() {
    let machine = machine("base", &ALONE);
    let library = machine.mpi.of(Some(Mpi::OpenMpi)).1;
    for bytes in [1, 1000, 8000] {
        let found_ps = one_way_ps(&machine, over(library, pingpong(bytes)));
        let tcp_ps = one_way_ps(&machine, pingpong(bytes + library.header_bytes));
        let costs = &machine.costs;
        let work = f64::from(library.send + library.receive);
        let copied = 2.0 * bytes as f64 * costs.copy_accesses_per_byte;
        let woken = costs.wake_up + costs.context_switch;
        let expected_ps = tcp_ps + code_ps(&machine, work + costs.system_call)
            - code_ps(&machine, woken)
            + loop_ps(&machine, copied);
        assert!(
            (found_ps - expected_ps).abs() < 1e3,
            "{bytes}: {found_ps} {expected_ps}"
        );
    }
}

/// The messages of the library follow one another, so that one takes the sum.
#[test]
fn a_rendezvous_takes_its_control_messages_and_one_without_copies() {
    let machine = machine("base", &ALONE);
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let library = Library {
            eager_bytes: 4000,
            ..machine.mpi.of(Some(mpi)).1
        };
        let found_ps = one_way_ps(&machine, over(library, pingpong(4001)));
        let of = |bytes| {
            let uncopied = Library {
                copies_out: 0,
                copies_in: 0,
                header_bytes: library.header_bytes,
                eager_bytes: 4001,
                ..library
            };
            one_way_ps(&machine, over(uncopied, pingpong(bytes)))
        };
        let control = f64::from(library.requests + library.confirmations);
        let one_byte_ps = of(2) - of(1);
        let expected_ps = of(4001) + control * (of(1) - one_byte_ps);
        assert!(
            (found_ps / expected_ps - 1.0).abs() < 1e-4,
            "{found_ps} {expected_ps}"
        );
    }
}

#[test]
fn every_placement_carries_both_protocols_there_and_back() {
    for placement in PLACEMENTS {
        let machine = machine(placement, &[]);
        for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
            let library = machine.mpi.of(Some(mpi)).1;
            for bytes in [1, library.eager_bytes, library.eager_bytes + 1, 1 << 20] {
                let there = measure(&machine, over(library, pingpong(bytes))).unwrap();
                let sum: f64 = there.budget_ps.iter().sum();
                assert!(
                    (sum / there.period_ps - 1.0).abs() < 1e-6,
                    "{placement} {bytes}"
                );
                let stream_ps = measure(&machine, over(library, stream(bytes)))
                    .unwrap()
                    .period_ps;
                assert!(stream_ps < there.period_ps, "{placement} {bytes}");
            }
        }
    }
    let caches = machine("base", &[CACHES]);
    let library = caches.mpi.of(None).1;
    let copied = measure(&caches, over(library, pingpong(20_000)))
        .unwrap()
        .period_ps;
    let tcp = measure(&caches, pingpong(20_000)).unwrap().period_ps;
    assert!(copied > 1.2 * tcp, "{copied} {tcp}");
}

#[test]
fn a_machine_may_have_its_own_values() {
    let mine = machine("base", &[("mpi.mpich.eager", "1 KiB")]);
    assert_eq!(mine.mpi.of(Some(Mpi::Mpich)).1.eager_bytes, 1024);
    assert_eq!(
        mine.mpi.of(None),
        machine("base", &[]).mpi.of(Some(Mpi::OpenMpi))
    );
    let text = format!("{}\n[mpi.openmpi]\neager = \"2 KiB\"\n", super::CATALOGUE);
    let own = super::load_text(&text, "base", &[]).unwrap().mpi.of(None).1;
    assert_eq!((own.eager_bytes, own.requests), (2048, 2));
    refuse(
        &[("mpi.openmpi.eagr", "1 KiB")],
        "unknown key, did you mean \"eager\"?",
    );
    refuse(
        &[("mpi.lam.eager", "1 KiB")],
        "unknown key; known here: openmpi, mpich",
    );
    refuse(
        &[("mpi.mpich.requests", "3")],
        "mpi.mpich.requests = 3: must be even",
    );
    assert!(load("base", &[("mpi.mpich.copies_in", "0")]).is_ok());
}
