// SPDX-License-Identifier: MIT OR Apache-2.0
//! The changes as a shell script with undo, to read before applying.
#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "its tests read and write files, start programs"
    )
)]
use crate::settings::place::Place;
use crate::settings::setting::Change;
use backwall_model::shell::quoted;
use backwall_os::machine::DEBUGFS;

pub type Changed<'a> = (&'a str, &'a [Change]);

/// A script that makes the changes. With the argument `undo` it restores the values that the machine had when the script was
/// written.
pub fn script(settings: &[Changed]) -> String {
    let block = |value: fn(&Change) -> &str| {
        let lines = settings.iter().flat_map(|(name, changes)| {
            let line = move |change: &Change| format!("    {}\n", command(&change.place, value(change)));
            std::iter::once(format!("    # {name}\n")).chain(changes.iter().map(line))
        });
        lines.collect::<String>()
    };
    let (apply, undo) = (block(|change| &change.wanted), block(|change| &change.before));
    let mut all = settings.iter().flat_map(|(_, changes)| changes.iter());
    let mount = if all.any(|change| change.place.is_below(DEBUGFS)) { MOUNT } else { "" };
    format!(
        "#!/bin/sh\n# Real-time settings of this machine: without an argument it applies them, `undo` restores them.\n\
         # It reports what the kernel refuses, and continues. A reboot restores everything.\nset -u\nrefused=0\n\
         put() {{ printf '%s\\n' \"$2\" >\"$1\" || refused=1; }}\n\
         {mount}case \"${{1:-apply}}\" in\napply)\n{apply}    ;;\nundo)\n{undo}    ;;\n\
         *)\n    echo \"usage: $0 [apply|undo]\" >&2\n    exit 2\n    ;;\nesac\nexit \"$refused\"\n"
    )
}

/// Mounts debugfs if necessary, because the script writes to files there.
const MOUNT: &str = "[ -d /sys/kernel/debug/sched ] || mount -t debugfs none /sys/kernel/debug || refused=1\n";

fn command(place: &Place, value: &str) -> String {
    match place {
        Place::File { path, .. } => format!("put {} {}", quoted(path), quoted(value)),
        Place::Processors { thread } => {
            format!("taskset -cp {} {} >/dev/null || refused=1 # {}", quoted(value), thread.id, plain(&thread.name))
        }
        Place::LockedMemory { thread } => {
            let limits = value.replace(' ', ":");
            format!("prlimit --memlock={} --pid {} || refused=1 # {}", quoted(&limits), thread.id, plain(&thread.name))
        }
        Place::Audit => format!("auditctl -e {} >/dev/null || refused=1", quoted(value)),
        Place::Scheduling { thread } => {
            let (policy, priority) = value.split_once(' ').unwrap_or((value, "0"));
            format!("chrt --{} -p {} {} || refused=1 # {}", policy, quoted(priority), thread.id, plain(&thread.name))
        }
    }
}

fn plain(name: &str) -> String {
    name.replace(char::is_control, "?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::form::Form;
    use crate::settings::place::ThreadIdentity;

    fn change(place: Place, before: &str, wanted: &str) -> Change {
        Change { place, before: before.to_string(), wanted: wanted.to_string() }
    }

    #[test]
    fn a_script_makes_the_changes_and_its_undo_puts_the_old_values_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it's");
        std::fs::write(&file, "60").unwrap();
        let place = Place::file(file.to_str().unwrap(), Form::Text);
        let text = script(&[("swappiness", &[change(place, "60", "1 'x' $HOME")])]);
        let script = folder.path().join("script");
        std::fs::write(&script, text).unwrap();
        for (word, held) in [("apply", "1 'x' $HOME"), ("undo", "60")] {
            assert!(run(&script, word));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{held}\n"));
        }
        assert!(!run(&script, "again"));
    }

    #[test]
    fn what_lies_below_the_debug_files_is_mounted_first_where_nobody_has() {
        let of = |path: &str| script(&[("one", &[change(Place::file(path, Form::Text), "1", "0")])]);
        assert!(of("/sys/kernel/debug/sched/fair_server/cpu1/runtime").contains(MOUNT));
        assert!(!of("/proc/sys/vm/swappiness").contains("mount"));
    }

    fn run(script: &std::path::Path, word: &str) -> bool {
        std::process::Command::new("sh")
            .arg(script)
            .arg(word)
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    #[test]
    fn the_name_of_a_thread_stays_in_its_comment() {
        let thread = ThreadIdentity { id: 7, name: "a\nrm -rf /".to_string(), began: 1 };
        let changes = [change(Place::Scheduling { thread }, "fifo 99", "fifo 49")];
        let text = script(&[("real-time threads", &changes)]);
        assert!(text.contains("chrt --fifo -p '49' 7 || refused=1 # a?rm -rf /\n"), "{text}");
    }
}
