// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends commands to an instrument and reads its answers: SCPI over a TCP socket, the kernel's device for USB instruments
//! (USBTMC), or a serial line.
//!
//! An answer is a line, or a block of bytes that states its own length (IEEE 488.2, 8.7.9). Every wait has a time limit.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, reads the clock, uses sockets"
)]
use super::serial_line::SerialLine;
use backwall_capture::stamps::BadStamps;
use backwall_os::Stop;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Longest wait for an answer that needs no measurement; no instrument takes longer.
pub const PATIENCE: Duration = Duration::from_secs(5);
const GLANCE: Duration = Duration::from_millis(100);
// Maximum lengths of an instrument's answers: a line, and a block.
const LINE_BYTES_MAX: usize = 1 << 16;
const BLOCK_BYTES_MAX: usize = 1 << 28;
/// A block gets [`PATIENCE`] more time for each further portion of this many bytes. The slowest link in use needs that.
const BYTES_A_PATIENCE: usize = 50_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `HOST:PORT` of the instrument's raw socket.
    Tcp(String),
    Device(PathBuf),
    /// A serial line that does not use SCPI.
    Serial(PathBuf),
}

impl Address {
    fn hint(&self) -> &'static str {
        match self {
            Self::Serial(_) => "connect a Pico with backwall's firmware, and close other programs that use it",
            _ => "switch the instrument on, and close other connections to it",
        }
    }

    fn silence(&self) -> &'static str {
        match self {
            Self::Serial(_) => "expected a Pico with backwall's firmware (backwall-pico.uf2)",
            _ => "expected the SCPI socket (port 5025 on most instruments)",
        }
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("tcp:") {
            Some(place)
                if place
                    .rsplit_once(':')
                    .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()) =>
            {
                Ok(Self::Tcp(place.to_string()))
            }
            None if text.starts_with("/dev/") => Ok(Self::Device(text.into())),
            _ => Err("expected tcp:HOST:PORT (port 5025 for most instruments) or /dev/usbtmc0".to_string()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("{who}: {source}: {hint}")]
    Io { who: String, source: io::Error, hint: &'static str },
    #[error("{who}: no answer to {query} within {seconds} s: {hint}")]
    Silent { who: String, query: String, seconds: u64, hint: &'static str },
    #[error("{who}: this is {found:?}; {wanted}")]
    Identity { who: String, found: String, wanted: &'static str },
    #[error("{who}: refuses {command:?}: {text}")]
    Refuses { who: String, command: String, text: String },
    #[error("{who}: answered {query} with {text:?}; expected a {wanted}")]
    Answer { who: String, query: String, text: String, wanted: &'static str },
    #[error("{who} saw {seen} of {given} pulses on {channel}: {hint}")]
    Pulses { who: &'static str, seen: u64, given: u64, channel: String, hint: &'static str },
    #[error("{who}: {source}")]
    Stamps { who: String, source: BadStamps },
    #[error("{who}: lost {lost} edges of a burst of {pulses} pulses: {hint}")]
    Lost { who: String, lost: u64, pulses: u64, hint: String },
    #[error("stopped; the generator's output is off")]
    Stopped,
}

enum Stream {
    Tcp(TcpStream),
    Device(File),
    Serial(SerialLine),
}

pub struct Link {
    who: String,
    stream: Stream,
    ahead: Vec<u8>,
    stop: Stop,
    hint: &'static str,
    silence: &'static str,
}

impl Link {
    /// Connects, and waits for at most [`PATIENCE`].
    pub fn open(role: &str, address: &Address, stop: &Stop) -> Result<Self, Fault> {
        let (place, stream) = match address {
            Address::Tcp(place) => (place.clone(), connect(place)),
            Address::Device(path) => (path.display().to_string(), device(path)),
            Address::Serial(path) => (path.display().to_string(), SerialLine::open(path).map(Stream::Serial)),
        };
        let who = format!("{role} {place}");
        let (hint, silence) = (address.hint(), address.silence());
        let stream = stream.map_err(|source| Fault::Io { who: who.clone(), source, hint })?;
        Ok(Self { who, stream, ahead: Vec::new(), stop: stop.clone(), hint, silence })
    }

    pub fn who(&self) -> &str {
        &self.who
    }

    pub fn say(&mut self, command: &str) -> Result<(), Fault> {
        let words = format!("{command}\n");
        let written = match &mut self.stream {
            Stream::Tcp(stream) => stream.write_all(words.as_bytes()),
            Stream::Device(file) => file.write_all(words.as_bytes()),
            Stream::Serial(line) => line.write_all(words.as_bytes()),
        };
        written.map_err(|source| self.lost(source))
    }

    pub fn ask(&mut self, query: &str, patience: Duration) -> Result<String, Fault> {
        self.say(query)?;
        let end = self.until(query, patience, LINE_BYTES_MAX, |ahead| ahead.iter().position(|byte| *byte == b'\n'))?;
        let line: Vec<u8> = self.ahead.drain(..=end).collect();
        Ok(String::from_utf8_lossy(&line).trim().to_string())
    }

    /// A block with its header as received, without the line end.
    pub fn ask_block(&mut self, query: &str, patience: Duration) -> Result<Vec<u8>, Fault> {
        self.say(query)?;
        let header = self.until(query, patience, LINE_BYTES_MAX, block)?;
        let Some(end) = header.filter(|end| *end <= BLOCK_BYTES_MAX) else {
            return Err(self.answers(query, "block of bytes"));
        };
        let times = u32::try_from(1 + end / BYTES_A_PATIENCE).unwrap_or(u32::MAX);
        // The line end follows the block.
        self.until(query, patience * times, end + LINE_BYTES_MAX, |ahead| (ahead.len() > end).then_some(()))?;
        let answer = self.ahead.drain(..end).collect();
        self.ahead.clear();
        Ok(answer)
    }

    /// Reads until `found` succeeds. The number of bytes is limited, so that reading always ends.
    fn until<T>(
        &mut self,
        query: &str,
        patience: Duration,
        most: usize,
        found: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, Fault> {
        let begin = Instant::now();
        loop {
            if let Some(found) = found(&self.ahead) {
                return Ok(found);
            }
            if self.ahead.len() > most {
                return Err(self.answers(query, "short line"));
            }
            if self.stop.asked() {
                return Err(Fault::Stopped);
            }
            if begin.elapsed() >= patience {
                let seconds = patience.as_secs();
                let (who, hint) = (self.who.clone(), self.silence);
                return Err(Fault::Silent { who, query: query.into(), seconds, hint });
            }
            match self.read() {
                Ok(0) => return Err(self.lost(ErrorKind::UnexpectedEof.into())),
                Ok(_) => {}
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(self.lost(error)),
            }
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        let mut bytes = vec![0; 1 << 16];
        let read = match &mut self.stream {
            Stream::Tcp(stream) => stream.read(&mut bytes),
            Stream::Device(file) => file.read(&mut bytes),
            Stream::Serial(line) => line.read(&mut bytes, GLANCE),
        }?;
        self.ahead.extend(&bytes[..read]);
        Ok(read)
    }

    fn answers(&self, query: &str, wanted: &'static str) -> Fault {
        let text = String::from_utf8_lossy(&self.ahead[..self.ahead.len().min(40)]).into_owned();
        Fault::Answer { who: self.who.clone(), query: query.to_string(), text, wanted }
    }

    fn lost(&self, source: io::Error) -> Fault {
        Fault::Io { who: self.who.clone(), source, hint: self.hint }
    }
}

/// Whether an error means that no data has come yet. The kernel's USBTMC device waits some seconds before it returns this error.
fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn connect(place: &str) -> io::Result<Stream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "no such host");
    for address in place.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                stream.set_read_timeout(Some(GLANCE))?;
                stream.set_nodelay(true)?;
                return Ok(Stream::Tcp(stream));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Refuses anything but a character device, because writing to a disk or file would destroy its contents.
fn device(path: &PathBuf) -> io::Result<Stream> {
    if !std::fs::metadata(path)?.file_type().is_char_device() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "not an instrument; expected a device such as /dev/usbtmc0",
        ));
    }
    OpenOptions::new().read(true).write(true).open(path).map(Stream::Device)
}

/// End of the block in an answer: `None` while unknown, `Some(None)` if there is no block.
fn block(answer: &[u8]) -> Option<Option<usize>> {
    let Some(begin) = answer.iter().position(|byte| *byte == b'#') else {
        return answer.contains(&b'\n').then_some(None);
    };
    let digits = match answer.get(begin + 1)? {
        digit @ b'1'..=b'9' => usize::from(digit - b'0'),
        _ => return Some(None),
    };
    let length = answer.get(begin + 2..begin + 2 + digits)?;
    let length = std::str::from_utf8(length).ok().and_then(|text| text.parse::<usize>().ok());
    Some(length.map(|length| begin + 2 + digits + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_socket_or_a_device() {
        assert_eq!("tcp:scope.lab:5025".parse(), Ok(Address::Tcp("scope.lab:5025".into())));
        assert_eq!("/dev/usbtmc0".parse(), Ok(Address::Device("/dev/usbtmc0".into())));
        for text in ["scope.lab:5025", "tcp:scope.lab", "tcp::5025", "tcp:a:99999", "usb0", ""] {
            assert!(text.parse::<Address>().unwrap_err().contains("expected tcp:HOST:PORT"), "{text}");
        }
    }

    #[test]
    fn a_file_is_no_device() {
        let file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        let stop = Stop::default();
        let refused = Link::open("generator", &Address::Device(file.path().into()), &stop).err().unwrap().to_string();
        assert!(refused.contains("not an instrument"), "{refused}");
        assert_eq!(std::fs::metadata(file.path()).unwrap().len(), 0);
    }

    #[test]
    fn a_block_ends_where_it_says() {
        for (answer, wanted) in [
            (&b":CURVE #15hello\n"[..], Some(Some(15))),
            (b"#21", None),
            (b"#2", None),
            (b"", None),
            (b":CURVE", None),
            (b"no block\n", Some(None)),
            (b"#0abc\n", Some(None)),
            (b"#1x", Some(None)),
        ] {
            assert_eq!(block(answer), wanted, "{:?}", String::from_utf8_lossy(answer));
        }
    }
}
