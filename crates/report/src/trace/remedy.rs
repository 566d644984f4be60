// SPDX-License-Identifier: MIT OR Apache-2.0
//! How to fix a cause on the measured machine: a sentence and, where one is known, a command to paste and its undo.
use super::cause::culprit::is_ours;
use crate::phrase::{self, is_attached};
use crate::watch::numbered;
use backwall_model::{
    Culprit, Extension, Holder, HolderDetail, IDLE_OFF, Key, NO_LOAD, OwnInterrupt, Priority, Run, Thread, Warning,
};
use backwall_trace::late::lates::Late;

#[derive(Clone, Debug, Default)]
pub struct Machine {
    pub is_virtual: bool,
    /// Stolen time in ticks of 10 ms.
    pub steal_ticks: u64,
    pub has_no_c_states: bool,
    pub idle_off_was_no_faster: bool,
    /// Whether C-states were off in the phase of the response.
    pub c_states_off: bool,
    pub preemption: Option<String>,
    pub can_switch_preemption: bool,
    pub late_priority: Option<u32>,
    pub late_thread: Option<(String, i32)>,
    pub late_is_probe: bool,
    pub app: Option<String>,
    pub cpu: Option<u32>,
    pub cpus: u32,
    pub ids: Vec<(String, i32)>,
}

impl Machine {
    pub fn of(run: &Run) -> Self {
        let found =
            |name: &str| run.environment.checks.iter().find(|check| check.name == name).map(|check| &check.value);
        let is_virtual =
            found("hypervisor").is_some_and(|value| !value.contains(": no ") && !value.contains("no flag for it"));
        let threads =
            run.stages.iter().flat_map(|stages| &stages.worst).chain(run.series.iter().flat_map(|one| &one.worst));
        let ids = threads.filter_map(|worst| worst.blame.as_ref()).flat_map(named).collect();
        Self {
            is_virtual,
            steal_ticks: run.environment.steal_ticks,
            has_no_c_states: found("idle states").is_some_and(|value| value.contains("no states to choose from")),
            idle_off_was_no_faster: idle_off_was_no_faster(run),
            c_states_off: false,
            preemption: preemption(run),
            can_switch_preemption: found("preemption").is_some_and(|value| value.contains(SWITCH)),
            late_priority: run.plan.priority.filter(|priority| *priority > 0 && run.refused_priority.is_none()),
            late_thread: run.warnings.iter().find(|warning| warning.kind == Warning::RUN_DELAY).and_then(waiting),
            late_is_probe: run.plan.extension == Extension::Run && !run.series.iter().any(is_attached),
            app: phrase::watched_app(run).map(str::to_string),
            cpu: run.plan.cpu,
            cpus: run.device.cpus,
            ids,
        }
    }

    pub fn of_phase(run: &Run, key: &Key) -> Self {
        Self { c_states_off: key.idle == IDLE_OFF, ..Self::of(run) }
    }

    /// What may delay the timer of an idle CPU here. If C-states are off or missing, their exit is excluded.
    pub fn idle_remark(&self) -> &'static str {
        match (self.is_virtual, self.c_states_off, self.has_no_c_states) {
            (true, true, _) => " (C-states were off, so it was the hypervisor)",
            (true, false, true) => " (there are no C-states here, so it was the hypervisor)",
            (true, false, false) => " (C-state exit, or the hypervisor)",
            (false, true, _) => " (C-states were off, so it was hardware or firmware, such as an SMI)",
            (false, false, true) => " (there are no C-states here, so it was hardware or firmware, such as an SMI)",
            (false, false, false) => " (C-state exit, or hardware or firmware, such as an SMI)",
        }
    }

    /// Facts that a recording contains: its thread IDs, and the priority of the late threads if all have the same one.
    pub fn recorded(lates: &[Late]) -> Self {
        let ids = lates.iter().flat_map(|late| named(&late.blame.told())).collect();
        let above = |late: &Late| match Priority::of_events(late.thread.priority) {
            Some(Priority::RealTime(own)) => Some(u32::from(own)),
            _ => None,
        };
        let first = lates.first().and_then(above);
        Self { ids, late_priority: first.filter(|_| lates.iter().all(|late| above(late) == first)), ..Self::default() }
    }

    fn id_of(&self, thread: &Thread) -> Option<i32> {
        let name = thread.name.as_deref()?;
        let known = || self.ids.iter().find(|(known, _)| known == name).map(|(_, id)| *id);
        thread.id.or_else(known)
    }

    // A name that needs no quotes in a shell.
    fn named_app(&self) -> Option<&str> {
        let is_name = |app: &&str| {
            app.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && app.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
        };
        self.app.as_deref().filter(is_name)
    }

    fn late_one(&self) -> String {
        match (&self.late_thread, self.named_app()) {
            _ if self.late_is_probe => "backwall's own thread".to_string(),
            (Some((name, _)), _) => name.clone(),
            (None, Some(app)) => format!("the thread of {app}"),
            (None, None) => "the late thread".to_string(),
        }
    }

    fn other_cpu(&self) -> Option<u32> {
        (0..self.cpus).find(|cpu| Some(*cpu) != self.cpu)
    }
}

// The file that changes the preemption model of a running kernel, if it can be changed.
const SWITCH: &str = "/sys/kernel/debug/sched/preempt";

// The run of a followed thread records only the preemption model. Whether the model can be changed is in the kernel's version.
fn preemption(run: &Run) -> Option<String> {
    let model = &run.device.preemption;
    let is_bare = model.starts_with('(') && run.device.kernel.contains("PREEMPT_DYNAMIC");
    let dynamic = if is_bare { "PREEMPT_DYNAMIC " } else { "" };
    (!model.is_empty()).then(|| format!("{dynamic}{model}"))
}

fn waiting(warning: &Warning) -> Option<(String, i32)> {
    warning.remedy.as_ref()?;
    numbered(warning.of.as_deref()?)
}

fn named(blame: &backwall_model::Blame) -> Vec<(String, i32)> {
    let backwall_model::Blame::Shares { shares, .. } = blame else { return Vec::new() };
    let thread = |culprit: &Culprit| match &culprit.holder {
        Holder::Thread(Thread { name: Some(name), id: Some(id), .. }) => Some((name.clone(), *id)),
        _ => None,
    };
    shares.iter().filter_map(|share| thread(share.culprit.as_ref()?)).collect()
}

/// Whether the phase with C-states off was as slow as the one with C-states on; then C-states are not the cause.
fn idle_off_was_no_faster(run: &Run) -> bool {
    let quiet =
        |off: bool| run.series.iter().find(|series| series.key.load == NO_LOAD && (series.key.idle == IDLE_OFF) == off);
    let p99 = |off| quiet(off).and_then(|series| series.quantile(0.99)?.value);
    p99(false).zip(p99(true)).is_some_and(|(on, off)| off >= on)
}

const VM: &str = "this is a VM: give its vCPUs CPUs of their own on the host (pinned, not overcommitted)";

pub(super) fn interference(culprit: Option<&Culprit>, machine: &Machine) -> Option<String> {
    match culprit? {
        // Only virtual machines have this detail.
        Culprit { more: Some(HolderDetail::FarAbove(_)), .. } => Some(VM.to_string()),
        Culprit { holder: Holder::Thread(thread), more: None } if !is_ours(thread) => lower(thread, machine),
        Culprit { holder: Holder::Interrupt(name), .. } if OwnInterrupt::from_name(name).is_none() => {
            Some(interrupt(name, machine))
        }
        _ => None,
    }
}

pub(super) fn late(machine: &Machine) -> Option<String> {
    (machine.is_virtual && machine.steal_ticks > 0).then(|| format!("{VM}; the hypervisor stole time in this run"))
}

pub(super) fn dispatch(machine: &Machine) -> Option<String> {
    (machine.is_virtual && machine.steal_ticks > 0)
        .then(|| format!("{VM}; a pause of the VM inside the kernel's path is counted as kernel time"))
}

pub(super) fn idle_exit(machine: &Machine) -> String {
    if machine.is_virtual {
        return VM.to_string();
    }
    if machine.has_no_c_states {
        return "this machine has no C-states to choose from: look for SMIs (firmware settings)\nbackwall check"
            .to_string();
    }
    if machine.c_states_off {
        return "C-states were off here: look for SMIs (firmware settings)\nbackwall check".to_string();
    }
    if machine.idle_off_was_no_faster {
        return "C-states are not the cause (responses without them were no faster here): look for SMIs (firmware \
            settings)\nbackwall check"
            .to_string();
    }
    "keep the CPU out of deep C-states\ncpupower idle-set -D 1   # undo: cpupower idle-set -E".to_string()
}

/// Whether two fixes are the same change: the same commands, or the same sentence without commands.
pub fn is_same(one: &str, other: &str) -> bool {
    let change = |fix: &str| fix.split_once('\n').map_or(fix.to_string(), |(_, commands)| commands.to_string());
    change(one) == change(other)
}

pub(super) fn below(machine: &Machine) -> String {
    match machine.is_virtual {
        true => VM.to_string(),
        false => "outside this system: look for SMIs (firmware settings, BIOS update)\nbackwall check".to_string(),
    }
}

fn lower(thread: &Thread, machine: &Machine) -> Option<String> {
    let Some(Priority::RealTime(own)) = thread.priority else { return None };
    let id = machine.id_of(thread)?;
    let name = thread.name.as_deref().unwrap_or("it");
    let Some(late) = machine.late_priority.filter(|late| *late > 1) else {
        return Some(format!(
            "run {name} ({id}) below {}, or as an ordinary thread\n\
             chrt -o -p 0 {id}   # undo: chrt -f -p {own} {id}{}",
            machine.late_one(),
            elsewhere(id, machine)
        ));
    };
    let (below, was) = (late - 1, own);
    Some(format!(
        "run {name} ({id}) below {} (real-time {late})\nchrt -f -p {below} {id}   # undo: chrt -f -p {was} {id}{}",
        machine.late_one(),
        elsewhere(id, machine)
    ))
}

fn elsewhere(id: i32, machine: &Machine) -> String {
    let other = machine.other_cpu().filter(|_| machine.cpu.is_some());
    other.map_or(String::new(), |other| format!("\ntaskset -cp {other} {id}   # or this: another CPU"))
}

fn interrupt(name: &str, machine: &Machine) -> String {
    let cpu = machine.cpu.map_or("this CPU".to_string(), |cpu| format!("CPU {cpu}"));
    let other = machine.other_cpu().unwrap_or(0);
    let was = machine.cpu.map_or("the old list".to_string(), |cpu| cpu.to_string());
    // The interrupt's number is valid for this boot only; its name is permanent.
    format!(
        "move interrupt {name} off {cpu}\nN=$(grep -wm1 '{name}' /proc/interrupts | cut -d: -f1 | tr -d ' ')\n\
         echo {other} > /proc/irq/$N/smp_affinity_list   # undo: echo {was} > the same file"
    )
}

pub(super) fn blocking(culprit: Option<&Culprit>, machine: &Machine) -> Option<String> {
    let model = machine.preemption.as_deref()?;
    if model.contains("PREEMPT_RT") {
        return None;
    }
    let who = match culprit.map(|culprit| &culprit.holder) {
        Some(Holder::Thread(Thread { name: Some(name), .. })) => name.as_str(),
        _ => "a thread",
    };
    let now = ["none", "voluntary", "lazy"].into_iter().find(|now| model.contains(&format!("({now})")));
    let not_here = |now: &str| format!("{who} ran kernel code, which is not preemptible here (preempt={now})");
    Some(match now {
        Some(now) if model.contains("DYNAMIC") && machine.can_switch_preemption => {
            format!("{}\necho full > {SWITCH}   # undo: echo {now}; for good: preempt=full at boot", not_here(now))
        }
        Some(now) if model.contains("DYNAMIC") => format!("{}: boot with preempt=full", not_here(now)),
        _ if model.contains("(full)") || model == "PREEMPT" => {
            format!("this kernel is fully preemptible already: boot a PREEMPT_RT kernel, or move {who} to another CPU")
        }
        _ => format!(
            "{who} ran kernel code, which this kernel does not preempt: boot one with preempt=full, or PREEMPT_RT"
        ),
    })
}

/// `rival` is the ordinary thread that had the CPU, if one is known.
pub(super) fn raise(rival: Option<&Thread>, machine: &Machine) -> Option<String> {
    let rival = rival.and_then(|rival| rival.name.as_deref());
    let why =
        rival.map_or("it has none".to_string(), |rival| format!("{rival} and other ordinary threads then wait for it"));
    let sentence = |late: &str| format!("give {late} a real-time priority: {why}");
    if let Some((name, id)) = &machine.late_thread {
        return Some(format!("{}\nchrt -f -p 80 {id}   # undo: chrt -o -p 0 {id}", sentence(name)));
    }
    let app = machine.named_app()?;
    Some(format!("{}\nchrt -a -f -p 80 $(pidof {app})   # undo: chrt -a -o -p 0 $(pidof {app})", sentence(app)))
}

/// The fix for a cause that only the kernel's own counters show.
pub fn counted(warning: &Warning, machine: &Machine) -> String {
    const OTHERS: &str =
        "a program of the same or a higher priority uses this CPU: move the program or the thread to another CPU";
    match warning.text.rsplit_once(": ").filter(|_| warning.kind == Warning::THROTTLED) {
        Some((_, group)) => quota(group),
        None => raise(None, machine).filter(|_| warning.remedy.is_some()).unwrap_or_else(|| OTHERS.to_string()),
    }
}

/// A group of cgroup version 2 is named without its mount point, a group of version 1 with it.
pub(super) fn quota(group: &str) -> String {
    const MOUNT: &str = "/sys/fs/cgroup";
    let safe = group.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-:@,".contains(letter));
    if !safe {
        return "raise the CPU quota of its control group (cpu.max)".to_string();
    }
    let (place, none) = match group.strip_prefix(MOUNT) {
        Some(rest) if rest.starts_with("/cpu") => (format!("{group}/cpu.cfs_quota_us"), "-1"),
        Some(_) => (format!("{group}/cpu.max"), "max"),
        None => (format!("{MOUNT}/{}/cpu.max", group.trim_start_matches('/')), "max"),
    };
    format!(
        "raise the CPU quota of its control group\ncat {place} && echo {none} > {place}   # undo: echo what cat said > the same file"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::cause::remedy;
    use backwall_model::Cause;

    fn camera(id: Option<i32>) -> Culprit {
        let name = Some("camera".to_string());
        let thread = Thread { name, id, priority: Some(Priority::RealTime(85)), series: false };
        Culprit { holder: Holder::Thread(thread), more: None }
    }

    #[test]
    fn a_thread_above_is_told_with_the_command_that_lowers_it_and_how_to_undo_that() {
        let machine = Machine { late_priority: Some(80), cpu: Some(1), cpus: 2, ..Machine::default() };
        let told = remedy(Cause::Interference, Some(&camera(Some(14406))), &machine);
        assert!(
            told.contains(
                "\nchrt -f -p 79 14406   # undo: chrt -f -p 85 14406\ntaskset -cp 0 14406   # or this: another CPU"
            ),
            "{told}"
        );
        let known = Machine { ids: vec![("camera".to_string(), 7)], ..machine.clone() };
        assert!(remedy(Cause::Interference, Some(&camera(None)), &known).contains("chrt -f -p 79 7 "));
        let general = remedy(Cause::Interference, Some(&camera(None)), &machine);
        assert!(!general.contains("chrt -f"), "nobody knows its number: {general}");
    }

    #[test]
    fn c_states_are_no_advice_where_the_machine_has_none_or_the_run_refutes_them() {
        let told = |machine: Machine| remedy(Cause::IdleExit, None, &machine);
        assert!(told(Machine::default()).contains("cpupower idle-set -D 1   # undo: cpupower idle-set -E"));
        for machine in [
            Machine { is_virtual: true, ..Machine::default() },
            Machine { has_no_c_states: true, ..Machine::default() },
            Machine { idle_off_was_no_faster: true, ..Machine::default() },
        ] {
            assert!(!told(machine.clone()).contains("cpupower"), "{machine:?}");
        }
        assert!(
            told(Machine { is_virtual: true, ..Machine::default() }).contains("vCPUs CPUs of their own on the host")
        );
    }

    #[test]
    fn no_exit_from_a_c_state_is_named_where_they_are_off_or_missing() {
        let said = |is_virtual, c_states_off, has_no_c_states| {
            Machine { is_virtual, c_states_off, has_no_c_states, ..Machine::default() }.idle_remark()
        };
        for (off, none) in [(true, false), (false, true), (true, true)] {
            assert!(said(true, off, none).ends_with("so it was the hypervisor)"), "{off} {none}");
            assert!(
                said(false, off, none).ends_with("so it was hardware or firmware, such as an SMI)"),
                "{off} {none}"
            );
        }
        assert_eq!(said(true, false, false), " (C-state exit, or the hypervisor)");
        assert_eq!(said(false, false, false), " (C-state exit, or hardware or firmware, such as an SMI)");
        let told = remedy(Cause::IdleExit, None, &Machine { c_states_off: true, ..Machine::default() });
        assert!(told.contains("look for SMIs"), "{told}");
    }

    #[test]
    fn full_preemption_is_advised_where_the_kernel_has_it_not() {
        let switched = |model: &str, can_switch_preemption| {
            let machine = Machine { preemption: Some(model.to_string()), can_switch_preemption, ..Machine::default() };
            remedy(Cause::Blocking, Some(&camera(None)), &machine)
        };
        let told = |model: &str| switched(model, false);
        assert_eq!(
            told("PREEMPT_DYNAMIC (none)"),
            "camera ran kernel code, which is not preemptible here (preempt=none): boot with preempt=full"
        );
        assert!(
            switched("PREEMPT_DYNAMIC (none)", true)
                .contains("echo full > /sys/kernel/debug/sched/preempt   # undo: echo none")
        );
        assert!(!told("PREEMPT_DYNAMIC (full)").contains("preempt=full"));
        assert!(told("PREEMPT_NONE").contains("preempt=full"));
    }

    #[test]
    fn no_group_commands_the_shell() {
        assert!(quota("/a.slice/b").contains("echo max > /sys/fs/cgroup/a.slice/b/cpu.max"));
        assert!(quota("/sys/fs/cgroup/a.slice").contains("echo max > /sys/fs/cgroup/a.slice/cpu.max"));
        assert!(quota("/sys/fs/cgroup/cpu/b").contains("echo -1 > /sys/fs/cgroup/cpu/b/cpu.cfs_quota_us"));
        assert!(!quota("/a;rm -rf $HOME").contains("rm"));
    }
}
