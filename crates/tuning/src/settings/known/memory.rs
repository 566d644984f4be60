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
    does: "gives huge pages only to programs that ask for them, and gathers none in the background",
    harm: "programs with much memory that do not ask may run slower",
    changes: |machine| {
        const FOLDER: &str = "/sys/kernel/mm/transparent_hugepage";
        let enabled = machine.read(&format!("{FOLDER}/enabled")).unwrap_or_default();
        let always = Form::Chosen.same(&enabled, "always");
        let enabled = always.then(|| to(machine, &format!("{FOLDER}/enabled"), Form::Chosen, "madvise")).flatten();
        let gathered = to(machine, &format!("{FOLDER}/khugepaged/defrag"), Form::Text, "0");
        enabled.into_iter().chain(gathered).collect()
    },
};

/// `vm.compaction_proactiveness`.
pub const COMPACTION: Setting = Setting {
    name: "compaction",
    checks: &[],
    against: &[Suspect::Kernel("kcompactd")],
    does: "stops the kernel from moving pages together before anybody needs large ones",
    harm: "large pieces of memory may be missing later, and are then made while somebody waits",
    changes: |machine| to(machine, "/proc/sys/vm/compaction_proactiveness", Form::Text, "0").into_iter().collect(),
};

/// `vm.swappiness`.
pub const SWAPPINESS: Setting = Setting {
    name: "swappiness",
    checks: &["swap"],
    against: &[Suspect::Fault, Suspect::Kernel("kswapd")],
    does: "writes memory out only when there is no other way",
    harm: "files that were read are forgotten sooner; locked memory is never written out whatever this says",
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
    does: "stops the search for equal pages, of which one is written to by copying it first",
    harm: "virtual machines on this one together need more memory",
    changes: |machine| {
        let runs = machine.read("/sys/kernel/mm/ksm/run").is_ok_and(|text| text == "1");
        runs.then(|| to(machine, "/sys/kernel/mm/ksm/run", Form::Text, "0")).flatten().into_iter().collect()
    },
};

/// `kernel.numa_balancing`.
pub const BALANCING: Setting = Setting {
    name: "numa-balancing",
    checks: &[],
    against: &[Suspect::Fault],
    does: "stops the kernel from making pages fault in order to learn on which node they are used",
    harm: "memory stays on the node where it was first used",
    changes: |machine| to(machine, "/proc/sys/kernel/numa_balancing", Form::Text, "0").into_iter().collect(),
};
