// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many instructions each wakeup of a program costs the whole guest, in user mode and in kernel mode.
//!
//! A program runs for a number of wakeups, then for twice and for three times as many. The differences of the
//! instruction counts are the cost of the additional wakeups: start and end of the program cancel out, and the program
//! needs no marks. If the two differences are not equal, something else was counted, and there is no figure. An idle
//! CPU executes nothing. Next to the wakeup itself, the figure therefore contains only the kernel's ticks in the time
//! of one wakeup, and the program's other threads.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::bench::{BenchFault, Settings, prepared};
use super::emulator::Emulator;
use super::guest::Preparing;
use super::guest::programs::{self, GuestFile};
use super::machine::Machine;
use super::scenario::Scenario;
use super::work_folder::WorkFolder;
pub use backwall_capture::trail::cost::{Cost, KernelCounts};

/// Placeholder for the number of wakeups in a program's arguments.
pub const COUNT: &str = "{}";

#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    /// The command: a path in the guest, and arguments, one of which contains [`COUNT`].
    pub words: Vec<String>,
    pub files: Vec<GuestFile>,
}

/// Runs all programs in one boot of the guest: each for `wake_ups` twice (the first time to warm up), then for twice and three
/// times as many.
pub fn count(
    (machine, guest): (&Machine, &str),
    listed: &[Program],
    wake_ups: u64,
    emulator: &Emulator,
    settings: &Settings,
) -> Result<KernelCounts, BenchFault> {
    let scenario = scenario(machine, guest);
    let folder = WorkFolder::create().map_err(|source| BenchFault::System { what: "a folder for the run", source })?;
    let lines: Vec<String> = listed.iter().flat_map(|program| lines(program, wake_ups)).collect();
    let files: Vec<&GuestFile> = listed.iter().flat_map(|program| &program.files).collect();
    let machine =
        programs::prepare(&scenario, &files, &lines, &Preparing { folder: folder.path(), stop: &settings.stop })?;
    let settings = Settings { modes: true, ..settings.clone() };
    let run = prepared(&scenario, emulator, &settings, machine, folder)?.whole()?;
    let said = std::fs::read_to_string(run.channel_path()).unwrap_or_default();
    let counts: Vec<[u64; 2]> = said.lines().filter_map(counts).collect();
    if counts.len() != lines.len() {
        let what = format!("reported the counts of {} of {} runs", counts.len(), lines.len());
        return Err(BenchFault::Device { what, tail: String::new() });
    }
    let counted = listed.iter().zip(counts.chunks_exact(TIMES.len()));
    let costs = counted.map(|(program, counts)| cost_of(&program.name, counts, wake_ups));
    Ok(KernelCounts { guest: run.description().to_string(), costs: costs.collect() })
}

/// Multiples of the number of wakeups for which each program runs.
const TIMES: [u64; 4] = [1, 1, 2, 3];
/// Two results that differ by less than this share of a wakeup's cost count as equal: one kernel tick more or less makes this
/// difference.
const SAME: f64 = 0.01;

fn cost_of(program: &str, counts: &[[u64; 2]], wake_ups: u64) -> Cost {
    let each = |from: usize, to: usize, mode: usize| {
        let times = (TIMES[to] - TIMES[from]) * wake_ups;
        (counts[to][mode] as f64 - counts[from][mode] as f64) / times as f64
    };
    let is_bent = |mode: usize| {
        let (first, second) = (each(1, 2, mode), each(2, 3, mode));
        (first - second).abs() > SAME * first.abs().max(second.abs()) + 1.0
    };
    let sum = |from: usize, to: usize| each(from, to, 0) + each(from, to, 1);
    Cost {
        program: program.to_string(),
        user: each(1, 3, 0),
        kernel: each(1, 3, 1),
        bent: (is_bent(0) || is_bent(1)).then(|| [sum(1, 2), sum(2, 3)]),
    }
}

fn lines(program: &Program, wake_ups: u64) -> impl Iterator<Item = String> {
    TIMES.into_iter().map(move |times| program.words.join(" ").replace(COUNT, &(times * wake_ups).to_string()))
}

fn counts(line: &str) -> Option<[u64; 2]> {
    let mut words = line.split(' ').skip(1).map(|word| word.parse().ok());
    Some([words.next()??, words.next()??])
}

fn scenario(machine: &Machine, guest: &str) -> Scenario {
    let name = machine.name;
    let text = format!(
        "about = 'instructions of a wake-up'\nmachine = {name:?}\nguest = {guest:?}\nstream = true\n[limits]\ninstructions = 900_000_000_000\n"
    );
    Scenario::parse("cost", &text).expect("a scenario of our own")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_runs_as_often_as_it_is_told() {
        let words = ["/bin/p", "-l{}", "-q"].map(str::to_string).into();
        let program = Program { name: "p".into(), words, files: Vec::new() };
        let lines: Vec<String> = lines(&program, 50).collect();
        assert_eq!(lines, ["/bin/p -l50 -q", "/bin/p -l50 -q", "/bin/p -l100 -q", "/bin/p -l150 -q"]);
    }

    #[test]
    fn counts_on_a_line_give_a_figure_and_others_none() {
        let counts = |each: [u64; 2], jump: u64| {
            let count = |times: u64, jump: u64| [500_000 + times * 100 * each[0] + jump, times * 100 * each[1]];
            [count(1, 0), count(1, 0), count(2, jump), count(3, 0)]
        };
        let straight = cost_of("p", &counts([250, 7_000], 0), 100);
        assert_eq!((straight.user, straight.kernel, straight.bent), (250.0, 7_000.0, None));
        // As seen in a review: 0.3 million instructions that belong to no wakeup.
        let bent = cost_of("p", &counts([250, 7_000], 300_000), 100);
        assert_eq!(bent.bent, Some([10_250.0, 4_250.0]));
    }

    #[test]
    fn a_line_of_counts_is_a_number_and_two_counts() {
        assert_eq!(counts("2 17 18446744073709551615"), Some([17, u64::MAX]));
        for bad in ["", "2", "2 17", "2 17 x", "2 -1 4"] {
            assert_eq!(counts(bad), None, "{bad:?}");
        }
    }
}
