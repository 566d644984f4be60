// SPDX-License-Identifier: MIT OR Apache-2.0
//! The door of a recording process: a socket through which clients get what was recorded last, while the recording continues.
//!
//! A door is an abstract Unix socket, so its name disappears when its process ends, and `/proc/net/unix` lists the open ones. It
//! answers only its own user and root. Any process can take such a name. The client therefore asks the kernel who owns the
//! socket before it trusts an answer: the owner must be the process in the name, and must be of the same user unless the client
//! named the process. A separate thread, off the measured CPUs, writes the answer; the recorder gives this thread a copy of its
//! recording.
//!
//! ```text
//! recording LENGTH\n     and that many bytes of a trace.dat
//! nothing WHY\n
//! foreign\n             to another user
//! ```
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, reads the clock, sleeps, uses sockets"
)]
use backwall_ftrace::request::{Answering, Request};
use backwall_model::is_command;
use backwall_os::peer::{self, Peer};
use rustix::process::geteuid;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Prefix of every door's name. The process number, a unique mark and the command follow it.
const PREFIX: &str = "backwall-door-";
/// Shown as the command if the door's name has none, as in an earlier version.
const UNKNOWN: &str = "unknown";
/// Longest wait for a recorder, which checks for requests at each response or twenty times a second.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest time that one side waits without receiving data, and longest time of the whole exchange. A recorder needs less than
/// either.
const SILENCE: Duration = Duration::from_secs(30);
const ALL: Duration = Duration::from_secs(60);
/// Delay after a request of another user, so that a flood of requests cannot load the recorder's CPU.
const AFTER_A_STRANGER: Duration = Duration::from_millis(5);
const RECORDING: &str = "recording";
const NOTHING: &str = "nothing";
const FOREIGN: &str = "foreign";
/// Maximum length of an answer's first line. A longer one comes from another program.
const MOST_LINE: u64 = 1_024;
/// Maximum size of a recording. A real recording is never larger, because the recorder held it in memory.
pub const MOST_BYTES: u64 = 192 << 20;

pub struct Door {
    request: Arc<Request>,
    name: String,
    ends: Arc<AtomicBool>,
}

impl Door {
    /// Opens a door for the recording command. If the system lacks abstract sockets, clients find no door.
    pub fn open(command: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let door = Self {
            request: Arc::default(),
            // Processes in two containers that share a network can have the same number.
            name: format!("{PREFIX}{}-{number}-{:x}-{command}", std::process::id(), now()),
            ends: Arc::default(),
        };
        if let Ok(listener) = address(&door.name).and_then(|address| UnixListener::bind_addr(&address)) {
            let (request, ends) = (door.request.clone(), door.ends.clone());
            // If the thread cannot be started, the door stays closed. The measurement does not need it.
            let _ = std::thread::Builder::new()
                .name(backwall_model::DOOR_THREAD.into())
                .spawn(move || serve(&listener, &request, &ends));
        }
        door
    }

    pub fn answering(&self) -> Answering {
        self.request.answering()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        // The door's thread blocks in accept(), so connect once to wake it.
        let _ = address(&self.name).and_then(|address| UnixStream::connect_addr(&address));
    }
}

fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

fn address(name: &str) -> Result<SocketAddr> {
    SocketAddr::from_abstract_name(name)
}

fn serve(listener: &UnixListener, request: &Request, ends: &AtomicBool) {
    for guest in listener.incoming() {
        if ends.load(Ordering::Relaxed) {
            return;
        }
        // A client that left in the meantime needs no answer.
        let _ = guest.and_then(|mut guest| answer(&mut guest, request));
    }
}

fn answer(guest: &mut UnixStream, request: &Request) -> Result<()> {
    guest.set_write_timeout(Some(SILENCE))?;
    let other = peer::of(&*guest)?.user;
    answer_to(other, guest, request)
}

fn answer_to(other: u32, guest: &mut UnixStream, request: &Request) -> Result<()> {
    if ![geteuid().as_raw(), 0].contains(&other) {
        let told = writeln!(guest, "{FOREIGN}");
        std::thread::sleep(AFTER_A_STRANGER);
        return told;
    }
    let recording = request.ask(PATIENCE).and_then(|lately| Ok(lately.into_recording()?));
    match recording {
        Ok(bytes) => writeln!(guest, "{RECORDING} {}", bytes.len()).and_then(|()| guest.write_all(&bytes)),
        Err(why) => writeln!(guest, "{NOTHING} {}", why.to_string().replace('\n', " ")),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorRecording {
    pub process: i32,
    pub command: String,
    pub came: std::result::Result<Vec<u8>, String>,
}

/// Asks every door of this user on this machine, or only the door of one process. Root may name a process of another user.
///
/// # Errors
/// If the kernel does not list its sockets.
pub fn knock(only: Option<i32>) -> Result<Vec<DoorRecording>> {
    let table = std::fs::read_to_string("/proc/net/unix")?;
    // A door opened in a container has the process number that is valid inside that container.
    let inside = only.and_then(innermost);
    let is_asked = |process: i32| only.is_none_or(|only| only == process || inside == Some(process));
    let asked = doors(&table).filter(|door| is_asked(door.process));
    // Ask all doors at once, so that a silent one does not delay the others.
    let mut given: Vec<DoorRecording> = std::thread::scope(|scope| {
        let knocking: Vec<_> = asked.map(|door| scope.spawn(move || knock_at(door, only))).collect();
        knocking.into_iter().filter_map(|one| one.join().ok().flatten()).collect()
    });
    // A process in another container may have the same number as the requested one. Drop its answer if the requested process
    // answered too.
    if only.is_some() && given.iter().any(|one| !one.is_elsewhere()) {
        given.retain(|one| !one.is_elsewhere());
    }
    given.sort_by_key(|one| one.process);
    Ok(given)
}

impl DoorRecording {
    fn is_elsewhere(&self) -> bool {
        self.came.as_ref().is_err_and(|why| why == ELSEWHERE)
    }
}

/// Asks one door. `None` if it has closed, refuses this user, or does not belong to the process in its name.
fn knock_at(listed: DoorEntry, only: Option<i32>) -> Option<DoorRecording> {
    let door = address(listed.name).and_then(|address| UnixStream::connect_addr(&address)).ok()?;
    let Peer { process, user } = peer::of(&door).ok()?;
    if user != geteuid().as_raw() && only.is_none() {
        return None;
    }
    let given = |process, came| Some(DoorRecording { process, command: listed.command.to_string(), came });
    let Some(process) = process else { return given(listed.process, Err(ELSEWHERE.to_string())) };
    let is_own = process == listed.process || innermost(process) == Some(listed.process);
    if !is_own || only.is_some_and(|only| only != process) {
        return None;
    }
    match listen_at(Until { door: &door, ends: Instant::now() + ALL }) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => None,
        came => given(process, came.map_err(|error| said(&error))),
    }
}

/// The kernel cannot confirm who owns a door if that process is in another container.
const ELSEWHERE: &str = "the process is in another container (PID namespace); run this command there, or on the host";

fn innermost(process: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|row| row.strip_prefix("NSpid:")?.split_ascii_whitespace().last()?.parse().ok())
}

struct Until<'a> {
    door: &'a UnixStream,
    ends: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let left = self.ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.door.set_read_timeout(Some(left.min(SILENCE)))?;
        self.door.read(into)
    }
}

fn said(error: &Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => {
            "the process ended before it had sent everything".to_string()
        }
        ErrorKind::WouldBlock => format!("the process sent nothing for {} s", SILENCE.as_secs()),
        ErrorKind::TimedOut => format!("the process did not send everything within {} s", ALL.as_secs()),
        _ => error.to_string(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DoorEntry<'a> {
    process: i32,
    command: &'a str,
    name: &'a str,
}

impl<'a> DoorEntry<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let mut words = name.strip_prefix(PREFIX)?.splitn(4, '-');
        let process = words.next()?.parse().ok()?;
        let command = words.nth(2).filter(|word| is_command(word)).unwrap_or(UNKNOWN);
        Some(Self { process, command, name })
    }
}

/// The listening sockets in the kernel's list that have the name of a door.
fn doors(table: &str) -> impl Iterator<Item = DoorEntry<'_>> {
    const LISTENS: u64 = 1 << 16;
    table.lines().filter_map(|row| {
        let mut fields = row.split_ascii_whitespace();
        let flags = u64::from_str_radix(fields.nth(3)?, 16).ok()?;
        let door = DoorEntry::of(fields.nth(3)?.strip_prefix('@')?)?;
        (flags & LISTENS != 0).then_some(door)
    })
}

fn listen_at(door: impl Read) -> Result<Vec<u8>> {
    let mut door = BufReader::new(door);
    let mut line = Vec::new();
    (&mut door).take(MOST_LINE).read_until(b'\n', &mut line)?;
    let Some(line) = line.strip_suffix(b"\n") else { return Err(ErrorKind::UnexpectedEof.into()) };
    let line = String::from_utf8_lossy(line);
    match line.split_once(' ') {
        None if line == FOREIGN => Err(ErrorKind::PermissionDenied.into()),
        Some((NOTHING, why)) => Err(Error::other(why.to_string())),
        Some((RECORDING, length)) => {
            let length = length.parse().ok().filter(|length| *length <= MOST_BYTES);
            let length = length.ok_or_else(|| Error::other("the process is another version of backwall"))?;
            let mut bytes = Vec::new();
            door.take(length).read_to_end(&mut bytes)?;
            if bytes.len() as u64 == length { Ok(bytes) } else { Err(ErrorKind::UnexpectedEof.into()) }
        }
        _ => Err(Error::other("the process is another version of backwall")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Num       RefCount Protocol Flags    Type St Inode Path\n";

    #[test]
    fn a_door_is_a_socket_that_listens_by_its_name() {
        let row =
            |flags: &str, path: &str| format!("0000000000000000: 00000002 00000000 {flags} 0001 01 4711 {path}\n");
        let table = [
            HEAD.to_string(),
            row("00010000", "@backwall-door-7-0-1f-watch"),
            row("00010000", "@backwall-door-8-0-1f"),
            row("00010000", "@backwall-door-9-0-1f-../x"),
            row("00000000", "@backwall-door-7-0-1f-watch"),
            row("00010000", "/run/backwall-door-8-0"),
            row("00010000", "@other"),
            row("00010000", ""),
        ];
        let told = [(7, "watch"), (8, UNKNOWN), (9, UNKNOWN)];
        assert_eq!(doors(&table.concat()).map(|door| (door.process, door.command)).collect::<Vec<_>>(), told);
    }

    #[test]
    fn a_recording_is_whole_or_none_and_every_other_word_is_a_reason() {
        let told = |bytes: &[u8]| listen_at(bytes).map_err(|error| said(&error));
        assert_eq!(told(b"recording 3\nabcd"), Ok(b"abc".to_vec()));
        for (bytes, why) in [
            (&b"recording 3\nab"[..], "the process ended before it had sent everything"),
            (b"", "the process ended before it had sent everything"),
            (b"recording 3", "the process ended before it had sent everything"),
            (b"nothing to be had\n", "to be had"),
            (b"recording -1\n", "the process is another version of backwall"),
            (b"recording 99999999999\n", "the process is another version of backwall"),
            (b"\xff\n", "the process is another version of backwall"),
        ] {
            assert_eq!(told(bytes), Err(why.to_string()), "{bytes:?}");
        }
    }

    // Otherwise a stranger could keep the recorder's CPU busy at will.
    #[test]
    fn a_strangers_knocks_are_answered_slowly() {
        const KNOCKS: u32 = 10;
        let (stranger, begun) = (geteuid().as_raw() + 1, Instant::now());
        for _ in 0..KNOCKS {
            let (mut inside, outside) = UnixStream::pair().unwrap();
            answer_to(stranger, &mut inside, &Request::default()).unwrap();
            drop(inside);
            assert_eq!(std::io::read_to_string(outside).unwrap(), format!("{FOREIGN}\n"));
        }
        assert!(begun.elapsed() >= KNOCKS * AFTER_A_STRANGER);
    }

    // Any process can take a name, so the name proves nothing.
    #[test]
    fn a_door_in_the_name_of_another_process_is_not_believed() {
        let name = format!("{PREFIX}1-0-{:x}-run", now());
        let door = DoorEntry::of(&name).unwrap();
        let listener = UnixListener::bind_addr(&address(&name).unwrap()).unwrap();
        let own = std::process::id() as i32;
        assert_eq!((knock_at(door, Some(1)), knock_at(door, None)), (None, None));
        let door = DoorEntry { process: own, ..door };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for guest in listener.incoming().skip(2).take(1) {
                    writeln!(guest.unwrap(), "{NOTHING} to be had").unwrap();
                }
            });
            let given = knock_at(door, None).unwrap();
            assert_eq!((given.process, given.came), (own, Err("to be had".to_string())));
        });
    }

    #[test]
    fn whoever_knocks_is_answered_and_where_nobody_records_hears_so() {
        let own = std::process::id() as i32;
        let door = Door::open("run");
        let [given] = &knock(Some(own)).unwrap()[..] else { panic!("one door of this process") };
        assert_eq!((given.process, given.command.as_str()), (own, "run"));
        assert!(given.came.as_ref().unwrap_err().starts_with("no recorder is active"), "{given:?}");
        let name = door.name.clone();
        drop(door);
        while address(&name).and_then(|address| UnixStream::connect_addr(&address)).is_ok() {
            std::thread::yield_now();
        }
        assert_eq!(knock(Some(own)).unwrap(), []);
    }
}
