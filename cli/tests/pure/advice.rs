// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands on the first screen as a shell takes them: what gives missing rights, and a fix that is longer than a line.
use crate::sample;
use backwall_model::units::Nanoseconds;
use backwall_model::{Blame, Cause, RefusedPriority, Run, Session, Share, Shares, Wakers, Warning};
use backwall_os::container::Container;
use backwall_report::brief::brief;
use backwall_report::page;

// The command after a label, its lines put together as a shell does it, without the remark.
fn command(run: &Run, label: &str) -> String {
    let lines: Vec<String> = brief(run, "latest", 80).into_iter().map(|(_, line)| line).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with(label)).count(), 1, "{lines:#?}");
    let from = lines.iter().position(|line| line.starts_with(label)).unwrap();
    let rest = lines[from + 1..].iter().take_while(|line| line.starts_with("      "));
    let own: Vec<&str> = std::iter::once(&lines[from]).chain(rest).map(|line| line[6..].trim_end()).collect();
    let whole = own.join("\n").replace(" \\\n ", "");
    let end = whole.find("   # ").or(whole.find("\n# ")).unwrap_or(whole.len());
    whole[..end].to_string()
}

fn typed(words: &[&str]) -> Run {
    let mut run = sample::default_run();
    run.stages.clear();
    run.series.iter_mut().flat_map(|series| &mut series.worst).for_each(|worst| worst.blame = None);
    run.command = words.iter().map(|word| word.to_string()).collect();
    run
}

fn without_rights(remedy: &str, untraced: Option<&str>) -> Run {
    let mut run = typed(&["target/debug/backwall", "run", "-D", "6", "--require", "p99 < 1ms"]);
    let (error, remedy) = ("Operation not permitted".to_string(), remedy.to_string());
    run.refused_priority = Some(RefusedPriority { priority: 95, error, remedy });
    run.warnings.extend(untraced.map(|why| Warning::new(Warning::UNRECORDED, why)));
    run
}

#[test]
fn the_next_command_gives_the_rights_that_were_missing_and_no_other_line_does() {
    const TYPED: &str = "target/debug/backwall run -D 6 --require 'p99 < 1ms'";
    let on_a_machine =
        "run as root or with sudo; or for good: sudo setcap cap_sys_nice,cap_ipc_lock=p /usr/bin/backwall";
    let by_root = "the kernel's trace needs root: sudo";
    let run = without_rights(on_a_machine, Some(by_root));
    assert_eq!(command(&run, "next"), format!("sudo {TYPED}"));
    let text: String = brief(&run, "latest", 80).into_iter().map(|(_, line)| line + "\n").collect();
    assert_eq!(text.matches("sudo").count(), 1, "{text}");
    for container in [Container::Docker, Container::Podman] {
        let traced = format!("cannot open the kernel's trace: not permitted; {}", container.tracing());
        let run = without_rights(container.rights(), Some(&traced));
        let options = container.tracing().split(", ").next().unwrap();
        assert_eq!(command(&run, "next"), format!("{options} IMAGE {TYPED}"));
        let text: String = brief(&run, "latest", 80).into_iter().map(|(_, line)| line + "\n").collect();
        assert_eq!(text.matches(" run -").count(), 2, "one of the engine and one of the tool: {text}");
        let run = without_rights(container.rights(), None);
        assert_eq!(command(&run, "next"), format!("{} IMAGE {TYPED}", container.rights()));
    }
    let drop_in = "sudo mkdir -p /etc/systemd/system/a.service.d && printf '[Service]\\nLimitRTPRIO=99\\n' | sudo tee \
                   /etc/systemd/system/a.service.d/realtime.conf && sudo systemctl daemon-reload";
    let run = without_rights(&format!("LimitRTPRIO=99 in a.service; {drop_in}"), None);
    assert_eq!(command(&run, "next"), drop_in);
    let run = without_rights(Container::Kubernetes.rights(), None);
    assert_eq!(command(&run, "next"), "target/debug/backwall check");
}

#[test]
fn lost_events_want_a_larger_buffer_and_another_doubt_the_same_again() {
    let mut run = typed(&["backwall", "watch", "-D", "8", "--", "./loop", "-x"]);
    run.spoil("the kernel's trace lost 9 of 10 events");
    assert_eq!(command(&run, "next"), "backwall watch -D 8 -- ./loop -x");
    run.warnings.push(Warning::trace_lost(9));
    assert_eq!(command(&run, "next"), "backwall watch -D 8 --buffer 256 -- ./loop -x");
    run.command.truncate(4);
    assert_eq!(command(&run, "next"), "backwall watch -D 8 --buffer 256");
    // The folder holds this run already; what follows -- is the program's.
    let mut anew = typed(&["backwall", "run", "--output=a", "-D", "8", "-ob", "--resume", "--", "./loop", "-o", "c"]);
    anew.spoil("another run");
    assert_eq!(command(&anew, "next"), "backwall run -D 8 -- ./loop -o c");
    run.command.extend(["--buffer", "256"].map(String::from));
    assert_eq!(command(&run, "next"), "backwall watch -D 8 --buffer 256");
}

#[test]
fn what_was_switched_off_is_switched_on_and_otherwise_the_machine_is_checked() {
    let run = typed(&["/opt/backwall", "run", "--no-recorder", "-o", "a", "-D", "6"]);
    assert_eq!(command(&run, "next"), "/opt/backwall run -D 6");
    assert_eq!(command(&typed(&["backwall", "run"]), "next"), "backwall check");
}

fn explained(words: &[&str], cause: Cause) -> Run {
    let mut run = typed(words);
    let worst = run.series.iter_mut().max_by_key(|series| series.max).unwrap().worst.iter_mut().next().unwrap();
    let share = Share { cause, culprit: None, ns: worst.value };
    worst.blame = Some(Blame::Shares { shares: Shares::of([share]).unwrap(), wakers: Wakers::default() });
    run
}

#[test]
fn a_loop_that_catches_up_is_recorded_whole() {
    for cause in [Cause::CatchUp, Cause::Backlog, Cause::Unexplained] {
        let run = explained(&["backwall", "watch", "servo", "-D", "8"], cause);
        let whole = "backwall trace record -D 10s -o whole && backwall blame whole --above 1ms --thread servo";
        assert_eq!(command(&run, "next"), whole);
    }
    let run = explained(&["backwall", "run"], Cause::Dispatch);
    assert_eq!(command(&run, "next"), "backwall blame latest");
}

// The kernel's own counts reach further back than the recording.
#[test]
fn a_wait_that_began_before_the_recording_has_its_rival_and_the_command_against_it() {
    let mut run = explained(&["backwall", "watch", "servo", "-D", "8"], Cause::Unexplained);
    let waited =
        Warning::new(Warning::RUN_DELAY, "the thread waited 5.3 s of 8.0 s for a CPU; main users of its CPUs: hog");
    let waited = waited.of("servo-4711");
    run.warnings.push(waited.clone().mended_by("give it a real-time priority"));
    let text: String = brief(&run, "latest", 200).into_iter().map(|(_, line)| line + "\n").collect();
    assert!(text.lines().next().unwrap().contains("main users of its CPUs: hog"), "{text}");
    assert_eq!(text.matches("hog").count(), 1, "{text}");
    assert_eq!(command(&run, "next"), "chrt -f -p 80 4711");
    *run.warnings.last_mut().unwrap() = waited;
    assert!(!command(&run, "next").contains("chrt"), "it has a real-time priority");
    run.warnings.push(Warning::new(Warning::THROTTLED, "a cgroup's quota kept its threads off: /sys/fs/cgroup/box"));
    let place = "/sys/fs/cgroup/box/cpu.max";
    assert_eq!(command(&run, "next"), format!("cat {place} && echo max > {place}"));
}

#[test]
fn where_nothing_was_late_there_is_nothing_to_change() {
    let mut run = typed(&["backwall", "run"]);
    run.plan.deadline_ns = Some(Nanoseconds(1_000_000_000));
    run.valid = true;
    for series in &mut run.series {
        (series.missed, series.late, series.done) = (Some(0), Some(0), series.due.unwrap());
    }
    let text: String = brief(&run, "latest", 80).into_iter().map(|(_, line)| line + "\n").collect();
    assert!(text.contains("\nnext  nothing to change: no response was late\n") && !text.contains("\nfix "), "{text}");
}

#[test]
fn a_run_that_was_cut_off_is_finished_before_anything_is_changed() {
    let mut run = explained(&["backwall", "run", "-D", "1h"], Cause::Blocking);
    run.sessions = vec![Session::default()];
    let lines: Vec<String> = brief(&run, "soak", 80).into_iter().map(|(_, line)| line).collect();
    let next = "next  backwall run -D 1h -o soak --resume   # finishes this run";
    assert!(lines.iter().any(|line| line == next), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("fix ")), "{lines:#?}");
    // A watch cannot be resumed.
    run.command = ["backwall", "watch", "servo"].map(String::from).to_vec();
    assert!(!command(&run, "next").contains("--resume"));
}

#[test]
fn the_page_of_an_invalid_run_names_no_culprit_and_no_fix() {
    let mut run = explained(&["backwall", "run"], Cause::Blocking);
    let valid = page::page(&run);
    assert!(valid.contains("id=\"change\"") && !valid.contains("no culprit is named"));
    run.spoil("another backwall run used CPU 1");
    let invalid = page::page(&run);
    assert!(invalid.contains("<dd id=\"cause\">no culprit is named"), "the verdict");
    assert!(!invalid.contains("id=\"change\"") && !invalid.contains("preempt=full"), "no fix");
}
