// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed and memory of reading a recording as text: every shape that a tool prints, from the page cache to one receiver.
use super::{Counted, show_read};
use backwall_trace::read::stored::OpenRecording;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;

struct Shape {
    name: &'static str,
    rows: [&'static str; 5],
    stamp: fn(u64) -> String,
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "ftrace",
        rows: [
            "          <idle>-0       [001] d.h1. @: irq_handler_entry: irq=27 name=arch_timer\n",
            "          <idle>-0       [001] dNh3. @: sched_waking: comm=cyclictest pid=1639 prio=19 target_cpu=001\n",
            "          <idle>-0       [001] d.h1. @: irq_handler_exit: irq=27 ret=handled\n",
            "          <idle>-0       [001] d..2. @: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> \
             next_comm=cyclictest next_pid=1639 next_prio=19\n",
            "      cyclictest-1639    [001] d..2. @: sched_switch: prev_comm=cyclictest prev_pid=1639 prev_prio=19 prev_state=S ==> \
             next_comm=swapper/1 next_pid=0 next_prio=120\n",
        ],
        stamp: seconds,
    },
    Shape {
        name: "trace-cmd report",
        rows: [
            "          <idle>-0     [001]  @: irq_handler_entry:    irq=27 name=arch_timer\n",
            "          <idle>-0     [001]  @: sched_waking:         comm=cyclictest pid=1639 prio=19 target_cpu=001\n",
            "          <idle>-0     [001]  @: irq_handler_exit:     irq=27 ret=handled\n",
            "          <idle>-0     [001]  @: sched_switch:         swapper/1:0 [120] R ==> cyclictest:1639 [19]\n",
            "      cyclictest-1639  [001]  @: sched_switch:         cyclictest:1639 [19] S ==> swapper/1:0 [120]\n",
        ],
        stamp: seconds,
    },
    Shape {
        name: "trace-cmd report --ts-diff",
        rows: [
            "          <idle>-0     [001]  @: (+5)     irq_handler_entry:    irq=27 name=arch_timer\n",
            "          <idle>-0     [001]  @: (+1)     sched_waking:         comm=cyclictest pid=1639 prio=19 target_cpu=001\n",
            "          <idle>-0     [001]  @: (+1)     irq_handler_exit:     irq=27 ret=handled\n",
            "          <idle>-0     [001]  @: (+2)     sched_switch:         swapper/1:0 [120] R ==> cyclictest:1639 [19]\n",
            "      cyclictest-1639  [001]  @: (+9)     sched_switch:         cyclictest:1639 [19] S ==> swapper/1:0 [120]\n",
        ],
        stamp: seconds,
    },
    Shape {
        name: "latency format",
        rows: [
            "  <idle>-0         1d.h1. @ : irq_handler_entry: irq=27 name=arch_timer\n",
            "  <idle>-0         1dNh3. @ : sched_waking: comm=cyclictest pid=1639 prio=19 target_cpu=001\n",
            "  <idle>-0         1d.h1. @ : irq_handler_exit: irq=27 ret=handled\n",
            "  <idle>-0         1d..2. @ : sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> \
             next_comm=cyclictest next_pid=1639 next_prio=19\n",
            "cyclicte-1639      1d..2. @ : sched_switch: prev_comm=cyclictest prev_pid=1639 prev_prio=19 prev_state=S ==> \
             next_comm=swapper/1 next_pid=0 next_prio=120\n",
        ],
        stamp: |us| format!("{us:>4}us"),
    },
    Shape {
        name: "perf script",
        rows: [
            "         swapper     0 [001] @:           irq:irq_handler_entry: irq=27 name=arch_timer\n",
            "         swapper     0 [001] @:           sched:sched_waking: comm=cyclictest pid=1639 prio=19 target_cpu=001\n",
            "         swapper     0 [001] @:           irq:irq_handler_exit: irq=27 ret=handled\n",
            "         swapper     0 [001] @:           sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> \
             next_comm=cyclictest next_pid=1639 next_prio=19\n",
            "      cyclictest  1639 [001] @:           sched:sched_switch: prev_comm=cyclictest prev_pid=1639 prev_prio=19 prev_state=S ==> \
             next_comm=swapper/1 next_pid=0 next_prio=120\n",
        ],
        stamp: seconds,
    },
];

const WAKEUPS: u64 = 60_000;
// Memory is compared with a file this many times as large.
const LARGER: u64 = 16;
// Growth that a larger file may cost.
const MEMORY_GOAL_KB: u64 = 1_024;

fn seconds(us: u64) -> String {
    format!("{:>6}.{:06}", us / 1_000_000, us % 1_000_000)
}

pub fn show(path: &Path) -> std::io::Result<()> {
    for shape in &SHAPES {
        let file = path.with_extension("text");
        shape.write(&file, WAKEUPS)?;
        show_read(&format!("text read: {}", shape.name), || opened(&file), "5");
        let small_kb = memory_kb(&file)?;
        shape.write(&file, WAKEUPS * LARGER)?;
        let grown_kb = memory_kb(&file)?.saturating_sub(small_kb);
        let met = if grown_kb <= MEMORY_GOAL_KB { "yes" } else { "no" };
        println!(
            "text memory: {}\t{grown_kb}\tkB more\t<= {MEMORY_GOAL_KB}\t{met}\t-\t-\tpeak of a file of {} MB over one of a {LARGER}th",
            shape.name,
            std::fs::metadata(&file)?.len() / 1_000_000
        );
        std::fs::remove_file(&file)?;
    }
    Ok(())
}

impl Shape {
    fn write(&self, path: &Path, wakeups: u64) -> std::io::Result<()> {
        use std::io::Write as _;
        let mut file = std::io::BufWriter::new(File::create(path)?);
        let mut text = String::new();
        for wakeup in 0..wakeups {
            for (at, row) in (0..).zip(self.rows) {
                let (before, behind) = row.split_once('@').expect("a place for the time");
                write!(text, "{before}{}{behind}", (self.stamp)(1_000 + wakeup * 100 + at * 3)).expect("memory");
            }
            file.write_all(text.as_bytes())?;
            text.clear();
        }
        file.flush()
    }
}

fn opened(path: &Path) -> OpenRecording {
    OpenRecording::of(File::open(path).expect("the file")).expect("a recording")
}

fn memory_kb(path: &Path) -> std::io::Result<u64> {
    std::fs::write("/proc/self/clear_refs", "5")?;
    opened(path).play(&mut Counted(0)).expect("a good file");
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|row| row.strip_prefix("VmHWM:"));
    Ok(peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0))
}
