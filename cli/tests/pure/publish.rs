// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export site` reveals nothing about the machine: secrets are planted in every text of a run and searched in every byte of the
//! output.
use crate::sample;
use backwall_formats::anonymize::{Words, bundle};
use backwall_model::{Extension, Lab, Origin, Run};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// No word of the project holds it.
const SECRET: &str = "Qx7secretZ";
// The only free texts of a run, which describe the machine. Only harmless letters stay.
const DESCRIBED: [&str; 6] =
    ["/device/board", "/device/clock", "/device/cpu", "/device/kernel", "/device/preemption", "/version"];

fn full() -> Run {
    let mut run = sample::tour();
    run.command = ["backwall", "run", "--load-cmd", "cat /home/anna/plan"].map(String::from).to_vec();
    run.plan.load_command = Some("make -C /home/anna".into());
    run.device.say("board", "A board");
    run.device.say("boot_id", "1234");
    run.environment.add("cmdline", json!({ "root": "UUID=1", "words": ["quiet"] }));
    run.spoil("the cable of anna's desk");
    run
}

// Places of all texts, and of all names of members that are not the schema's own.
fn texts(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_string()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| texts(item, &format!("{at}/{index}"), found))
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| {
                texts(member, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found)
            });
        }
        _ => {}
    }
}

fn bundled(run: &Run) -> String {
    serde_json::to_string(&bundle(run, &mut Words::new(&BTreeSet::new()))).unwrap()
}

// Each place by itself, so that an invalid run in one place does not hide the others.
#[test]
fn no_text_of_a_run_comes_through_but_those_that_describe_the_machine() {
    let whole = serde_json::to_value(full()).unwrap();
    let (mut places, mut leaks, mut tried) = (Vec::new(), BTreeSet::new(), 0);
    texts(&whole, "", &mut places);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for place in &places {
        // Of a list each kind of place is tried a few times.
        let kind: String =
            place.split('/').map(|part| if part.parse::<usize>().is_ok() { "#/" } else { part }).collect();
        let times = kinds.entry(kind).or_default();
        *times += 1;
        if *times > 3 {
            continue;
        }
        let mut planted = whole.clone();
        *planted.pointer_mut(place).unwrap() = Value::String(SECRET.to_string());
        let Ok(run) = serde_json::from_value::<Run>(planted) else { continue };
        tried += 1;
        if bundled(&run).contains(SECRET) {
            leaks.insert(place.clone());
        }
    }
    assert_eq!(leaks.iter().map(String::as_str).collect::<Vec<_>>(), DESCRIBED);
    assert!(tried > 60, "{tried} places took the secret");
}

#[test]
fn no_name_of_a_member_comes_through() {
    let mut run = full();
    run.values.insert(SECRET.into(), 1);
    run.later_values = [(SECRET.into(), run.values.clone())].into();
    run.device.say(SECRET, "x");
    run.environment.add(SECRET, json!(1));
    run.series[0].key.variant.insert(SECRET.into(), "1".into());
    assert!(!bundled(&run).contains(SECRET));
}

#[test]
fn figures_stay_to_the_last_sample() {
    let run = full();
    let bundle = bundle(&run, &mut Words::new(&BTreeSet::new()));
    for (before, after) in run.series.iter().zip(&bundle.series) {
        assert_eq!(
            (before.due, before.done, before.missed, before.max),
            (after.due, after.done, after.missed, after.max)
        );
        assert_eq!((&before.quantiles, &before.histogram), (&after.quantiles, &after.histogram));
    }
    assert_eq!((bundle.valid, bundle.invalid.len()), (false, 1));
    assert!(bundle.started.ends_with("T00:00:00Z"));
    backwall_model::read(&serde_json::to_string(&bundle).unwrap()).unwrap();
}

// Every text of a run at once; words that give it meaning stay.
fn planted() -> Run {
    let whole = serde_json::to_value(full()).unwrap();
    let mut places = Vec::new();
    texts(&whole, "", &mut places);
    let mut planted = whole;
    for place in places
        .iter()
        .filter(|place| !DESCRIBED.contains(&place.as_str()) && *place != "/schema" && *place != "/started")
    {
        let mut next = planted.clone();
        // Keys stay different from each other.
        *next.pointer_mut(place).unwrap() = Value::String(format!("{SECRET}{place}"));
        if serde_json::from_value::<Run>(next.clone()).is_ok() {
            planted = next;
        }
    }
    serde_json::from_value(planted).unwrap()
}

fn store(folder: &Path, run: &Run) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("run.json"), serde_json::to_string(run).unwrap()).unwrap();
}

fn publish(top: &Path, words: &[&str]) -> Output {
    fs::write(top.join(".gitconfig"), format!("[user]\nname = {SECRET}\nemail = {SECRET}@box\n")).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"));
    tool.args(["export", "site"])
        .args(words)
        .current_dir(top)
        .env("HOME", top)
        .env_remove("XDG_CACHE_HOME")
        .env("USER", SECRET)
        .env("TZ", "Asia/Tokyo");
    tool.output().unwrap()
}

fn every_file(folder: &Path, all: &mut Vec<PathBuf>) {
    for path in crate::tool::files(folder) {
        if path.is_dir() { every_file(&path, all) } else { all.push(path) }
    }
}

fn holds(bytes: &[u8], secret: &str) -> bool {
    let (bytes, secret) = (bytes.to_ascii_lowercase(), secret.to_ascii_lowercase());
    bytes.windows(secret.len()).any(|part| part == secret.as_bytes())
}

#[test]
fn what_is_published_holds_no_secret_in_any_byte_also_of_the_repository() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    let mut emulated = planted();
    emulated.origin = Origin::Emulated;
    emulated.plan.extension =
        Extension::Lab(Lab { scenario: json!({ "name": "linux-rt", "guest": SECRET, "file": SECRET }) });
    store(&folder.join(format!("runs/{SECRET}")), &planted());
    store(&folder.join("runs/lab"), &emulated);
    assert!(Command::new("git").args(["init", "-q", "table"]).current_dir(folder).status().unwrap().success());
    let output = publish(folder, &["runs", "-o", "table", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["new"], told["commit"].is_string()), (&2.into(), true), "{told:#}");

    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_string();
    let mut secrets = vec![SECRET.to_string(), folder.display().to_string(), "anna".to_string(), "Asia".to_string()];
    secrets.extend(Some(host).filter(|host| host.len() >= 4));
    let mut files = Vec::new();
    every_file(&folder.join("table"), &mut files);
    let mut git = Command::new("git");
    git.args(["cat-file", "--batch-all-objects", "--batch"]).current_dir(folder.join("table"));
    let objects = git.output().unwrap().stdout;
    assert!(holds(&objects, "backwall@localhost"), "the commit is there");
    for secret in &secrets {
        for file in &files {
            assert!(!holds(&fs::read(file).unwrap(), secret), "{secret} in {}", file.display());
            assert!(!holds(file.strip_prefix(folder).unwrap().display().to_string().as_bytes(), secret));
        }
        assert!(!holds(&objects, secret), "{secret} in the repository");
    }
    assert!(!holds(&objects, "+0900"), "where the user sits");

    let index = fs::read_to_string(folder.join("table/index.html")).unwrap();
    assert!(index.contains("Instructions are not cycles") && index.contains("linux-rt"), "{index}");
    let pages: Vec<&PathBuf> = files.iter().filter(|file| file.ends_with("report.html")).collect();
    let of_lab = pages.iter().filter(|page| fs::read_to_string(page).unwrap().contains("instructions are not cycles"));
    assert_eq!((pages.len(), of_lab.count()), (2, 1));

    let again = publish(folder, &["runs", "-o", "table", "--json"]);
    let told: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&told["new"], &told["again"], &told["commit"]), (&0.into(), &2.into(), &Value::Null));
}

#[test]
fn what_names_this_machine_or_is_no_run_is_not_published_and_the_rest_is() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    let mut named = full();
    named.device.kernel = format!("Linux 6.1.0-{SECRET} #1");
    store(&folder.join("runs/a"), &named);
    store(&folder.join("runs/b"), &full());
    fs::create_dir_all(folder.join("runs/c")).unwrap();
    fs::write(folder.join("runs/c/run.json"), "{}").unwrap();
    let output = publish(folder, &["runs", "-o", "table"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 2), "{said}");
    assert!(said.contains("runs/a: the kernel release or CPU name contains"), "{said}");
    assert_eq!(crate::tool::files(&folder.join("table/bundles")).len(), 1);
}
