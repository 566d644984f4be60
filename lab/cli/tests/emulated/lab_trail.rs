// SPDX-License-Identifier: MIT OR Apache-2.0
//! Single answers, exact to the instruction: known functions, a planted change that is found in its place, and refusals. Needs
//! QEMU.
use crate::lacking::skip;
use crate::planted::{CHAIN, LINKS, PLANTED, planted};
use backwall_capture::trail::difference::terms;
use backwall_capture::trail::hops::LineHop;
use backwall_capture::trail::stretches;
use backwall_capture::trail::visits::{Visit, by_function};
use backwall_lab::bench::{self, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::{MACHINES, Machine};
use backwall_lab::result::run_of;
use backwall_lab::saved_state::Shelf;
use backwall_lab::scenario::Scenario;
use backwall_lab::trail::answer::{Answer, Which};
use backwall_lab::trail::entered_answer::{BadEntry, Explained, Subject};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;

const PERIODIC: &str = "[generator.a]\nshape = 'periodic'\nperiod = 200_000\nwarmup = 5\ncount = 40\n";

fn scenario(guest: &str, rest: &str) -> Scenario {
    let text = format!("about = 'test'\nguest = '{guest}'\n{rest}{PERIODIC}");
    Scenario::parse("test", &text).expect("a sound scenario")
}

fn emulator() -> Emulator {
    Emulator::find(Machine::usual()).expect("these tests need QEMU: tools/install.sh test")
}

fn settings() -> Settings {
    Settings { seed: 1, modes: true, ..Settings::default() }
}

fn subject(guest: &str, rest: &str) -> Subject {
    Subject::of_scenario(scenario(guest, rest), &emulator(), &settings()).expect("the guest answers")
}

fn enter(subject: &Subject, line: Option<&str>, which: Which) -> Explained {
    let answer = subject.find(line, which).expect("there is such an answer");
    subject.explain(answer, &emulator(), &settings()).expect("the same way again")
}

fn functions(visits: &[Visit]) -> Vec<(&str, u64, u64)> {
    visits.iter().map(|visit| (visit.function.as_str(), visit.executed, visit.masked)).collect()
}

// The emulators that this machine has; each missing one is reported as skipped for this test.
fn emulators(test: &'static str) -> impl Iterator<Item = Emulator> {
    MACHINES.into_iter().filter_map(move |machine| match Emulator::find(machine) {
        Ok(_) if machine.bare.is_empty() => {
            skip(&format!("{test} on {}", machine.name), &format!("built without {}", machine.compiler));
            None
        }
        Ok(emulator) => Some(emulator),
        Err(error) => {
            skip(&format!("{test} on {}", machine.name), &error.to_string());
            None
        }
    })
}

#[test]
fn a_bare_answer_is_its_handler_and_nothing_else() {
    for emulator in emulators("a_bare_answer_is_its_handler_and_nothing_else") {
        for (guest, executed) in [("bare:answer-irq7-5", 5), ("bare:answer-irq7-100", 100)] {
            let scenario = scenario(guest, &format!("machine = '{}'\n", emulator.machine.name));
            let subject = Subject::of_scenario(scenario, &emulator, &settings()).expect("the guest answers");
            let answer = subject.find(None, Which::Number(20)).expect("there is such an answer");
            let entered = subject.explain(answer, &emulator, &settings()).expect("the same way again");
            assert_eq!(
                functions(&entered.visits),
                [("handler", executed, executed)],
                "{guest} {}",
                emulator.machine.name
            );
        }
    }
}

#[test]
fn an_answer_of_a_run_that_was_stored_is_entered_again() {
    let (scenario, folder) = (scenario("bare:answer-irq7-100", ""), tempfile::tempdir().unwrap());
    let run = bench::run(&scenario, &emulator(), &settings()).unwrap();
    std::fs::copy(run.edges_path(), folder.path().join("edges.bin")).unwrap();
    let stored = run_of(&scenario, &run, &emulator(), 1, vec!["test".to_string()], jiff::Timestamp::UNIX_EPOCH);
    let stored: backwall_model::Run = serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
    let subject = Subject::of_run(&stored, folder.path()).unwrap();
    assert_eq!(subject.scenario, scenario);
    assert_eq!(functions(&enter(&subject, None, Which::Worst(1)).visits), [("handler", 100, 100)]);
    let refused = || Subject::of_run(&stored, folder.path()).unwrap_err().to_string();
    std::fs::write(folder.path().join("edges.bin"), &subject.edges[..subject.edges.len() - 64]).unwrap();
    assert!(refused().contains("truncated at byte"), "{}", refused());
    std::fs::remove_file(folder.path().join("edges.bin")).unwrap();
    assert!(refused().contains("expected the complete folder of a `lab run`"), "{}", refused());
}

#[test]
fn an_image_with_debug_information_tells_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("answer");
    let mut compiler = std::process::Command::new("gcc");
    compiler.args("-g -m32 -nostdlib -static -fno-pie -no-pie -Wl,-Ttext=0x100000 -Wl,--build-id=none".split(' '));
    compiler
        .args(["-DIRQ=7", "-DANSWER=100", "-o"])
        .arg(&image)
        .arg(format!("{}/../../lab/guests/bare/x86-pc/answer.S", env!("CARGO_MANIFEST_DIR")));
    assert!(compiler.status().expect("a compiler: tools/install.sh test").success());
    let entered = enter(&subject(&format!("image:{}", image.display()), ""), None, Which::Worst(1));
    let [handler] = &entered.visits[..] else { panic!("{:?}", entered.visits) };
    // The handler's first instruction comes from a repetition in the source; assemblers differ in which line they attribute it
    // to.
    let begins = ["answer.S:6", "answer.S:7"];
    assert!(handler.line.as_deref().is_some_and(|line| begins.contains(&line)), "{handler:?}");
    let carried = enter(&subject("bare:answer-irq7-100", ""), None, Which::Worst(1));
    assert_eq!(carried.visits[0].line, None);
}

#[test]
fn fifty_instructions_that_were_planted_in_one_of_a_hundred_functions_are_found_in_that_one() {
    let folder = tempfile::tempdir().unwrap();
    let before = by_function(&enter(&subject(CHAIN, ""), None, Which::Median).visits);
    assert_eq!(before.len(), LINKS + 1);
    for link in [0, 57, 99] {
        let after = by_function(&enter(&subject(&planted(link, folder.path()), ""), None, Which::Median).visits);
        let found = terms(&before, &after).into_iter().filter(|term| term.difference != 0);
        let found: Vec<_> = found.map(|term| (term.function, term.difference)).collect();
        assert_eq!(found, [(format!("link_{link}"), i64::from(PLANTED))]);
    }
}

#[test]
fn a_planted_change_of_instructions_is_found_in_its_function_alone() {
    let [before, after] = ["bare:answer-irq7-5", "bare:answer-irq7-100"]
        .map(|guest| by_function(&enter(&subject(guest, ""), None, Which::Median).visits));
    let found: Vec<_> = terms(&before, &after).into_iter().map(|term| (term.function, term.difference)).collect();
    assert_eq!(found, [("handler".to_string(), 95)]);
}

#[test]
fn every_answer_of_detent_sums_to_its_latency_and_is_entered_again_alike() {
    let subject = subject("detent", "options = 'app_test priority=1'\n");
    let folder = tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().unwrap();
    let states = Shelf::at(folder.path()).unwrap().for_all();
    for line in ["isr", "ist", "app"] {
        let answer = subject.find(Some(line), Which::Worst(3)).unwrap();
        let Explained { entered: booted, visits, hops } =
            subject.explain(answer.clone(), &emulator(), &settings()).unwrap();
        let kept = Settings { states: Some(states.clone()), ..settings() };
        let restored = subject.enter(answer.clone(), &emulator(), &kept).unwrap();
        assert!(restored.restored && !booted.restored);
        assert!(booted.registers[0].len() == 18 && booted.registers == restored.registers, "{line}");
        assert!(booted.trail == restored.trail, "{line}: the trail from a state differs from a boot's");
        let took: u64 = visits.iter().map(Visit::took).sum();
        assert_eq!(took, answer.latency(), "{line}");
        sums_to_the_scope(&subject, &answer, &hops);
        assert!(visits.iter().all(|visit| visit.function != "(no name)"), "{:?}", visits);
        assert_eq!(visits[0].masked, 13, "the entry of an interrupt is masked up to the instruction behind its sti");
    }
}

/// The hops end at the edges that the scope recorded: each line's latency is the sum of the hops up to it.
fn sums_to_the_scope(subject: &Subject, answer: &Answer, hops: &[LineHop]) {
    let mut sum = 0;
    for hop in hops {
        sum += hop.took();
        let scope = subject.find(Some(&hop.line), Which::Number(answer.number)).unwrap();
        assert_eq!((sum, hop.to), (scope.latency(), scope.latency()), "{} of {}", hop.line, answer.number);
    }
    assert_eq!((hops.last().map(|hop| hop.line.as_str()), sum), (Some(answer.line.as_str()), answer.latency()));
}

/// The chain of the papers: stimulus, ISR, IST, APP.
#[test]
fn the_papers_loop_on_detent_is_a_chain_that_sums_to_the_scope_for_each_response() {
    let subject = subject("detent", "options = 'app_test priority=1'\n");
    for number in (5..45).step_by(4) {
        let Explained { entered, hops, .. } = enter(&subject, Some("app"), Which::Number(number));
        let lines: Vec<&str> = hops.iter().map(|hop| hop.line.as_str()).collect();
        assert_eq!(lines, ["isr", "ist", "app"]);
        sums_to_the_scope(&subject, &entered.answer, &hops);
    }
}

#[test]
fn a_run_of_another_guest_is_refused() {
    let mut other = subject("bare:answer-irq7-5", "");
    other.scenario.guest = "bare:answer-irq7-100".to_string();
    let answer = other.find(None, Which::Worst(1)).unwrap();
    let refused = other.enter(answer, &emulator(), &settings()).unwrap_err();
    assert!(matches!(refused, BadEntry::Differs(_)), "{refused}");
    assert!(refused.to_string().contains("another build"), "{refused}");
}

#[test]
fn an_answer_that_is_not_there_is_refused_with_what_is() {
    let subject = subject("bare:answer-irq7-5", "");
    let refused = |line, which| subject.find(line, which).unwrap_err().to_string();
    assert_eq!(refused(Some("app"), Which::Median), "line \"app\" did not answer; expected one of isr");
    assert_eq!(refused(None, Which::Worst(41)), "line isr has no answer 41; expected 1 to 40");
    assert!(refused(None, Which::Number(45)).contains("line isr did not answer stimulus 45"));
}

fn said(stream: &mut std::os::unix::net::UnixStream, packet: &str) {
    let sum = packet.bytes().fold(0u8, u8::wrapping_add);
    stream.write_all(format!("${packet}#{sum:02x}").as_bytes()).unwrap();
}

fn asked(stream: &mut std::os::unix::net::UnixStream, packet: &str) -> String {
    said(stream, packet);
    let mut answer = String::new();
    while answer.split_once('#').is_none_or(|(_, sum)| sum.len() < 2) {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(char::from(byte[0]));
    }
    stream.write_all(b"+").unwrap();
    answer.trim_start_matches('+').trim_start_matches('$').split('#').next().unwrap_or_default().to_string()
}

#[test]
fn a_debugger_finds_the_registers_of_the_edge() {
    let subject = subject("bare:answer-irq7-5", "");
    let answer = subject.find(None, Which::Number(20)).unwrap();
    let registers = subject.enter(answer.clone(), &emulator(), &settings()).unwrap().registers;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("gdb");
    let wall_limit = Some(std::time::Duration::from_secs(60));
    let with = Settings { debugger: Some(socket.clone()), wall_limit, ..settings() };
    for (end, answered) in [("D", true), ("k", false)] {
        std::thread::scope(|scope| {
            let going = scope.spawn(|| subject.debug(&answer, &emulator(), &with));
            let mut stream = loop {
                match std::os::unix::net::UnixStream::connect(&socket) {
                    Ok(stream) => break stream,
                    Err(_) if going.is_finished() => panic!("{:?}", going.join()),
                    Err(_) => std::thread::sleep(std::time::Duration::from_millis(5)),
                }
            };
            let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&socket).unwrap());
            assert_eq!(mode & 0o7777, 0o600, "the emulator's monitor writes any file that its user can");
            // The length of the register packet depends on 32-bit or 64-bit code; the place of the first register does not.
            let found = asked(&mut stream, "g");
            let low: Vec<u8> = (0..4).map(|at| u8::from_str_radix(&found[2 * at..2 * at + 2], 16).unwrap()).collect();
            assert_eq!(u32::from_le_bytes(low.try_into().unwrap()), registers[0][0] as u32);
            if answered {
                asked(&mut stream, end);
            } else {
                said(&mut stream, end);
            }
            going.join().unwrap().expect("it goes on to its end, or ends where it stands");
        });
    }
}

#[test]
fn the_masked_stretches_of_a_guest_are_those_that_were_planted() {
    for emulator in emulators("the_masked_stretches_of_a_guest_are_those_that_were_planted") {
        let machine = emulator.machine.name;
        let text = format!(
            "about = 'test'\nmachine = '{machine}'\nguest = 'bare:masked-irq7-50'\n\
             [generator.a]\nshape = 'mark'\nperiod = 1\nstep = 1\ncount = 120\n"
        );
        let scenario = Scenario::parse("test", &text).expect("a sound scenario");
        let with = Settings { stretches: Some(40), ..settings() };
        let run = bench::run(&scenario, &emulator, &with).unwrap();
        let found = stretches::read(&std::fs::read(run.stretches_path()).unwrap()).unwrap();
        let names = backwall_lab::trail::names::of(&run, &scenario, &emulator, &settings()).unwrap();
        let gathered = stretches::gathered(&found, &names);
        assert_eq!(gathered.iter().map(|row| row.longest).collect::<Vec<_>>(), [50], "{machine}: {gathered:?}");
        // 121: the guest masks interrupts once more after its last pulse.
        assert!(gathered[0].count == 121 && gathered[0].sum == 50 * 121, "{machine}: {gathered:?}");
    }
}
