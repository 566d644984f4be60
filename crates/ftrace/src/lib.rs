// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's trace of this machine: the only crate that opens tracefs.
//!
//! It creates an instance of its own there, and reads the rings while a phase runs, or only when a response is longer than a
//! limit. The crate `trace` analyses the events, and opens no file of the kernel's.
pub mod attached;
mod buffer;
mod elsewhere;
pub mod export;
pub mod flight;
mod functions;
pub mod instance;
mod kernel_code;
mod late_stacks;
pub mod lately;
mod mentioned;
pub mod missing;
mod quotas;
mod read_page;
pub mod recorder;
pub mod recording_file;
pub mod released;
pub mod request;
mod spool;
mod stacks;
mod toggle;
pub mod tracefs;
pub mod tracker;
mod unrecorded;
mod until;

pub use buffer::RINGS_MIB_MAX;
pub use elsewhere::Others;
pub use recorder::Recorder;
pub use stacks::no_stacks;
pub use toggle::{Switch, TOGGLED, Toggle};
pub use unrecorded::unrecorded;

use backwall_os::container::Container;
use std::path::{Path, PathBuf};

/// How to get access to the trace, in a container or on a machine.
fn remedy(on_a_machine: &'static str) -> &'static str {
    Container::of_this_process().map_or(on_a_machine, Container::tracing)
}

// The file's name would not help a user other than root: every file of the trace belongs to root.
fn refused(action: &str, path: &Path, source: &std::io::Error, is_root: bool) -> String {
    if source.kind() == std::io::ErrorKind::PermissionDenied && !is_root {
        return format!("only root may; {}", remedy("run it with sudo"));
    }
    format!("{action} {}: {source}; {}", path.display(), remedy("run as root, with lockdown off"))
}

#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// There is no tracefs, and none can be mounted for this process alone.
    #[error("cannot open the kernel's trace: {reason}; {}", remedy("run as root on a kernel with tracefs"))]
    NoTracefs { reason: String },
    #[error("cannot open the kernel's trace: {}", refused(action, path, source, rustix::process::geteuid().is_root()))]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error("this kernel lacks the event {event}, which the stages of a wakeup need")]
    NoEvent { event: String },
    #[error(
        "this kernel keeps marks in its main buffer alone (Linux 6.16 can copy them); record with: \
         trace-cmd record -C mono -e sched -e timer -e irq"
    )]
    NoMarks,
    #[error("the format of {event}: {source}")]
    Format { event: String, source: backwall_trace::ring::format::FormatError },
    #[error("the trace is truncated: {reason}")]
    Cut { reason: String },
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn a_user_without_root_is_told_of_root_and_not_of_a_file() {
        let path = Path::new("/sys/kernel/tracing/instances/backwall-1");
        let said = |kind: ErrorKind, is_root| refused("create", path, &Error::from(kind), is_root);
        assert!(said(ErrorKind::PermissionDenied, false).starts_with("only root may; "));
        let file = "create /sys/kernel/tracing/instances/backwall-1: ";
        assert!(said(ErrorKind::PermissionDenied, true).starts_with(file), "lockdown refuses root, too");
        assert!(said(ErrorKind::StorageFull, false).starts_with(file));
    }
}
