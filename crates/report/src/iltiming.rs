// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of interrupt timing analysis: the 2002 tool's rows and columns, and from which event each column counts.
use super::phrase;
use super::table::{Align, Table};
use super::text::{requirements, unproved};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Caches, Extension, Iltiming, RefusedPriority, Run, Series};
use backwall_trace::StampedSample;

/// The industrial target: a cycle of 1 ms with a tolerance of 10 % (OMAC user group).
const TARGET_NS: u64 = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    pub seq: u64,
    pub isr_ns: u64,
    pub ist_ns: u64,
    /// From the end of the ISR to the start of the IST, if the end of the ISR was recorded.
    pub handoff_ns: Option<u64>,
    pub interrupted: String,
}

impl Interrupt {
    pub fn of(matched: &StampedSample) -> Self {
        let StampedSample { sample, wake_up } = matched;
        let thread = wake_up.interrupted;
        Interrupt {
            seq: sample.seq,
            isr_ns: wake_up.isr_at.saturating_sub(sample.stimulus_ns),
            ist_ns: sample.response_ns.saturating_sub(sample.stimulus_ns),
            handoff_ns: wake_up.isr_end_at.map(|end| sample.response_ns.saturating_sub(end)),
            interrupted: match thread {
                None => "not known".to_string(),
                Some(thread) if thread.id == 0 => "idle".to_string(),
                Some(thread) => format!("{} ({})", thread.name, thread.id),
            },
        }
    }
}

pub fn all(interrupts: &[Interrupt]) -> String {
    if interrupts.is_empty() {
        return String::new();
    }
    let right = |name| (name, Align::Right);
    let columns = [
        right("interrupt"),
        right("ISR starts us"),
        right("IST starts us"),
        right("handoff us"),
        ("interrupted", Align::Left),
    ];
    let mut table = Table::new(&columns);
    let us = |ns: u64| phrase::figure(ns, Unit::Ns);
    for interrupt in interrupts {
        let handoff = interrupt.handoff_ns.map_or("-".to_string(), us);
        let figures = [interrupt.seq.to_string(), us(interrupt.isr_ns), us(interrupt.ist_ns), handoff];
        table.row(figures.into_iter().chain([interrupt.interrupted.clone()]).collect());
    }
    table.text() + "\n"
}

pub fn summary(run: &Run) -> String {
    let mut text =
        format!("{}{}{}\n{MEANING}{}", unproved(run), head(run), table(run), if is_traced(run) { TRACED } else { "" });
    text.extend(accounting(run));
    text.extend(run.stages.iter().flat_map(phrase::blames).map(|blame| format!("worst: {blame}\n")));
    text += &requirements(run);
    text.extend(run.warnings.iter().map(|warning| format!("warning: {warning}\n")));
    text + &closing(run)
}

fn head(run: &Run) -> String {
    let Extension::Iltiming(asked) = &run.plan.extension else { return String::new() };
    let priority = match &run.refused_priority {
        Some(RefusedPriority { priority: refused_priority, remedy, .. }) => {
            format!("IST at ordinary priority: real-time {refused_priority} was refused ({remedy})")
        }
        None => format!("IST at priority {} (SCHED_FIFO {})", asked.ce_priority, run.plan.priority.unwrap_or(0)),
    };
    let ended = if run.interrupted { ", ended early" } else { "" };
    format!(
        "interrupt timing analysis: {} interrupts{ended}, one every {} ticks of 1 ms, idle thread {}\n\
         {} on {}, {priority}, {}\n\n",
        grouped(asked.interrupts),
        asked.ticks,
        run.plan.loads.join(" "),
        phrase::system(run),
        phrase::processor(run),
        caches(asked.caches)
    )
}

/// The 2002 tool flushed the caches by default; a Linux program can only sweep them.
fn caches(caches: Caches) -> &'static str {
    match caches {
        Caches::Swept => "caches swept before each interrupt (first and second level)",
        Caches::Warm => "caches left warm (-ncs)",
    }
}

const COLUMNS: [(&str, &str); 3] =
    [(Iltiming::ISR, "ISR starts"), (Iltiming::IST, "IST starts"), (Iltiming::HANDOFF, "handoff")];

fn series<'a>(run: &'a Run, name: &str) -> Option<&'a Series> {
    run.series.iter().find(|series| series.key.name == name)
}

fn table(run: &Run) -> String {
    let mut columns = vec![("us", Align::Left)];
    columns.extend(COLUMNS.map(|(_, title)| (title, Align::Right)));
    let mut table = Table::new(&columns);
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::figure(value, Unit::Ns));
    let mean = |value: Option<f64>| value.map_or("-".to_string(), |value| phrase::mean_figure(value, Unit::Ns));
    let mut row = |title: &str, cell: &dyn Fn(&Series) -> String| {
        let cells = COLUMNS.map(|(name, _)| series(run, name).map_or("-".to_string(), cell));
        table.row([title.to_string()].into_iter().chain(cells).collect());
    };
    row("Minimum", &|series| exact(series.min));
    row("Maximum", &|series| exact(series.max));
    row("Average", &|series| mean(series.mean));
    table.text()
}

const MEANING: &str = "ISR starts: timer expiry to the start of its interrupt. IST starts: timer expiry to the first \
instruction of the waiting thread.\nhandoff: end of the interrupt to that instruction; the 2002 tool calls this IST latency.\n";
const TRACED: &str = "The figures include the cost of the kernel's trace, some microseconds.\n";

fn is_traced(run: &Run) -> bool {
    series(run, Iltiming::ISR).is_some()
}

fn accounting(run: &Run) -> Vec<String> {
    let line = |series: &Series| {
        let counts = [series.due, Some(series.done), series.missed, Some(series.warmup)].map(phrase::count);
        let [due, done, lost, warmup] = counts;
        format!("{}: {due} due, {done} done (first {warmup} warm-up, excluded), {lost} not seen\n", series.key.name)
    };
    run.series.iter().map(line).collect()
}

fn closing(run: &Run) -> String {
    series(run, Iltiming::IST).map_or("nothing was measured\n".to_string(), target)
}

fn target(ist: &Series) -> String {
    let Some(max) = ist.max else {
        return "no interrupt was measured, so the industrial target is undecided\n".to_string();
    };
    let verdict = match (max <= TARGET_NS, ist.known_missed()) {
        (true, 0) => "met in this run",
        (true, _) => "not met: releases were missed",
        (false, _) => "missed",
    };
    let (count, largest) = (grouped(ist.done - ist.warmup), phrase::value(max, Unit::Ns));
    format!(
        "industrial target, IST within 100 us (OMAC: 1 ms cycle, 10 %): {verdict}; the largest of {count} is {largest}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Span};
    use backwall_stats::SeriesBuilder;

    fn ist(values: &[u64], lost: u64) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new(Iltiming::IST, "idle1", "as-is"), Span::new("expiry", "IST", Unit::Ns));
        values.iter().zip(0..).for_each(|(value, seq)| builder.sample(seq, seq * 5_000_000, *value, false));
        builder.missed(0, lost);
        builder.build()
    }

    #[test]
    fn the_target_is_met_only_when_every_interrupt_was_answered_within_it() {
        assert!(target(&ist(&[99_000, 100_000], 0)).contains("met in this run; the largest of 2 is 100.0 us"));
        assert!(target(&ist(&[99_000, 100_001], 0)).contains("missed; the largest of 2 is 100.0 us"));
        assert!(target(&ist(&[99_000], 1)).contains("not met: releases were missed; the largest of 1 is 99.0 us"));
        assert!(target(&ist(&[], 3)).contains("the industrial target is undecided"));
    }

    #[test]
    fn an_interrupt_without_a_seen_end_has_no_handoff() {
        let interrupt =
            Interrupt { seq: 7, isr_ns: 1_500, ist_ns: 9_000, handoff_ns: None, interrupted: "idle".to_string() };
        let text = all(&[interrupt]);
        let cells: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(cells, ["7", "1.5", "9.0", "-", "idle"]);
        assert_eq!(all(&[]), "");
    }
}
