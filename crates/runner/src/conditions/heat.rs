// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads from the kernel's throttle counters whether the kernel slowed a measured CPU down because the CPU was too hot.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use std::path::Path;

/// Counts of `core_throttle_count` and `package_throttle_count` at the start, for each CPU.
#[derive(Debug)]
pub struct Heat {
    before: Vec<(u32, u64)>,
}

impl Heat {
    pub fn of(cpus: &[u32]) -> Self {
        Self::under(Path::new("/sys/devices/system/cpu"), cpus)
    }

    fn under(folder: &Path, cpus: &[u32]) -> Self {
        Self { before: cpus.iter().filter_map(|cpu| Some((*cpu, count(folder, *cpu)?))).collect() }
    }

    pub fn throttled(&self) -> impl Iterator<Item = String> {
        self.since(Path::new("/sys/devices/system/cpu"))
    }

    fn since(&self, folder: &Path) -> impl Iterator<Item = String> {
        self.before.iter().filter_map(move |(cpu, before)| {
            let times = count(folder, *cpu)?.checked_sub(*before).filter(|times| *times > 0)?;
            Some(format!("CPU {cpu} was throttled {times} times because it was too hot"))
        })
    }
}

fn count(folder: &Path, cpu: u32) -> Option<u64> {
    let read = |name: &str| {
        let path = folder.join(format!("cpu{cpu}/thermal_throttle/{name}_throttle_count"));
        std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
    };
    Some(read("core")? + read("package").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_between_is_told_and_what_is_not_counted_is_not() {
        let top = tempfile::tempdir().unwrap();
        let put = |cpu: u32, core: &str| {
            let folder = top.path().join(format!("cpu{cpu}/thermal_throttle"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("core_throttle_count"), core).unwrap();
        };
        put(1, "5\n");
        put(2, "0\n");
        let heat = Heat::under(top.path(), &[1, 2, 3]);
        put(1, "8\n");
        let told: Vec<String> = heat.since(top.path()).collect();
        assert_eq!(told, ["CPU 1 was throttled 3 times because it was too hot"]);
    }
}
