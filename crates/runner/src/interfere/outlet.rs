// SPDX-License-Identifier: MIT OR Apache-2.0
//! Destinations of the sieve's messages, and their readers.
#![expect(clippy::disallowed_types, reason = "reads and writes files, uses sockets")]
use super::processor_time;
use super::pseudo_terminal;
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{Read, Result, Write, sink};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

const AT_ONCE: usize = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlet {
    Terminal,
    File,
    Pipe,
    /// A pseudo-terminal whose data goes over loopback to a reader, as with telnet.
    Telnet,
    Count,
    Nothing,
}

impl Outlet {
    pub const ALL: [Self; 6] = [Self::Terminal, Self::File, Self::Pipe, Self::Telnet, Self::Count, Self::Nothing];

    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::File => "file",
            Self::Pipe => "pipe",
            Self::Telnet => "pseudo-terminal over loopback",
            Self::Count => "only the final count",
            Self::Nothing => "nothing",
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Telnet => "telnet",
            Self::Count => "count",
            _ => self.name(),
        }
    }

    pub fn open(self) -> Result<OpenOutlet> {
        match self {
            Self::Terminal => OpenOutlet::alone(File::options().write(true).open("/dev/tty")?),
            Self::File => OpenOutlet::alone(tempfile::tempfile_in(".")?),
            Self::Count | Self::Nothing => OpenOutlet::alone(sink()),
            Self::Pipe => {
                let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
                Ok(OpenOutlet {
                    writer: Box::new(File::from(writer)),
                    readers: vec![reading(File::from(reader), sink())?],
                })
            }
            Self::Telnet => telnet(),
        }
    }
}

pub struct OpenOutlet {
    writer: Box<dyn Write + Send>,
    readers: Vec<JoinHandle<u64>>,
}

impl OpenOutlet {
    fn alone(writer: impl Write + Send + 'static) -> Result<Self> {
        Ok(Self { writer: Box::new(writer), readers: Vec::new() })
    }

    pub fn writer(&mut self) -> &mut dyn Write {
        &mut *self.writer
    }

    /// Closes the outlet and waits until its readers have read everything. Returns their CPU time in nanoseconds.
    pub fn finish(self) -> u64 {
        drop(self.writer);
        self.readers.into_iter().map(|reader| reader.join().unwrap_or(0)).sum()
    }
}

fn telnet() -> Result<OpenOutlet> {
    let (master, program) = pseudo_terminal::pair()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let sender = TcpStream::connect(listener.local_addr()?)?;
    sender.set_nodelay(true)?;
    let (receiver, _) = listener.accept()?;
    let readers = vec![reading(master, sender)?, reading(receiver, sink())?];
    Ok(OpenOutlet { writer: Box::new(program), readers })
}

/// Starts a thread that reads to the end and forwards the data. A pseudo-terminal signals its end by an error. The thread returns
/// its CPU time.
fn reading(mut from: impl Read + Send + 'static, mut to: impl Write + Send + 'static) -> Result<JoinHandle<u64>> {
    let read = move || {
        let mut piece = [0; AT_ONCE];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            if to.write_all(&piece[..length]).is_err() {
                break;
            }
        }
        processor_time::of_this_thread_ns()
    };
    std::thread::Builder::new().name("bw-show".into()).spawn(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_written_is_read_to_its_end() {
        for outlet in [Outlet::Pipe, Outlet::Telnet, Outlet::Nothing] {
            let mut opened = outlet.open().unwrap();
            for _ in 0..2_000 {
                opened.writer().write_all(b"a message of some length\r").unwrap();
            }
            let spent = opened.finish();
            assert!(outlet == Outlet::Nothing || spent > 0, "{}", outlet.name());
        }
    }
}
