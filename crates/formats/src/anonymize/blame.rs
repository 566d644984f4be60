// SPDX-License-Identifier: MIT OR Apache-2.0
//! Anonymizes the causes of a response. Cause and duration stay. Of a culprit only the kind stays (interrupt, softirq, kernel
//! thread, own thread, other).
use backwall_model::{Blame, Culprit, Holder, OWN_INTERRUPTS, Share, Shares, Thread, Wakers};

/// Prefixes of kernel thread names that may stay. Other names may be specific to a machine.
const KERNEL_THREADS: [&str; 12] = [
    "ksoftirqd",
    "kworker",
    "migration",
    "rcu",
    "ktimers",
    "swapper",
    "kthreadd",
    "khugepaged",
    "kswapd",
    "kcompactd",
    "irq_work",
    "watchdog",
];
const OWN_THREADS: [(&str, &str); 2] = [("bw-", "bw"), ("backwall-", "backwall")];
const PROGRAM: &str = "program";
const DEVICE: &str = "device";

pub(crate) fn scrubbed(blame: &Blame) -> Option<Blame> {
    match blame {
        Blame::Shares { shares, .. } => {
            let shares = Shares::of(shares.iter().map(share))?;
            Some(Blame::Shares { shares, wakers: Wakers::default() })
        }
        // Counts by CPU mode contain no names.
        Blame::Modes(division) => Some(Blame::Modes(*division)),
        Blame::Unseen { .. } => Some(Blame::Unseen { moved: None }),
        Blame::Unfitting => Some(Blame::Unfitting),
    }
}

fn share(share: &Share) -> Share {
    Share { cause: share.cause, culprit: share.culprit.as_ref().map(culprit), ns: share.ns }
}

fn culprit(culprit: &Culprit) -> Culprit {
    let holder = match &culprit.holder {
        Holder::Unknown => Holder::Unknown,
        Holder::Idle => Holder::Idle,
        Holder::Softirq(number) => Holder::Softirq(*number),
        Holder::Interrupt(name) => {
            let known = OWN_INTERRUPTS.iter().find(|(known, _)| known == name);
            Holder::Interrupt(known.map_or(DEVICE, |(known, _)| known).to_string())
        }
        Holder::Thread(thread) => Holder::Thread(self::thread(thread)),
    };
    Culprit { holder, more: None }
}

fn thread(thread: &Thread) -> Thread {
    let name = thread.name.as_deref().unwrap_or_default();
    let own = OWN_THREADS.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, called)| *called);
    let kernel = || KERNEL_THREADS.iter().find(|begin| name.starts_with(**begin)).copied();
    let called = own.or_else(kernel).unwrap_or(PROGRAM);
    Thread { name: Some(called.to_string()), id: None, priority: thread.priority, series: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_of_the_processors_own_keeps_its_name_and_one_of_a_device_does_not() {
        let scrubbed = |name: &str| {
            let from = Culprit { holder: Holder::Interrupt(name.to_string()), more: None };
            let Holder::Interrupt(name) = culprit(&from).holder else { panic!("{name}") };
            name
        };
        for name in OWN_INTERRUPTS.iter().map(|(name, _)| *name).chain(["arch_timer", "riscv-timer", "IPI"]) {
            assert_eq!(scrubbed(name), name);
        }
        assert_eq!(["eth0", "annas-card", "IPI0"].map(scrubbed), [DEVICE; 3]);
    }
}
