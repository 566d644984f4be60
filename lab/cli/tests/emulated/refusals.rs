// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong input to `backwall lab` gives one line that says what and where, the right exit code, and no files.
use crate::common::program::program;
use std::process::Command;

const CASES: &[(&str, i32, &str)] = &[
    ("lab cost --machine arm64", 2, "unknown machine \"arm64\"; expected one of x86-pc, arm64-virt, riscv64-virt"),
    ("lab tune linux-stock --boot=", 2, "lab: linux-stock: boot: \"\": expected a boot parameter"),
    ("lab run linux-rt-swep", 2, "; did you mean linux-rt-sweep?"),
    ("lab saturate bare-masked", 2, "scenario bare-masked: generator.a: a search needs shape = \"periodic\""),
    (
        "lab run bare-answer --require irs.missed==0",
        2,
        "no such series; expected isr[load=none,idle=as-is]; did you mean isr?",
    ),
    ("lab run detent-wakeup --require ist.missed==0", 2, "no such series; expected wakeup[load=none,idle=as-is]"),
    (
        "lab run bare-answer --require isr.max<5us",
        2,
        "isr[load=none,idle=as-is] is in instructions, but the limit is in time",
    ),
    ("lab sweep detent-sweep --require nothing.missed==0", 2, "no such series; expected "),
    (
        "lab saturate bare-answer --require missed==0",
        2,
        "unknown option '--require'; backwall lab saturate --help lists its options and arguments",
    ),
    ("lab list --output x", 2, "unknown option '--output'; backwall lab list --help lists its options and arguments"),
    ("lab rn", 2, "unknown command 'rn'"),
    ("lab masked detent", 2, "`backwall lab masked` is now `backwall lab irqsoff`"),
    ("campaign plan x", 2, "`backwall campaign` is now `backwall lab batch`"),
];

#[test]
fn every_wrong_input_is_one_line_with_the_right_code_and_leaves_nothing() {
    for (arguments, code, expected) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(program()).args(arguments.split(' ')).current_dir(folder.path()).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(*code), "{arguments}: {line}");
        assert_eq!(line.lines().count(), 1, "{arguments}: {line}");
        assert!(line.starts_with("backwall: ") && line.contains(expected), "{arguments}: {line}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments} left something behind");
    }
}

#[test]
fn without_the_second_program_one_line_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("backwall");
    std::fs::hard_link(program(), &alone).or_else(|_| std::fs::copy(program(), &alone).map(drop)).unwrap();
    let set = "processors = 1\nduration = \"10ms\"\n[[series]]\nname = \"a\"\nperiod = \"1ms\"\ncomputation = \"100us\"\npriority = 10\n";
    std::fs::write(folder.path().join("set.toml"), set).unwrap();
    for line in ["lab", "lab list", "lab run bare-answer --json", "help lab", "tasks run set.toml --guest detent-probe"]
    {
        let mut tool = Command::new(&alone);
        let output = tool.args(line.split(' ')).env("PATH", folder.path()).current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{line}: {said}");
        let expected = "backwall: backwall-lab isn't installed: the packages install it next to backwall; from source, `make lab` builds it\n";
        assert_eq!(said, expected, "{line}");
        assert!(output.stdout.is_empty(), "{line}");
    }
    std::fs::write(folder.path().join("backwall-lab"), "no program").unwrap();
    let output = Command::new(&alone).args(["lab", "list"]).env("PATH", folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "a file that cannot be executed");
}
