// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a latency tracer states about its trace above the first row: the latency, its CPU and thread, and the functions where
//! the measured time began and ended.
//!
//! `# latency: 1689 us, #6/6, CPU#0 | (M:preempt_rt …)`, `#    | task: cyclictest-217 (uid:0 nice:0 policy:1 rt_prio:99)`, `#  =>
//! started at: run_timer_softirq`. Source: `print_trace_header` of the kernel's `trace.c`.
use backwall_model::units::grouped;
use serde::Serialize;

/// What a latency tracer states about its trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tracer {
    /// `wakeup_rt`, `irqsoff` …
    pub name: String,
    /// The measured latency, in microseconds.
    pub latency_us: u64,
    /// The CPU.
    pub cpu: u32,
    /// Name of the thread.
    pub task: String,
    /// Number of the thread.
    pub id: i32,
    /// The function where the measured time began.
    pub started_at: Option<String>,
    /// The function where the measured time ended.
    pub ended_at: Option<String>,
}

impl Tracer {
    /// Reads the headings of a text; `None` if there is no tracer's measurement.
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a str>) -> Option<Self> {
        let (mut tracer, mut measured) = (Self::default(), false);
        for row in rows.filter_map(|row| row.trim_ascii_start().strip_prefix('#')) {
            let row = row.trim_ascii();
            if let Some(name) = row.strip_prefix("tracer: ") {
                tracer.name = printable(name);
            } else if let Some(rest) = row.strip_prefix("latency: ") {
                let latency = rest.split_once(" us").and_then(|(number, _)| number.trim().parse().ok());
                let cpu = rest.split_once("CPU#").and_then(|(_, rest)| rest.split([' ', '|']).next()?.parse().ok());
                (tracer.latency_us, tracer.cpu) = latency.zip(cpu)?;
                measured = true;
            } else if let Some((_, task)) = row.split_once("| task: ") {
                let (name, id) = task.split_once(" (").unwrap_or((task, "")).0.rsplit_once('-')?;
                (tracer.task, tracer.id) = (printable(name), id.trim().parse().ok()?);
            } else if let Some((_, at)) = row.split_once("=> started at:") {
                tracer.started_at = Some(printable(at.trim()));
            } else if let Some((_, at)) = row.split_once("=> ended at:") {
                tracer.ended_at = Some(printable(at.trim()));
            }
        }
        // Tracers that measure no latency print 0 in the latency format.
        (measured && tracer.latency_us > 0 && !tracer.name.is_empty()).then_some(tracer)
    }

    fn off(&self) -> Option<&'static str> {
        match self.name.as_str() {
            "irqsoff" => Some("interrupts were disabled"),
            "preemptoff" => Some("preemption was disabled"),
            "preemptirqsoff" => Some("interrupts or preemption were disabled"),
            _ => None,
        }
    }

    /// Whether the tracer measured a section, so that its result alone says who blocked the CPU, and for how long.
    pub fn is_of_section(&self) -> bool {
        self.off().is_some()
    }

    pub(super) fn note(&self) -> String {
        let Self { name, latency_us, cpu, task, id, started_at, ended_at } = self;
        let latency = grouped(*latency_us);
        let Some(off) = self.off() else {
            return format!("the tracer {name} measured {latency} us for {task} ({id}) on CPU {cpu}");
        };
        let from = started_at.as_ref().map_or(String::new(), |at| format!(", from {at}"));
        let to = ended_at.as_ref().map_or(String::new(), |at| format!(" to {at}"));
        format!("the tracer {name}: {off} for {latency} us on CPU {cpu}, while {task} ({id}) ran{from}{to}")
    }
}

fn printable(text: &str) -> String {
    text.chars().take(64).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# tracer: irqsoff\n#\n# irqsoff latency trace v1.1.5 on 5.10\n\
        # latency: 1259 us, #4/4, CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)\n#    -----------------\n\
        #    | task: a-b c-6051 (uid:0 nice:0 policy:2 rt_prio:0)\n#    -----------------\n\
        #  => started at: __lock_task_sighand\n#  => ended at:   _raw_spin_unlock_irqrestore\n";

    #[test]
    fn a_tracers_own_figures_are_read() {
        let tracer = Tracer::of(HEAD.lines()).unwrap();
        assert_eq!((tracer.latency_us, tracer.cpu, tracer.task.as_str(), tracer.id), (1_259, 1, "a-b c", 6_051));
        assert_eq!(
            tracer.note(),
            "the tracer irqsoff: interrupts were disabled for 1,259 us on CPU 1, while a-b c (6051) ran, from __lock_task_sighand \
             to _raw_spin_unlock_irqrestore"
        );
        let wakeup = HEAD.replace("irqsoff", "wakeup_rt");
        let tracer = Tracer::of(wakeup.lines()).unwrap();
        assert!(!tracer.is_of_section());
        assert_eq!(tracer.note(), "the tracer wakeup_rt measured 1,259 us for a-b c (6051) on CPU 1");
    }

    #[test]
    fn a_text_without_a_measurement_has_none() {
        for text in [
            "# tracer: nop\n",
            "prose",
            "# latency: x us, CPU#1\n",
            "# tracer: nop\n# latency: 0 us, #4/4, CPU#0 | (M:preempt)\n#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n",
            "# tracer: a\n# latency: 18446744073709551616 us, CPU#1",
        ] {
            assert_eq!(Tracer::of(text.lines()), None, "{text}");
        }
    }
}
