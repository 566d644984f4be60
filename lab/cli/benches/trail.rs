// SPDX-License-Identifier: MIT OR Apache-2.0
//! The accuracy and the cost of instruction-exact reports on single answers: differences that sum, a planted change, answers
//! recorded again, planted masked stretches, and the instrument with its trail on.
//!
//! `cargo bench --bench trail -- entered` runs that part alone; `BACKWALL_ENTERED` is how many answers of each guest are
//! recorded. Prints one line per figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions.
#[path = "../tests/emulated/planted.rs"]
mod planted;

use backwall_capture::trail::difference::terms;
use backwall_capture::trail::stretches;
use backwall_capture::trail::visits::by_function;
use backwall_lab::bench::{self, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::Machine;
use backwall_lab::saved_state::Shelf;
use backwall_lab::scenario::Scenario;
use backwall_lab::shipped;
use backwall_lab::trail::answer::Which;
use backwall_lab::trail::entered_answer::{BadEntry, EnteredAnswer, Explained, Subject};
use planted::{CHAIN, LINKS, PLANTED, planted};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

// One guest of each kernel and machine; the benchmark compares every pair of them.
const GUESTS: [&str; 8] = [
    "linux-stock",
    "linux-rt",
    "linux-stock-6.12",
    "linux-rt-6.12",
    "detent",
    "detent-bench",
    "detent-ce30",
    "detent-cenet",
];
const PAIR_GOAL_SECONDS: f64 = 60.0;

const PULSES: u64 = 4_096;
const ENTERED: usize = 32;
const ENTERED_GOAL_SECONDS: f64 = 1.0;

// A bare guest that masks interrupts at each of its marks, and once more after the last pulse.
const MASKED: &str = "about = 'bench'\nguest = 'bare:masked-irq7-50'\n\
    [generator.a]\nshape = 'mark'\nperiod = 1\nstep = 1\ncount = 120\n";
const MASKED_FOR: u64 = 50;
const MASKED_TIMES: usize = 121;
const STRETCHES_LEAST: u64 = 50;

const TRAIL_GOAL: f64 = 1.3;
const TRAIL_REPEATS: usize = 3;

type Part = (&'static str, fn(&Bench));

fn main() {
    let emulator = Emulator::find(Machine::usual()).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o700)).tempdir();
    let folder = folder.expect("a folder");
    let states = Shelf::at(folder.path()).expect("a folder of our own").for_all();
    let bench = Bench { emulator, settings: Settings { states: Some(states), modes: true, ..Settings::default() } };
    let parts: [Part; 5] = [
        ("pairs", Bench::pairs),
        ("planted", Bench::planted_changes),
        ("entered", Bench::entered_again),
        ("masked", Bench::masked_stretches),
        ("trail", Bench::trail_on),
    ];
    // Cargo adds an option of its own, which is skipped here.
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    parts
        .iter()
        .filter(|(name, _)| named.is_empty() || named.iter().any(|one| one == name))
        .for_each(|(_, make)| make(&bench));
}

fn entered() -> usize {
    std::env::var("BACKWALL_ENTERED")
        .map_or(ENTERED, |text| text.parse().expect("BACKWALL_ENTERED: want a number"))
        .max(2)
}

fn print(name: &str, value: f64, unit: &str, goal: &str, met: bool, conditions: &str) {
    let met = if met { "yes" } else { "no" };
    println!("{name}\t{value:.3}\t{unit}\t{goal}\t{met}\t-\t-\t{conditions}");
}

struct Bench {
    emulator: Emulator,
    settings: Settings,
}

impl Bench {
    fn subject(&self, scenario: Scenario) -> Subject {
        let name = scenario.name.clone();
        Subject::of_scenario(scenario, &self.emulator, &self.settings).unwrap_or_else(|fault| panic!("{name}: {fault}"))
    }

    fn explain(&self, subject: &Subject, which: Which) -> Explained {
        let name = &subject.scenario.name;
        let answer = subject.find(None, which).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        subject.explain(answer, &self.emulator, &self.settings).unwrap_or_else(|fault| panic!("{name}: {fault}"))
    }

    fn enter(&self, subject: &Subject, which: Which) -> EnteredAnswer {
        self.entry(subject, which).unwrap_or_else(|fault| panic!("{}: {fault}", subject.scenario.name))
    }

    fn entry(&self, subject: &Subject, which: Which) -> Result<EnteredAnswer, BadEntry> {
        subject.enter(subject.find(None, which)?, &self.emulator, &self.settings)
    }

    // How much of the difference between two latencies the terms leave unexplained, over all pairs.
    fn pairs(&self) {
        let subjects: Vec<Subject> =
            GUESTS.iter().map(|name| self.subject(shipped::find_only(name).expect("a shipped scenario"))).collect();
        // Output that appears only once, the names of a kernel's functions, is produced here, before the time is taken.
        let entered: Vec<Explained> = subjects.iter().map(|subject| self.explain(subject, Which::Median)).collect();
        let pairs = || (0..entered.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
        let unexplained: u64 = pairs().map(|(a, b)| unexplained(&entered[a], &entered[b])).sum();
        let conditions =
            format!("the median answers of {} guests, {} pairs: {}", entered.len(), pairs().count(), GUESTS.join(", "));
        print("lab: diff, unexplained", unexplained as f64, "instructions", "0", unexplained == 0, &conditions);
        let begun = Instant::now();
        let _ = (self.explain(&subjects[2], Which::Median), self.explain(&subjects[3], Which::Median));
        let seconds = begun.elapsed().as_secs_f64();
        let conditions =
            "the median answers of linux-stock-6.12 and linux-rt-6.12, each of 2,000, from their saved states";
        print("lab: diff of a pair", seconds, "s", "60", seconds <= PAIR_GOAL_SECONDS, conditions);
    }

    fn planted_changes(&self) {
        let folder = tempfile::tempdir().expect("a folder");
        let functions =
            |guest: &str| by_function(&self.explain(&self.subject(one_answer(guest)), Which::Median).visits);
        let before = functions(CHAIN);
        let found = (0..LINKS).filter(|link| {
            let after = functions(&planted(*link, folder.path()));
            let changed: Vec<_> = terms(&before, &after).into_iter().filter(|term| term.difference != 0).collect();
            matches!(&changed[..], [term] if term.function == format!("link_{link}") && term.difference == i64::from(PLANTED))
        });
        let (found, conditions) =
            (found.count(), "each of a bare guest's 100 functions longer by 50 instructions in turn");
        print("lab: planted changes found", found as f64, "of 100", "100", found == LINKS, conditions);
    }

    // Takes answers from all over the worst 4,096 and records each of them twice.
    fn entered_again(&self) {
        let count = entered();
        for name in ["linux-stock", "linux-rt", "detent"] {
            let subject = self.subject(with_pulses(name, PULSES));
            let _ = self.enter(&subject, Which::Worst(1));
            let (mut seconds, mut used, mut same) = (Vec::new(), 0.0_f64, 0);
            for index in 0..count {
                let which = Which::Worst(1 + index * (PULSES as usize - 1) / (count - 1));
                let (begun, before) = (Instant::now(), used_seconds());
                let first = self.entry(&subject, which);
                seconds.push(begun.elapsed().as_secs_f64());
                used = used.max(used_seconds() - before);
                same += usize::from(is_the_same(first, self.entry(&subject, which)));
            }
            seconds.sort_by(f64::total_cmp);
            let (median, longest) = (seconds[count / 2], seconds[count - 1]);
            let conditions = format!(
                "the longest of {count} over the worst {PULSES} of {name}, from its saved state; median {median:.2} s, at most {used:.2} s of \
                 processor time"
            );
            print("lab: an answer entered again", longest, "s", "1", longest <= ENTERED_GOAL_SECONDS, &conditions);
            let conditions = format!(
                "of {count} of {name}: edges as in the run, registers at both ends and trail alike in two entries"
            );
            print(
                "lab: entered again, identical",
                same as f64,
                "answers",
                &count.to_string(),
                same == count,
                &conditions,
            );
        }
    }

    // A guest masks interrupts for 50 instructions at each of its marks: the stretches that are found, and the time that it takes
    // to find them.
    fn masked_stretches(&self) {
        let scenario = Scenario::parse("bench", MASKED).expect("a sound scenario");
        let told = self.stretches(&scenario);
        let right = told.iter().filter(|stretch| stretch.to - stretch.from == MASKED_FOR).count();
        let all_right = right == told.len() && right == MASKED_TIMES;
        let conditions =
            format!("of {} irqs-off sections of a bare guest that masks for {MASKED_FOR} instructions", told.len());
        print(
            "lab: masked, planted stretches",
            right as f64,
            "stretches",
            &MASKED_TIMES.to_string(),
            all_right,
            &conditions,
        );
        let scenario = shipped::find_only("linux-rt").expect("a shipped scenario");
        let _ = self.stretches(&scenario);
        let begun = Instant::now();
        let told = self.stretches(&scenario);
        let conditions = format!(
            "2,200 pulses of linux-rt from its saved state, {} stretches of at least 50 instructions",
            told.len()
        );
        println!("lab: masked, of a kernel\t{:.3}\ts\t-\t-\t-\t-\t{conditions}", begun.elapsed().as_secs_f64());
    }

    fn stretches(&self, scenario: &Scenario) -> Vec<stretches::Stretch> {
        let settings = Settings { stretches: Some(STRETCHES_LEAST), ..self.settings.clone() };
        let run = bench::run(scenario, &self.emulator, &settings).unwrap_or_else(|fault| panic!("{fault}"));
        let bytes = std::fs::read(run.stretches_path()).expect("the masked stretches");
        stretches::read(&bytes).expect("masked stretches, whole").told
    }

    // A run up to its last answer: without a trail, with the trail of that answer, and with the trail of all.
    fn trail_on(&self) {
        let scenario = shipped::find_only("linux-rt").expect("a shipped scenario");
        let subject = self.subject(scenario.clone());
        let last = subject.find(None, Which::Number(2_199)).expect("the last answer");
        let first = subject.find(None, Which::Number(0)).expect("the first answer");
        let window = |from: u64| Some(bench::Window { from, to: last.to });
        let [without, one, all] = [None, window(last.from), window(first.from)].map(|window| {
            let settings = Settings { window, ..self.settings.clone() };
            let seconds = (0..TRAIL_REPEATS).map(|_| {
                let begun = Instant::now();
                bench::record(&scenario, &self.emulator, &settings).unwrap_or_else(|fault| panic!("{fault}"));
                begun.elapsed().as_secs_f64()
            });
            seconds.fold(f64::INFINITY, f64::min)
        });
        let conditions = format!(
            "seconds of 2,200 pulses of linux-rt from its saved state with the trail of one answer over without ({one:.2} s, {without:.2} s; \
             of all from the first edge on: {all:.2} s), best of {TRAIL_REPEATS}"
        );
        print("lab: the trail on", one / without, "of without", "1.3", one / without <= TRAIL_GOAL, &conditions);
    }
}

// CPU time of this process and its finished children.
fn used_seconds() -> f64 {
    // Clock ticks per second in `/proc`; the same on every Linux machine.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").expect("proc");
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = behind_name.split_whitespace().skip(11).take(4);
    fields.map(|field| field.parse::<f64>().expect("a number")).sum::<f64>() / TICKS
}

// Whether two recordings took the same path. A repetition that did not follow the run's path is refused.
fn is_the_same(first: Result<EnteredAnswer, BadEntry>, second: Result<EnteredAnswer, BadEntry>) -> bool {
    let faults = [&first, &second].into_iter().filter_map(|entry| entry.as_ref().err());
    faults.for_each(|fault| eprintln!("bench: {fault}"));
    matches!((first, second), (Ok(first), Ok(second)) if first.registers == second.registers && first.trail == second.trail)
}

fn unexplained(first: &Explained, second: &Explained) -> u64 {
    let sum: i64 =
        terms(&by_function(&first.visits), &by_function(&second.visits)).iter().map(|term| term.difference).sum();
    (second.entered.answer.latency() as i64 - first.entered.answer.latency() as i64).abs_diff(sum)
}

fn one_answer(guest: &str) -> Scenario {
    let text =
        format!("about = 'bench'\nguest = '{guest}'\n[generator.a]\nshape = 'periodic'\nperiod = 200_000\ncount = 3\n");
    Scenario::parse("bench", &text).expect("a sound scenario")
}

fn with_pulses(name: &str, pulses: u64) -> Scenario {
    let mut scenario = shipped::find_only(name).expect("a shipped scenario");
    let generator = scenario.generator.a.as_mut().expect("a generator");
    (generator.warmup, generator.count) = (0, pulses);
    scenario
}
