// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends data over a TCP connection to this process, where a second thread plays the other machine.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads the clock, uses sockets")]
use super::{Direction, Moved, Path};
use crate::interfere::processor_time::Account;
use std::io::{Error, Read, Result, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Instant;

const AT_ONCE: usize = 1 << 16;

/// Each transfer uses its own connection, established before the timing begins.
pub(super) struct Loopback;

impl Path for Loopback {
    fn moved(&mut self, moved: &Moved<'_>, direction: Direction, program: &Account) -> Result<u64> {
        let (ours, theirs) = connected()?;
        let begun = Instant::now();
        let arrived = std::thread::scope(|scope| {
            let other = std::thread::Builder::new().name("bw-peer".into());
            match direction {
                Direction::In => {
                    other.spawn_scoped(scope, || sent(theirs, moved))?;
                    program.charge(|| received(ours))
                }
                Direction::Out => {
                    let receiver = other.spawn_scoped(scope, || received(theirs))?;
                    program.charge(|| sent(ours, moved))?;
                    receiver.join().map_err(|_| Error::other("internal error: the receiving thread panicked"))?
                }
            }
        })?;
        let took = begun.elapsed().as_nanos() as u64;
        match arrived == moved.bytes {
            true => Ok(took),
            false => Err(Error::other(format!("{arrived} of {} bytes arrived", moved.bytes))),
        }
    }
}

fn connected() -> Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let ours = TcpStream::connect(listener.local_addr()?)?;
    // Another program on this machine may connect first, so accept only our own connection.
    loop {
        let (theirs, from) = listener.accept()?;
        if from == ours.local_addr()? {
            return Ok((ours, theirs));
        }
    }
}

fn sent(mut stream: TcpStream, moved: &Moved<'_>) -> Result<()> {
    moved.data.pieces(moved.bytes).try_for_each(|piece| stream.write_all(piece))?;
    stream.shutdown(Shutdown::Write)
}

fn received(mut stream: TcpStream) -> Result<u64> {
    let (mut arrived, mut buffer) = (0, vec![0; AT_ONCE]);
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(arrived),
            length => arrived += length as u64,
        }
    }
}
