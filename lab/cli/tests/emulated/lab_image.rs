// SPDX-License-Identifier: MIT OR Apache-2.0
//! A user's own image answers the bench through `wire/answer.h`. Needs QEMU, gcc and clang.
use crate::common::program::program;
use crate::lab_bare::machines;
use crate::lacking::skip;
use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::{MACHINES, Machine};
use backwall_lab::scenario::Scenario;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const EXAMPLE: &str = "lab/guests/image/answer.c";
const COMPILERS: [&str; 2] = ["gcc", "clang"];
const STRICT: [&str; 6] = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"];
const GENERATOR: &str = "[generator.a]\nshape = 'periodic'\nperiod = 10_000\ncount = 1000\n";

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}: tools/install.sh test"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

// The arguments of `cc` in the line of docs/how-to/rtos.md that builds the example. Using them here proves that line right.
fn documented() -> Vec<String> {
    let document = std::fs::read_to_string(tree().join("docs/how-to/rtos.md")).unwrap();
    let line = document.lines().find(|line| line.trim().starts_with("cc -m32")).expect("the command that builds it");
    line.split_whitespace().skip(1).map(str::to_string).collect()
}

// Builds the example in `folder` with `compiler`, as documented; `change` edits its source first.
fn build(compiler: &str, folder: &Path, change: impl Fn(String) -> String) -> PathBuf {
    let text = change(std::fs::read_to_string(tree().join(EXAMPLE)).unwrap());
    let header = tree().join("wire/answer.h");
    let source = folder.join("answer.c");
    std::fs::write(&source, text.replace("../../../wire/answer.h", header.to_str().unwrap())).unwrap();
    let image = folder.join(format!("answer-{compiler}"));
    let words = documented().into_iter().map(|word| match word.as_str() {
        EXAMPLE => source.clone().into_os_string(),
        "answer" => image.clone().into_os_string(),
        _ => word.into(),
    });
    done(Command::new(compiler).args(words).args(STRICT));
    image
}

fn scenario(image: &Path, more: &str) -> String {
    format!("about = 'test'\nguest = 'image:{}'\n{more}\n{GENERATOR}", image.display())
}

fn run(image: &Path) -> BenchRun {
    let scenario = Scenario::parse("test", &scenario(image, "answers = ['isr', 'app']")).unwrap();
    let emulator = Emulator::find(Machine::usual()).expect("these tests need QEMU: tools/install.sh test");
    bench::run(&scenario, &emulator, &Settings { seed: 1, ..Settings::default() }).expect("the image answers")
}

// How often each delay from the latest pulse to a rise of `answer` occurs.
fn latencies(run: &BenchRun, answer: &str) -> BTreeMap<u64, usize> {
    let rises = |name| run.recording.edges.line(name).expect(name).rises().map(|at| at.0).collect::<Vec<u64>>();
    let pulses = rises("stimulus_a");
    let mut counts = BTreeMap::new();
    for at in rises(answer) {
        *counts.entry(at - pulses[pulses.partition_point(|pulse| *pulse <= at) - 1]).or_default() += 1;
    }
    counts
}

// The instructions of a function of the image, as the disassembler prints them.
fn instructions(image: &Path, function: &str) -> Vec<String> {
    let mut objdump = Command::new("objdump");
    let listing = done(objdump.args(["-d", "--no-show-raw-insn", "--disassemble-zeroes"]).arg(image)).stdout;
    let (listing, label) = (String::from_utf8(listing).unwrap(), format!("<{function}>:"));
    let lines = listing.lines().skip_while(|line| !line.ends_with(&label)).skip(1).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split_once('\t')).map(|(_, instruction)| instruction.trim().to_string()).collect()
}

// The number of instructions up to and including the first that starts with `beginning`.
fn up_to(instructions: &[String], beginning: &str) -> u64 {
    let at = instructions.iter().position(|instruction| instruction.starts_with(beginning));
    at.unwrap_or_else(|| panic!("{beginning} in {instructions:?}")) as u64 + 1
}

#[test]
fn the_example_answers_after_as_many_instructions_as_its_compiler_made_of_it() {
    for compiler in COMPILERS {
        let folder = tempfile::tempdir().unwrap();
        let image = build(compiler, folder.path(), |text| text);
        let (entry, routine) = (instructions(&image, "interrupt"), instructions(&image, "interrupted"));
        let straight =
            routine.iter().all(|instruction| !instruction.starts_with('j') && !instruction.starts_with("call"));
        assert!(straight, "no jump, no call: {routine:?}");
        let answer = up_to(&entry, "call") + up_to(&routine, "out ");
        let whole = up_to(&entry, "iret") + up_to(&routine, "ret");
        let run = run(&image);
        assert_eq!(latencies(&run, "isr"), BTreeMap::from([(answer, 1000)]), "{compiler}: {routine:?}");
        let app = latencies(&run, "app");
        assert_eq!(app.values().sum::<usize>(), 1000, "{compiler}: {app:?}");
        assert!(app.len() == 1 && app.keys().all(|latency| *latency > whole), "{compiler}: {app:?}, routine {whole}");
    }
}

#[test]
fn the_header_is_c11_for_each_architecture_and_short() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("all.c");
    let calls = "#include \"answer.h\"\nint all(void);\nint all(void)\n{\n    if (!answer_wanted())\n        return 1;\n    answer_arm();\n    \
                 answer_raise(CONNECTOR_LINE_IST);\n    answer_lower(CONNECTOR_LINE_IST);\n    answer_toggle(CONNECTOR_LINE_PROGRESS);\n    \
                 answer_end(0);\n    return 0;\n}\n";
    std::fs::write(&source, calls).unwrap();
    let wire = tree().join("wire");
    let mut compiled = 0;
    for compiler in COMPILERS {
        for width in ["-m32", "-m64"] {
            for level in ["-O0", "-O2"] {
                let mut command = Command::new(compiler);
                command.args(STRICT).args([width, level, "-ffreestanding", "-c"]).arg(&source).arg("-I").arg(&wire);
                done(command.arg("-o").arg(folder.path().join("all.o")));
                compiled += 1;
            }
        }
    }
    assert_eq!(compiled, 8);
    for compiler in ["aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc"] {
        match Command::new(compiler).arg("--version").output() {
            Ok(_) => {
                let mut command = Command::new(compiler);
                command.args(STRICT).args(["-ffreestanding", "-c"]).arg(&source).arg("-I").arg(&wire);
                done(command.arg("-o").arg(folder.path().join("all.o")));
            }
            Err(error) => skip("the_header_is_c11_for_each_architecture_and_short", &format!("{compiler}: {error}")),
        }
    }
    let header = std::fs::read_to_string(wire.join("answer.h")).unwrap();
    let code = header.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '/'])).count();
    assert!((1..=45).contains(&code), "{code} lines");
    assert!(!header.contains("0x"), "the numbers stand in connector.h alone");
}

// The exit code and the output of `lab run` with the image, with the lines `more` in its scenario.
fn told(image: &Path, folder: &Path, more: &str) -> (Option<i32>, String, String) {
    std::fs::write(folder.join("mine.toml"), scenario(image, more)).unwrap();
    let mut command = Command::new(program());
    let output = command.args(["lab", "run", "--fresh", "mine.toml"]).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn an_image_that_never_arms_the_port_is_told_what_would() {
    let folder = tempfile::tempdir().unwrap();
    let image = build("gcc", folder.path(), |text| text.replace("    answer_arm();\n", ""));
    let (code, _, message) = told(&image, folder.path(), "");
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains("before it armed the port") && message.contains("answer_arm"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn an_image_that_answers_on_other_lines_than_named_is_told_which() {
    let folder = tempfile::tempdir().unwrap();
    let image = build("gcc", folder.path(), |text| text);
    let (code, shown, message) = told(&image, folder.path(), "answers = ['ist']");
    let both = format!("{shown}{message}");
    assert_eq!(code, Some(3), "{both}");
    assert!(both.contains("the guest never answered on ist"), "{both}");
    let (_, shown, message) = told(&image, folder.path(), "answers = ['app']");
    assert!(!format!("{shown}{message}").contains("never answered"), "{shown}{message}");
}

#[test]
fn a_file_that_is_no_image_is_wrong_input() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    std::fs::write(&image, "no image").unwrap();
    let (code, _, message) = told(&image, folder.path(), "");
    assert!(code == Some(2) && message.contains("no multiboot header"), "{code:?} {message}");
    let (code, _, message) = told(&folder.path().join("missing"), folder.path(), "");
    assert!(code == Some(2) && message.contains("No such file"), "{code:?} {message}");
}

#[test]
fn an_elf_file_is_an_image_of_virt_and_one_for_another_processor_is_wrong_input() {
    let test = "an_elf_file_is_an_image_of_virt_and_one_for_another_processor_is_wrong_input";
    let folder = tempfile::tempdir().unwrap();
    for machine in machines(test).filter(|machine| *machine != Machine::usual()) {
        let (_, bytes) = machine.bare.iter().find(|(name, _)| *name == "answer-irq7-5").expect("carried");
        let image = folder.path().join(machine.name);
        std::fs::write(&image, bytes).unwrap();
        let on = |machine: &str| format!("machine = '{machine}'\n");
        let (code, shown, message) = told(&image, folder.path(), &on(machine.name));
        assert_eq!(code, Some(0), "{shown}{message}");
        for other in MACHINES.into_iter().filter(|other| *other != machine) {
            let (code, _, message) = told(&image, folder.path(), &on(other.name));
            let said = message.contains("another architecture") || message.contains("no multiboot header");
            assert!(code == Some(2) && said && message.lines().count() == 1, "{}: {code:?} {message}", other.name);
        }
    }
}
