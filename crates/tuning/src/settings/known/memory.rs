// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that the kernel moves, gathers or writes out under a thread.
use crate::settings::form::Form;
use crate::settings::machine::Machine;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;

fn to(machine: &Machine, path: &str, form: Form, wanted: &str) -> Option<Change> {
    Change::to(machine, Place::file(path, form), wanted)
}

pub const HUGE_PAGES: Setting = Setting {
    name: "huge-pages",
    checks: &["huge pages"],
    against: &[Suspect::Fault, Suspect::Kernel("khugepaged")],
    does: "gives huge pages only to programs that ask for them, and the kernel makes none in the background",
    harm: "programs that use much memory and do not ask for huge pages may run slower",
    changes: |machine| {
        const FOLDER: &str = "/sys/kernel/mm/transparent_hugepage";
        let enabled = machine.read(&format!("{FOLDER}/enabled")).unwrap_or_default();
        let always = Form::Chosen.same(&enabled, "always");
        let enabled = always.then(|| to(machine, &format!("{FOLDER}/enabled"), Form::Chosen, "madvise")).flatten();
        let gathered = to(machine, &format!("{FOLDER}/khugepaged/defrag"), Form::Text, "0");
        enabled.into_iter().chain(gathered).collect()
    },
};

pub const COMPACTION: Setting = Setting {
    name: "compaction",
    checks: &[],
    against: &[Suspect::Kernel("kcompactd")],
    does: "stops the kernel from compacting memory before a program needs large pages",
    harm: "large pages may be missing later, and the kernel then makes them while a program waits",
    changes: |machine| to(machine, "/proc/sys/vm/compaction_proactiveness", Form::Text, "0").into_iter().collect(),
};

pub const SWAPPINESS: Setting = Setting {
    name: "swappiness",
    checks: &["swap"],
    against: &[Suspect::Fault, Suspect::Kernel("kswapd")],
    does: "makes the kernel swap memory out only when there is no other way",
    harm: "the kernel drops cached files sooner; locked memory always stays in RAM",
    changes: |machine| {
        let swaps = machine.read("/proc/swaps").map_or(0, |text| text.lines().count().saturating_sub(1));
        let change = || to(machine, "/proc/sys/vm/swappiness", Form::Text, "1");
        (swaps > 0).then(change).flatten().into_iter().collect()
    },
};

pub const MERGING: Setting = Setting {
    name: "page-merging",
    checks: &[],
    against: &[Suspect::Fault, Suspect::Kernel("ksmd")],
    does: "stops the search for equal pages (KSM); a write to a merged page first copies it",
    harm: "virtual machines on this machine together need more memory",
    changes: |machine| {
        let runs = machine.read("/sys/kernel/mm/ksm/run").is_ok_and(|text| text == "1");
        runs.then(|| to(machine, "/sys/kernel/mm/ksm/run", Form::Text, "0")).flatten().into_iter().collect()
    },
};

pub const BALANCING: Setting = Setting {
    name: "numa-balancing",
    checks: &[],
    against: &[Suspect::Fault],
    does: "stops NUMA balancing, which lets pages fault to learn which node uses them",
    harm: "memory stays on the node that used it first",
    changes: |machine| to(machine, "/proc/sys/kernel/numa_balancing", Form::Text, "0").into_iter().collect(),
};
