// SPDX-License-Identifier: MIT OR Apache-2.0
//! A line of a device, used as input or output.
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub(super) const PIPE: &str = "pipe";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub device: PathBuf,
    pub line: String,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once(':') {
            Some((device, line)) if !line.is_empty() && (device.starts_with("/dev/") || device == PIPE) => {
                Ok(Self { device: device.into(), line: line.to_string() })
            }
            _ => Err("expected DEVICE:LINE, such as /dev/gpiochip0:17, /dev/parport0:d1 or /dev/ttyS0:rts".to_string()),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.device.display(), self.line)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Edge {
    /// Low to high
    #[default]
    Rise,
    /// High to low
    Fall,
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("{address}: a {device} has the {use_as}{known}")]
    NoLine {
        address: String,
        device: &'static str,
        /// "input " or "output ", or empty.
        use_as: &'static str,
        known: &'static str,
    },
    #[error("{0}: unknown device; expected /dev/gpiochipN, /dev/parportN or /dev/ttyNAME")]
    NoKind(String),
    #[error("internal error: an answering thread panicked; see its message above")]
    Panic,
    #[error("{what}: {source}: {hint}")]
    Io { what: String, source: io::Error, hint: &'static str },
}

pub trait Input: Send {
    /// Waits for changes for about `patience` and returns their number. If several changes came, the thread cannot answer each.
    fn wait(&mut self, patience: Duration) -> io::Result<u64>;
}

pub trait Output: Send {
    fn pulse(&mut self) -> io::Result<()>;
}

pub(super) fn refused(address: &Address, hint: &'static str) -> impl Fn(io::Error) -> Fault {
    let what = address.to_string();
    move |source| Fault::Io { what: what.clone(), source, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_device_and_a_line_of_it() {
        for (text, device, line) in [
            ("/dev/gpiochip0:17", "/dev/gpiochip0", "17"),
            ("/dev/ttyS0:rts", "/dev/ttyS0", "rts"),
            ("pipe:/tmp/x", "pipe", "/tmp/x"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.device.to_str().unwrap(), &*address.line), (device, line));
            assert_eq!(address.to_string(), text);
        }
        for text in ["", "17", "/dev/gpiochip0", "/dev/gpiochip0:", "gpiochip0:17", ":rts"] {
            assert!(text.parse::<Address>().unwrap_err().starts_with("expected DEVICE:LINE"), "{text}");
        }
    }
}
