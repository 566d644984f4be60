// SPDX-License-Identifier: MIT OR Apache-2.0
//! System management interrupts: the firmware stops the CPU, and the kernel notices only by this count.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// MSR_SMI_COUNT of Intel processors since Nehalem (Intel SDM, volume 4); other processors have no such count.
const COUNT: u64 = 0x34;
/// The manufacturer of these processors, as in `/proc/cpuinfo`.
pub const MAKER: &str = "GenuineIntel";

/// Path of a CPU's model-specific registers; needs the kernel module `msr`.
pub fn registers(cpu: u32) -> String {
    format!("/dev/cpu/{cpu}/msr")
}

pub fn count(registers: &Path) -> Result<u64> {
    let mut value = [0; 8];
    File::open(registers)?.read_exact_at(&mut value, COUNT)?;
    Ok(u64::from_le_bytes(value))
}

/// The counts of these CPUs; `None` if one is unreadable.
pub fn counts(cpus: &[u32]) -> Option<Vec<u64>> {
    let maker = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let all = || cpus.iter().map(|cpu| count(&PathBuf::from(registers(*cpu))).ok()).collect();
    if maker.contains(MAKER) { all() } else { None }
}
