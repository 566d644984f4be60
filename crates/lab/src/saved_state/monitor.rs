// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's monitor (QMP, "QEMU Machine Protocol Specification"): one JSON object per line. Answers come in the order of the
//! requests, with events in between.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, sleeps, uses sockets"
)]
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Error, ErrorKind, IoSlice, Read, Result, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Bytes per second, practically unlimited. QEMU's default would slow the transfer down to spare a network.
const BANDWIDTH: u64 = 100_000_000_000;
const FILE: &str = "state";

#[derive(Debug)]
pub struct Monitor {
    stream: UnixStream,
    unread: Vec<u8>,
}

impl Monitor {
    pub fn pair() -> Result<(Self, OwnedFd)> {
        let (stream, other) = UnixStream::pair()?;
        stream.set_read_timeout(Some(LOOK_EVERY))?;
        Ok((Self { stream, unread: Vec::new() }, other.into()))
    }

    /// Opens the dialogue and waits until the machine has stopped; `false` if QEMU ended first or `give_up` says so. A guest
    /// without firmware may have stopped already, so this also queries its status.
    pub fn until_stopped(&mut self, give_up: &dyn Fn() -> bool) -> Result<bool> {
        let begun = ["qmp_capabilities", "query-status"].map(|what| self.say(&json!({ "execute": what })).is_ok());
        let (mut answered, mut stopped) = (0, false);
        while begun == [true; 2] && !give_up() {
            match self.next() {
                Ok(Some(said)) => {
                    stopped |= said["event"] == "STOP" || said["return"]["status"] == "paused";
                    answered += usize::from(said.get("return").is_some());
                }
                Ok(None) => {}
                Err(_) => return Ok(false),
            }
            if stopped && answered == begun.len() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn save(&mut self, file: &File, give_up: &dyn Fn() -> bool) -> Result<()> {
        self.hand_over(file)?;
        self.answer(give_up)?;
        self.ask(
            &json!({ "execute": "migrate-set-parameters", "arguments": { "max-bandwidth": BANDWIDTH } }),
            give_up,
        )?;
        self.ask(&json!({ "execute": "migrate", "arguments": { "uri": format!("fd:{FILE}") } }), give_up)?;
        loop {
            let state = self.ask(&json!({ "execute": "query-migrate" }), give_up)?;
            match state["status"].as_str().unwrap_or_default() {
                "completed" => break,
                "failed" | "cancelled" => return Err(Error::other(format!("QEMU cannot save the guest: {state}"))),
                _ => std::thread::sleep(LOOK_EVERY),
            }
        }
        self.say(&json!({ "execute": "quit" }))
    }

    /// Passes an open file to QEMU under a name, so that QEMU need not open it.
    fn hand_over(&self, file: &File) -> Result<()> {
        let text = json!({ "execute": "getfd", "arguments": { "fdname": FILE } }).to_string();
        let files = [file.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut attached = SendAncillaryBuffer::new(&mut space);
        attached.push(SendAncillaryMessage::ScmRights(&files));
        sendmsg(&self.stream, &[IoSlice::new(text.as_bytes())], &mut attached, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn say(&mut self, what: &Value) -> Result<()> {
        self.stream.write_all(format!("{what}\n").as_bytes())
    }

    fn ask(&mut self, what: &Value, give_up: &dyn Fn() -> bool) -> Result<Value> {
        self.say(what)?;
        self.answer(give_up)
    }

    fn answer(&mut self, give_up: &dyn Fn() -> bool) -> Result<Value> {
        while !give_up() {
            let Some(mut said) = self.next()? else { continue };
            if let Some(refused) = said.get("error") {
                return Err(Error::other(format!("QEMU's monitor: {}", refused["desc"].as_str().unwrap_or("refused"))));
            }
            if let Some(returned) = said.get_mut("return") {
                return Ok(returned.take());
            }
        }
        Err(ErrorKind::TimedOut.into())
    }

    /// The next object; `None` if nothing has arrived.
    ///
    /// # Errors
    /// If QEMU has closed the connection, or sends invalid JSON.
    fn next(&mut self) -> Result<Option<Value>> {
        if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            return serde_json::from_slice(&line).map(Some).map_err(Error::other);
        }
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.unread.extend(&bytes[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &str) -> Monitor {
        let (monitor, other) = Monitor::pair().unwrap();
        UnixStream::from(other).write_all(lines.as_bytes()).unwrap();
        monitor
    }

    #[test]
    fn an_answer_is_told_from_events_and_from_a_refusal() {
        let never = || false;
        let mut monitor = said(
            "{\"event\": \"RESUME\"}\n{\"return\": {\"status\": \"active\"}}\n{\"error\": {\"desc\": \"no\"}}\n{x\n",
        );
        assert_eq!(monitor.answer(&never).unwrap()["status"], "active");
        assert_eq!(monitor.answer(&never).unwrap_err().to_string(), "QEMU's monitor: no");
        assert!(monitor.answer(&never).is_err(), "no JSON");
    }

    #[test]
    fn a_machine_that_had_stopped_before_it_was_asked_has_stopped_and_every_answer_is_taken() {
        let asked = "{\"QMP\": {}}\n{\"return\": {}}\n";
        let [paused, running] =
            ["paused", "running"].map(|status| format!("{{\"return\": {{\"status\": \"{status}\"}}}}\n"));
        let (stop, next) = ("{\"event\": \"STOP\"}\n", "{\"return\": 7}\n");
        for told in [format!("{asked}{paused}"), format!("{asked}{running}{stop}"), format!("{asked}{stop}{running}")] {
            let (mut monitor, other) = Monitor::pair().unwrap();
            let mut other = UnixStream::from(other);
            other.write_all(format!("{told}{next}").as_bytes()).unwrap();
            assert!(monitor.until_stopped(&|| false).unwrap(), "{told}");
            assert_eq!(monitor.answer(&|| false).unwrap(), 7, "{told}");
        }
    }

    #[test]
    fn an_end_before_the_stop_is_no_stop_and_patience_ends() {
        let mut gone = said("{\"QMP\": {}}\n");
        assert!(!gone.until_stopped(&|| false).unwrap());
        let (mut silent, _other) = Monitor::pair().unwrap();
        assert!(!silent.until_stopped(&|| true).unwrap());
        assert_eq!(silent.answer(&|| true).unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
