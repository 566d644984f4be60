// SPDX-License-Identifier: MIT OR Apache-2.0
//! The build options of the running kernel.
use super::Machine;
use std::io::Read;

const MOST_BYTES: u64 = 4 << 20;

/// The text of `/proc/config.gz` or of the file in `/boot`, and which of them was read.
pub(super) fn read(machine: &Machine) -> Option<(String, String)> {
    compressed(machine).or_else(|| installed(machine))
}

fn compressed(machine: &Machine) -> Option<(String, String)> {
    const PLACE: &str = "/proc/config.gz";
    let bytes = machine.bytes(PLACE).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some((text, PLACE.to_string()))
}

fn installed(machine: &Machine) -> Option<(String, String)> {
    let release = machine.read("/proc/sys/kernel/osrelease").ok()?;
    let safe = !release.contains('/');
    let place = format!("/boot/config-{release}");
    Some((machine.read(&place).ok().filter(|_| safe)?, place))
}
