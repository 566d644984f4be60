// SPDX-License-Identifier: MIT OR Apache-2.0
//! Predictions from recordings against the responses of random task sets on an emulated Linux, which counts instructions as nanoseconds.
//!
//! Each set runs twice in a guest: first recorded, then with other random release instants. Call it with
//! `cargo bench --bench predicted -- SETS`. It prints one line for each figure, tab-separated: name, value, unit, goal,
//! met, peer, the peer's value, conditions. With ROWS=FILE in the environment each task is a line of that file, whose
//! sets do not run again. The same program is the first process of the guests.
#[path = "../../tests/guest/image.rs"]
mod image;
mod inside;
#[path = "../../../../cli/tests/common/program.rs"]
#[allow(dead_code, reason = "this program uses some of it")]
mod program;
mod sets;

use backwall_lab::emulator::Emulator;
use backwall_lab::guest::debian::{self, Newest};
use backwall_lab::machine::Machine;
use backwall_os::Stop;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

const SETS: u64 = 500;
const SETS_PER_BOOT: usize = 10;
const MOST_PESSIMISM: f64 = 1.5;
// A machine without a network, so only its timer and softirqs interrupt.
const MACHINE: [&str; 12] = [
    "-machine",
    "pc",
    "-accel",
    "tcg",
    "-icount",
    "shift=0,sleep=off",
    "-m",
    "1024",
    "-nodefaults",
    "-display",
    "none",
    "-no-reboot",
];
const OPTIONS: &str = "console=ttyS0 quiet nokaslr panic=-1 rdinit=/init --";

/// A task of a set: predicted from its own recording, or for the set beside its recording.
struct Row {
    way: String,
    set: u64,
    task: String,
    predicted: u64,
    measured: u64,
    afterwards: Option<u64>,
}

fn main() {
    if std::process::id() == 1 {
        inside::run();
    }
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(SETS);
    Emulator::find(Machine::usual()).unwrap_or_else(|error| panic!("{error}"));
    let linux = Machine::usual().linux;
    let bench = linux.bench(None).expect("one of the bench");
    let newest = Newest::named("stock", linux).expect("a kernel of Debian's");
    let kernel = debian::kernel(&newest, bench, &Stop::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut disk = tempfile::NamedTempFile::new().expect("a file");
    disk.write_all(&image::archive()).expect("there is room");
    let kept = std::env::var_os("ROWS").map(PathBuf::from);
    let before = kept.as_deref().filter(|file| file.exists());
    let before = before.map_or(String::new(), |file| std::fs::read_to_string(file).expect("a file of this bench"));
    let left: Vec<String> = (0..count).map(|set| set.to_string()).filter(|set| !is_done(&before, set)).collect();
    let (chunks, said) = (Mutex::new(left.chunks(SETS_PER_BOOT)), Mutex::new(before));
    let next = || chunks.lock().expect("no guest panicked").next();
    let work = || {
        while let Some(sets) = next() {
            let lines = boot(&kernel.image, disk.path(), sets);
            let mut said = said.lock().expect("no guest panicked");
            *said += &lines;
            kept.iter().for_each(|file| std::fs::write(file, &*said).expect("there is room"));
        }
    };
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).for_each(|_| drop(scope.spawn(work)));
    });
    let said = said.into_inner().expect("no guest panicked");
    let rows: Vec<Row> = said.lines().filter_map(Row::of).collect();
    said.lines().filter(|line| line.starts_with("FAULT ")).for_each(|line| eprintln!("{line}"));
    for (way, about) in [("own", "own threads of the recording"), ("set", "the set beside its recording")] {
        figures(way, about, &rows);
    }
}

fn is_done(said: &str, set: &str) -> bool {
    said.lines().any(|line| line.strip_prefix("DONE ") == Some(set))
}

// What a guest prints about these sets.
fn boot(kernel: &Path, disk: &Path, sets: &[String]) -> String {
    let console = tempfile::NamedTempFile::new().expect("a file");
    let mut command = Command::new("qemu-system-x86_64");
    command.args(MACHINE).arg("-kernel").arg(kernel).arg("-initrd").arg(disk);
    command.args(["-append", &format!("{OPTIONS} {}", sets.join(" "))]);
    command.arg("-serial").arg(format!("file:{}", console.path().display()));
    assert!(command.stdin(Stdio::null()).status().expect("QEMU starts").success());
    let said = std::fs::read(console.path()).expect("just written");
    let said = String::from_utf8_lossy(&said).replace('\r', "");
    assert!(sets.iter().all(|set| is_done(&said, set)), "the guest did not come to its end:\n{said}");
    let of_bench = |line: &&str| ["ROW ", "FAULT ", "DONE "].iter().any(|word| line.starts_with(word));
    said.lines().filter(of_bench).map(|line| format!("{line}\n")).collect()
}

impl Row {
    fn of(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("ROW ")?.split(' ').collect();
        let [way, set, task, predicted, measured, afterwards] = words[..] else { return None };
        Some(Self {
            way: way.to_string(),
            set: set.parse().ok()?,
            task: task.to_string(),
            predicted: predicted.parse().ok()?,
            measured: measured.parse().ok()?,
            afterwards: afterwards.parse().ok(),
        })
    }
}

fn figures(way: &str, about: &str, rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.way == way).collect();
    let sets = rows.iter().map(|row| row.set).collect::<std::collections::BTreeSet<u64>>().len();
    let where_ = format!("{} tasks of {sets} random sets on emulated Linux, {about}", rows.len());
    let print = |name: &str, value: String, unit: &str, goal: &str, met: bool| {
        let met = if met { "yes" } else { "no" };
        println!("predicted: {way} {name}\t{value}\t{unit}\t{goal}\t{met}\t-\t-\t{where_}");
    };
    let above = rows.iter().filter(|row| row.measured > row.predicted).count();
    print("responses above", above.to_string(), "tasks", "0", above == 0);
    let above: Vec<&&Row> =
        rows.iter().filter(|row| row.afterwards.is_some_and(|after| after > row.predicted)).collect();
    for Row { set, task, predicted, afterwards, .. } in &above {
        eprintln!("above afterwards: set {set}, {task}: predicted {predicted} ns, measured {afterwards:?} ns");
    }
    if way == "set" {
        print("responses above, run afterwards", above.len().to_string(), "tasks", "0", above.is_empty());
    }
    let mut ratios: Vec<f64> = rows.iter().map(|row| row.predicted as f64 / row.measured as f64).collect();
    ratios.sort_by(f64::total_cmp);
    let part = |share: f64| ratios.get((ratios.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    let most = MOST_PESSIMISM.to_string();
    print("median predicted by measured", format!("{:.2}", part(0.5)), "ratio", &most, part(0.5) <= MOST_PESSIMISM);
    println!("predicted: {way} 95th percentile of it\t{:.2}\tratio\t-\t-\t-\t-\t{where_}", part(0.95));
}
