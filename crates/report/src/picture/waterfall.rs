// SPDX-License-Identifier: MIT OR Apache-2.0
//! One instance of a chain along its time: a row per hop, then a lane per CPU.
use super::chain::hop;
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing, swatch};
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use crate::wrap::cut;
use backwall_model::picture::{Chain, ChainInstance, ChainPart};
use backwall_model::units::{Unit, grouped};
use maud::{Markup, html};

const LEFT: f64 = 196.0;
const RIGHT: f64 = WIDTH - 96.0;
const TOP: f64 = 6.0;
const ROW: f64 = 46.0;
const BAR: f64 = 20.0;
const MARKS: f64 = 16.0;
const LANE: f64 = 28.0;
const NAME_COLUMNS: usize = 25;
/// Width of a letter in a bar, slightly more than the average letter.
const LETTER: f64 = 8.2;
/// Marks of a row closer than this would overlap.
const APART: f64 = 66.0;

/// Steps in the order of the legend: word, class and meaning.
const STEPS: [(&str, &str, &str); 14] = [
    ("start", "stage t5", "before the first hop"),
    ("own", "stage t0", "the hop's own run time"),
    ("ready", "stage t1", "waited for a CPU"),
    ("interrupted", "stage t2", "interrupted on its CPU"),
    ("waits", "stage t4", "waited for another thread or device"),
    ("busy", "stage t3", "busy with an earlier instance"),
    ("polls", "stage t3", "waited for its next poll"),
    ("outside", "stage t4", "waited for an answer from outside"),
    ("section", "stage t0", "softirq or kernel worker"),
    ("unseen", "nothing", "not in the recording"),
    ("user", "stage t0", "user mode"),
    ("kernel", "stage t1", "kernel mode"),
    ("masked", "stage t2", "interrupts off"),
    ("halted", "nothing", "the CPU waited"),
];

fn class(part: &ChainPart) -> &'static str {
    STEPS.iter().find(|(word, ..)| *word == part.step).map_or("nothing", |(_, class, _)| class)
}

pub(super) fn legend(worst: &ChainInstance) -> Markup {
    let used = STEPS.iter().filter(|(word, ..)| worst.parts.iter().any(|part| part.step == *word));
    html! {
        ul class="legend" { @for (_, class, name) in used { li { (swatch(class)) " " (name) } } }
    }
}

pub(super) fn draw(chain: &Chain, worst: &ChainInstance, id: &str) -> Markup {
    let mut cpus: Vec<u32> = worst.parts.iter().filter_map(|part| part.cpu).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let lanes_top = TOP + ROW * chain.hops.len() as f64 + 8.0;
    let bottom = lanes_top + LANE * cpus.len() as f64;
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom };
    let x = Axis::exact(worst.latency as f64, LEFT, RIGHT);
    let mut drawing = Drawing::new(WIDTH, bottom + 46.0);
    plot::x_axis(&mut drawing, area, &x, &x.ticks(|value| short(value, chain.unit)), title(chain.unit));
    for number in 0..chain.hops.len() {
        row(&mut drawing, &x, number, (chain, worst));
    }
    drawing.line("grid", (0.0, lanes_top - 4.0), (RIGHT, lanes_top - 4.0));
    for (place, cpu) in cpus.iter().enumerate() {
        let top = lanes_top + LANE * place as f64;
        drawing.text("mark", (LEFT - 8.0, top + 18.0), Anchor::End, &format!("CPU {cpu}"));
        for part in worst.parts.iter().filter(|part| part.cpu == Some(*cpu)) {
            bar(&mut drawing, &x, top + 4.0, chain, part);
        }
    }
    let about = format!(
        "{} hops and {} CPUs; the longest parts are in the table.",
        chain.hops.len().saturating_sub(1),
        cpus.len()
    );
    drawing.finish(id, &format!("The worst instance of the chain {}", chain.name), &about)
}

fn row(drawing: &mut Drawing, x: &Axis, number: usize, (chain, worst): (&Chain, &ChainInstance)) {
    let top = TOP + ROW * number as f64;
    let (from, to) = span(number, worst);
    drawing.text("title", (LEFT - 8.0, top + MARKS + 15.0), Anchor::End, &cut(&hop(chain, number), NAME_COLUMNS));
    let took = to.saturating_sub(from);
    let time = if chain.unit == Unit::Ns { phrase::value(took, chain.unit) } else { grouped(took) };
    drawing.text("mark", (RIGHT + 8.0, top + MARKS + 15.0), Anchor::Start, &time);
    for part in worst.parts.iter().filter(|part| part.hop as usize == number) {
        bar(drawing, x, top + MARKS, chain, part);
    }
    let mut free = f64::NEG_INFINITY;
    for (at, name) in marks(number, (chain, worst)) {
        let at = x.at(at as f64);
        drawing.line("axis", (at, top + MARKS - 3.0), (at, top + MARKS + BAR + 2.0));
        let is_at_end = at + APART > RIGHT;
        if at - if is_at_end { APART } else { 0.0 } >= free {
            let (x, anchor) = if is_at_end { (at - 3.0, Anchor::End) } else { (at + 3.0, Anchor::Start) };
            drawing.text("mark", (x, top + MARKS - 3.0), anchor, name);
            free = at + APART;
        }
    }
    if number + 1 < chain.hops.len() {
        arrow(drawing, x.at(to as f64), top + MARKS + BAR, worst.visits.get(number).map_or("", |visit| &visit.how));
    }
}

fn title(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "since the start of the instance",
        Unit::Instructions => "executed instructions since the stimulus",
    }
}

/// The time that the instance spent at this hop.
fn span(number: usize, worst: &ChainInstance) -> (u64, u64) {
    match number.checked_sub(1).map(|place| worst.visits.get(place)) {
        None => (0, worst.visits.first().map_or(worst.latency, |visit| visit.arrived)),
        Some(visit) => visit.map_or((worst.latency, worst.latency), |visit| (visit.arrived, visit.handed)),
    }
}

fn marks(number: usize, (chain, worst): (&Chain, &ChainInstance)) -> Vec<(u64, &'static str)> {
    let Some(place) = number.checked_sub(1) else {
        let is_timer = hop(chain, 0).starts_with("timer ");
        let begin = (0, if is_timer { "timer" } else { "start" });
        return [begin].into_iter().chain(worst.interrupt.filter(|at| *at > 0).map(|at| (at, "interrupt"))).collect();
    };
    let come = worst.visits.get(place).map(|visit| match visit.how.as_str() {
        "woken" => (visit.arrived, "wakeup"),
        "inferred" => (visit.arrived, "handed over"),
        "polled" => (visit.arrived, "data ready"),
        "edge" => (visit.arrived, "edge"),
        _ => (visit.arrived, "begins"),
    });
    let own: Vec<&ChainPart> = worst.parts.iter().filter(|part| part.hop as usize == number).collect();
    let switch = own.windows(2).find(|pair| pair[0].step == "ready" && pair[1].step != "ready");
    come.into_iter().chain(switch.map(|pair| (pair[1].from, "switch"))).collect()
}

/// Draws an arrow from the foot of one row to the bar of the next.
fn arrow(drawing: &mut Drawing, at: f64, from: f64, how: &str) {
    let (class, foot) = (if how == "inferred" { "axis step" } else { "axis" }, from + ROW - BAR);
    drawing.line(class, (at, from), (at, foot));
    drawing.area("soft", &[(at - 4.0, foot - 6.0), (at + 4.0, foot - 6.0), (at, foot)]);
}

fn bar(drawing: &mut Drawing, x: &Axis, top: f64, chain: &Chain, part: &ChainPart) {
    let (left, right) = (x.at(part.from as f64), x.at(part.from.saturating_add(part.time) as f64));
    let width = (right - left).max(0.6);
    drawing.rect(class(part), (left, top), (width, BAR));
    let room = (width / LETTER) as usize;
    if room > 3 && class(part) != "nothing" {
        let label = if part.holder.is_empty() { &part.what } else { &part.holder };
        drawing.text("on-stage", (left + width / 2.0, top + 14.5), Anchor::Middle, &cut(label, room.saturating_sub(1)));
    }
    if width >= 1.0 {
        let time = |value| phrase::value(value, chain.unit);
        let lines = [
            format!("{}: {}", hop(chain, part.hop as usize), part.what),
            format!("{}, from {}", time(part.time), time(part.from)),
        ];
        drawing.hint((left, top), (width, BAR), &lines);
    }
}
