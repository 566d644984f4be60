// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this user may request: real-time priority and locked memory.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::machine::Unread;
use super::{Machine, Reading};

const LIMITS: &str = "/proc/self/limits";
const STATUS: &str = "/proc/self/status";

/// Bit numbers of capabilities(7).
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_NICE: u32 = 23;

pub(super) fn priority(machine: &Machine) -> Reading {
    let limit = priority_limit(95);
    limit.judge(machine, "without real-time priority, any program can delay the probe")
}

/// Whether the limits allow this process `priority`; a control group may still refuse it. A capability in a user namespace does
/// not count on the machine.
pub(super) fn may_have(machine: &Machine, priority: u32) -> bool {
    let limit = priority_limit(u64::from(priority));
    let of_the_machine = machine.read("/proc/self/uid_map").is_ok_and(|map| map.ends_with("4294967295"));
    of_the_machine && limit.has_capability(machine) || limit.soft(machine).is_ok_and(|value| value >= limit.enough)
}

fn priority_limit(enough: u64) -> Limit {
    Limit { row: "Max realtime priority", capability: CAP_SYS_NICE, name: "CAP_SYS_NICE", enough }
}

pub(super) fn locked_memory(machine: &Machine) -> Reading {
    const ENOUGH_BYTES: u64 = 64 << 20;
    let limit =
        Limit { row: "Max locked memory", capability: CAP_IPC_LOCK, name: "CAP_IPC_LOCK", enough: ENOUGH_BYTES };
    limit.judge(machine, "a thread must wait when it needs memory that is not locked and was paged out")
}

/// How to grant this user's programs real-time priority and locked memory, if missing.
pub(super) fn remedy(machine: &Machine) -> String {
    if let Some(container) = machine.container() {
        return container.rights().to_string();
    }
    if let Some(service) = service(machine) {
        let folder = format!("/etc/systemd/system/{service}.d");
        return format!(
            "LimitRTPRIO=99 and LimitMEMLOCK=infinity in {service}; sudo mkdir -p {folder} && printf \
             '[Service]\\nLimitRTPRIO=99\\nLimitMEMLOCK=infinity\\n' | sudo tee {folder}/realtime.conf && sudo systemctl \
             daemon-reload && sudo systemctl restart {service}"
        );
    }
    let tool = std::fs::read_link(machine.place("/proc/self/exe")).ok();
    let tool = tool.map_or("backwall".to_string(), |path| path.display().to_string());
    format!(
        "run as root or with sudo; or for good: sudo setcap cap_sys_nice,cap_ipc_lock=p {tool}, or \"@realtime - rtprio 99\" and \
         \"@realtime - memlock unlimited\" in /etc/security/limits.conf, join that group and log in again"
    )
}

/// The remedy as a sentence, with a command below it.
fn fix(machine: &Machine) -> String {
    let remedy = remedy(machine);
    match (machine.container(), remedy.split_once("; or for good: ")) {
        (None, Some((_, for_good))) => {
            let (command, others) = for_good.split_once(", or ").unwrap_or((for_good, ""));
            format!("run as root, or give the rights for good\n{command}   # or {others}")
        }
        _ => remedy.replacen("; ", "\n", 1),
    }
}

/// The system service to which this process belongs.
fn service(machine: &Machine) -> Option<String> {
    let groups = machine.read("/proc/self/cgroup").ok()?;
    let names = groups.lines().filter_map(|row| row.split_once(":/system.slice/")?.1.split('/').next());
    let is_safe = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-@:".contains(letter));
    names.filter(|name| name.ends_with(".service") && is_safe(name)).map(String::from).next()
}

struct Limit {
    row: &'static str,
    capability: u32,
    name: &'static str,
    enough: u64,
}

impl Limit {
    fn judge(&self, machine: &Machine, why: &str) -> Reading {
        if self.has_capability(machine) {
            return Reading::good(format!("{STATUS}: {}", self.name), "granted to this process");
        }
        match self.soft(machine) {
            Err(unread) => Reading::unknown(&unread, why),
            Ok(value) if value >= self.enough => {
                Reading::good(format!("{LIMITS}: {} {}", self.row, shown(value)), "enough for the probe")
            }
            Ok(value) => Reading::bad(format!("{LIMITS}: {} {}", self.row, shown(value)), why).fix(fix(machine)),
        }
    }

    fn has_capability(&self, machine: &Machine) -> bool {
        let text = machine.read(STATUS).unwrap_or_default();
        let mask = text.lines().find_map(|row| row.strip_prefix("CapEff:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> self.capability & 1 == 1)
    }

    fn soft(&self, machine: &Machine) -> Result<u64, Unread> {
        let text = machine.read(LIMITS)?;
        let row = text.lines().find_map(|row| row.strip_prefix(self.row)).unwrap_or_default();
        match row.split_whitespace().next() {
            Some("unlimited") => Ok(u64::MAX),
            Some(number) => number.parse().map_err(|_| machine.strange(LIMITS, row)),
            None => Err(machine.strange(LIMITS, &text)),
        }
    }
}

fn shown(value: u64) -> String {
    if value == u64::MAX { "unlimited".to_string() } else { value.to_string() }
}
