// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands on the first screen as a shell takes them: what gives missing rights, and a fix that is longer than a line.
use crate::sample;
use backwall_model::{RefusedPriority, Run, Warning};
use backwall_os::container::Container;
use backwall_report::brief::brief;

// The command after a label, its lines put together as a shell does it.
fn command(run: &Run, label: &str) -> String {
    let lines: Vec<String> = brief(run, "latest", 80).into_iter().map(|(_, line)| line).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    let from = lines.iter().position(|line| line.starts_with(label)).unwrap_or_else(|| panic!("{lines:#?}"));
    let rest = lines[from + 1..].iter().take_while(|line| line.starts_with("      "));
    let own: Vec<&str> = std::iter::once(&lines[from]).chain(rest).map(|line| line[6..].trim_end()).collect();
    own.join("\n").replace(" \\\n ", "")
}

fn without_rights(remedy: &str, untraced: Option<&str>) -> Run {
    let mut run = sample::default_run();
    run.stages.clear();
    run.command = ["target/debug/backwall", "run", "-D", "6", "--require", "p99 < 1ms"].map(String::from).to_vec();
    let (error, remedy) = ("Operation not permitted".to_string(), remedy.to_string());
    run.refused_priority = Some(RefusedPriority { priority: 95, error, remedy });
    run.warnings.extend(untraced.map(|why| Warning::new(Warning::UNRECORDED, why)));
    run
}

#[test]
fn the_next_command_gives_the_rights_that_were_missing_in_one_line() {
    const TYPED: &str = "backwall run -D 6 --require 'p99 < 1ms'";
    let on_a_machine =
        "run as root or with sudo; or for good: sudo setcap cap_sys_nice,cap_ipc_lock=p /usr/bin/backwall";
    let by_root = "the kernel's trace needs root: sudo";
    assert_eq!(command(&without_rights(on_a_machine, Some(by_root)), "next"), format!("sudo {TYPED}"));
    for container in [Container::Docker, Container::Podman] {
        let traced = format!("cannot open the kernel's trace: not permitted; {}", container.tracing());
        let run = without_rights(container.rights(), Some(&traced));
        let options = container.tracing().split(", ").next().unwrap();
        assert_eq!(command(&run, "next"), format!("{options} IMAGE {TYPED}"));
        let run = without_rights(container.rights(), None);
        assert_eq!(command(&run, "next"), format!("{} IMAGE {TYPED}", container.rights()));
    }
    let drop_in = "sudo mkdir -p /etc/systemd/system/a.service.d && printf '[Service]\\nLimitRTPRIO=99\\n' | sudo tee \
                   /etc/systemd/system/a.service.d/realtime.conf && sudo systemctl daemon-reload";
    let run = without_rights(&format!("LimitRTPRIO=99 in a.service; {drop_in}"), None);
    assert_eq!(command(&run, "next"), drop_in);
}

#[test]
fn where_nothing_was_refused_the_next_command_explains() {
    let mut run = without_rights("", Some("the recorder was off"));
    run.refused_priority = None;
    assert_eq!(command(&run, "next"), "backwall report latest -v · backwall check");
}
