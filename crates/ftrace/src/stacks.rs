// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's stack in every interrupt of a CPU's timer, which a trigger writes into backwall's trace instance.
use crate::functions;
use crate::instance::Instance;
use crate::toggle::Switch;

/// The first kernel that always writes the stack into the instance of the trigger. Older ones may write it into the global trace,
/// which is not backwall's.
const FIRST: (u32, u32) = (5, 17);
pub(super) const TRIGGER: &str = "stacktrace";
/// On x86 the timer's vector has an event of its own. Elsewhere the timer is one of the interrupts, with one of these names.
const VECTOR: (&str, &str) = ("irq_vectors/local_timer_entry", "stacktrace");
const LINE: (&str, &str) = ("irq/irq_handler_entry", "stacktrace if name == \"arch_timer\" || name == \"riscv-timer\"");

/// Sets the trigger; returns the switch that turns it off and on, or `None` if this kernel has no such trigger.
pub(super) fn switch_on(instance: &Instance) -> Option<Switch> {
    let release = rustix::system::uname();
    if !is_of_instance(&release.release().to_string_lossy()) {
        return None;
    }
    let known = [VECTOR, LINE].into_iter().find(|(event, _)| instance.has(&format!("events/{event}/trigger")));
    let (event, trigger) = known?;
    let path = instance.path(&format!("events/{event}/trigger"));
    let switch = Switch::of_words(path, trigger, &format!("!{trigger}"));
    switch.turn(true).ok().map(|()| switch)
}

pub fn no_stacks() -> Option<String> {
    let uname = rustix::system::uname();
    let release = uname.release().to_string_lossy();
    if !is_of_instance(&release) {
        let (major, minor) = FIRST;
        return Some(format!(
            "Linux {release} may mix its stacks into the global trace; {major}.{minor} and newer do not"
        ));
    }
    functions::of_this_kernel().is_empty().then(|| {
        "the kernel hides the addresses of its functions; run as root and set kernel.kptr_restrict to 0 or 1"
            .to_string()
    })
}

fn is_of_instance(release: &str) -> bool {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_may_write_into_the_trace_of_all_gets_no_trigger() {
        let releases = ["5.10.0-33-amd64", "5.16.12", "5.17.0-rc6", "6.18.44-fc-v595", "10.1", "odd"];
        assert_eq!(releases.map(is_of_instance), [false, false, true, true, true, false]);
    }
}
