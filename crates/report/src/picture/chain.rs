// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain: its worst instance as a waterfall over its hops and as lanes of its CPUs, and the share of each hop for every range
//! of latencies.
use super::waterfall;
use crate::axis::{Axis, Graduation, short};
use crate::drawing::{Anchor, Drawing, swatch};
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use crate::section::Section;
use crate::table::{Align, Table};
use crate::wrap::cut;
use backwall_model::picture::{Chain, ChainBand, ChainInstance, ChainPart};
use backwall_model::units::{Unit, counted, grouped};
use backwall_trace::chain::tally::SERIES;
use maud::{Markup, html};

const INTRO: &str = "The first picture is the worst instance: one row per hop, which begins with the hand-over to this hop \
    and ends with the next hand-over. Below is one row per CPU with the threads that ran on it. Arrows are hand-overs; a \
    dashed one is inferred. The second picture shows each hop's share of the time: fast instances are on the left, slow \
    ones on the right.";

const GUEST_INTRO: &str = "One row per hop. It spans the executed instructions of the emulated CPU from the previous hop's \
    signal edge (for the first hop, the stimulus) to this hop's signal edge. A bar is the time in one function.";

const AREA: Area = Area { left: 84.0, right: WIDTH - 20.0, top: 34.0, bottom: 254.0 };
const STRIP: f64 = 14.0;
const ROWS: usize = 16;
const NAME_LETTERS: usize = 40;

pub(crate) fn section(chain: &Chain, id: &str) -> Section {
    let body = html! {
        p { code { (chain.line) } }
        @match &chain.worst {
            Some(worst) => {
                figure {
                    figcaption { (caption(chain, worst)) }
                    (waterfall::legend(worst))
                    (waterfall::draw(chain, worst, &format!("{id}-worst")))
                }
                @if chain.unit == Unit::Ns { (parts(chain, worst).markup()) }
                @if !chain.bands.is_empty() {
                    h3 class="below" { "Share of each hop in the latencies" }
                    figure {
                        (legend(chain))
                        (bands(chain, &format!("{id}-hops")))
                    }
                }
            }
            None => p { "No instance reached the end." },
        }
    };
    let name = if chain.name == SERIES { String::new() } else { format!(" {}", chain.name) };
    let intro = if chain.unit == Unit::Ns { INTRO } else { GUEST_INTRO };
    Section::new(id, format!("The chain{name}, hop by hop"), intro, body)
}

fn caption(chain: &Chain, worst: &ChainInstance) -> String {
    let time = |value| phrase::value(value, chain.unit);
    if chain.unit == Unit::Instructions {
        return format!("Stimulus {}: {} to the last edge", grouped(worst.number), time(worst.latency));
    }
    format!(
        "Instance {}, {} after the first event: {} from its start to its end",
        grouped(worst.number),
        time(worst.at),
        time(worst.latency)
    )
}

/// The picture as text: the longest parts in time order, and the rest as one part.
fn parts(chain: &Chain, worst: &ChainInstance) -> Table {
    let columns = [("from", Align::Right), ("time", Align::Right), ("hop", Align::Left), ("who used it", Align::Left)];
    let mut table = Table::new(&columns);
    let mut by_time: Vec<u64> = worst.parts.iter().map(|part| part.time).collect();
    by_time.sort_unstable_by(|a, b| b.cmp(a));
    let least = by_time.get(ROWS).map_or(0, |next| next.saturating_add(1));
    let shown: Vec<&ChainPart> = worst.parts.iter().filter(|part| part.time >= least).collect();
    let time = |value| phrase::value(value, chain.unit);
    for part in &shown {
        table.row(vec![time(part.from), time(part.time), hop(chain, part.hop as usize), part.what.clone()]);
    }
    let rest = shown.iter().fold(worst.latency, |rest, part| rest.saturating_sub(part.time));
    let hidden = worst.parts.len() - shown.len();
    if rest > 0 {
        let what = counted(hidden as u64, "shorter part", "shorter parts");
        table.row(vec![String::new(), time(rest), String::new(), what]);
    }
    table
}

pub(super) fn hop(chain: &Chain, number: usize) -> String {
    chain.hops.get(number).cloned().unwrap_or_default()
}

fn class(hop: usize) -> String {
    if hop < 6 { format!("stage t{hop}") } else { format!("dot c{}", (hop - 6) % 8) }
}

fn legend(chain: &Chain) -> Markup {
    html! {
        ul class="legend" {
            @for (number, name) in chain.hops.iter().enumerate() { li { (swatch(&class(number))) " " b { (name) } } }
        }
    }
}

/// Draws a column for each class of latencies; the strip above is darker where there are more instances.
fn bands(chain: &Chain, id: &str) -> Markup {
    let low = chain.bands.first().map_or(1, |band| band.from.max(1)) as f64;
    let high = chain.bands.last().map_or(1, |band| band.to.max(1)) as f64;
    let x = Axis::log(low, high, AREA.left, AREA.right);
    let y = Axis::exact(100.0, AREA.bottom, AREA.top);
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    let percents = [0.0, 25.0, 50.0, 75.0, 100.0];
    let ticks = percents.map(|value| Graduation { value, label: Some(format!("{value:.0} %")) });
    plot::y_axis(&mut drawing, AREA, &y, &ticks, "share of the time");
    let title = if chain.unit == Unit::Ns { "latency" } else { "latency, in executed instructions" };
    plot::x_axis(&mut drawing, AREA, &x, &x.ticks(|value| short(value, chain.unit)), title);
    let most = chain.bands.iter().map(|band| band.count).max().unwrap_or(1) as f64;
    drawing.text("mark", (AREA.left - 8.0, AREA.top - STRIP + 4.0), Anchor::End, "number");
    for band in &chain.bands {
        column(&mut drawing, &x, band, chain);
        let (left, right) = (x.at(band.from as f64), x.at(band.to as f64));
        let shade = 0.2 + 0.8 * (band.count as f64).ln_1p() / most.ln_1p();
        drawing.shaded_rect("dot c0", (left, AREA.top - STRIP - 6.0), (right - left, STRIP), shade);
        drawing.hint(
            (left, AREA.top - STRIP - 6.0),
            (right - left, AREA.bottom - AREA.top + STRIP + 6.0),
            &hints(band, chain),
        );
    }
    let about = format!("{} hops over {} buckets of latencies.", chain.hops.len(), chain.bands.len());
    drawing.finish(id, "Each hop's share over the range of latencies", &about)
}

fn column(drawing: &mut Drawing, x: &Axis, band: &ChainBand, chain: &Chain) {
    let (left, right) = (x.at(band.from as f64), x.at(band.to as f64));
    let total = whole(band);
    let mut bottom = AREA.bottom;
    for (number, time) in band.hops.iter().enumerate().take(chain.hops.len()) {
        let height = (AREA.bottom - AREA.top) * *time as f64 / total;
        drawing.rect(&class(number), (left, bottom - height), ((right - left - 0.6).max(0.8), height));
        bottom -= height;
    }
}

fn whole(band: &ChainBand) -> f64 {
    band.hops.iter().map(|time| *time as f64).sum::<f64>().max(1.0)
}

fn hints(band: &ChainBand, chain: &Chain) -> Vec<String> {
    let time = |value: f64| short(value, chain.unit);
    let count = counted(band.count, "instance", "instances");
    let mut lines = vec![format!("{} to {}: {count}", time(band.from as f64), time(band.to as f64))];
    let each = band.hops.iter().zip(&chain.hops).rev().map(|(sum, name)| {
        let share = 100.0 * *sum as f64 / whole(band);
        let mean = (*sum as f64 / band.count.max(1) as f64).round();
        format!("{}: {share:.0} %, on average {}", cut(name, NAME_LETTERS), time(mean))
    });
    lines.extend(each);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::picture::ChainVisit;

    pub fn chain() -> Chain {
        let part = |hop, step: &str, from, time, cpu, holder: &str| ChainPart {
            hop,
            step: step.into(),
            what: format!("<{holder}>"),
            holder: holder.into(),
            cpu,
            from,
            time,
        };
        let visit = |how: &str, arrived, handed| ChainVisit { thread: Some(7), how: how.into(), arrived, handed };
        let worst = ChainInstance {
            number: 41,
            at: 9_000_000,
            latency: 1_000_000,
            interrupt: Some(20_000),
            visits: vec![visit("woken", 30_000, 300_000), visit("inferred", 300_000, 1_000_000)],
            parts: vec![
                part(0, "start", 0, 30_000, Some(0), ""),
                part(1, "ready", 30_000, 170_000, Some(0), "camera"),
                part(1, "own", 200_000, 100_000, Some(0), "servo"),
                part(2, "ready", 300_000, 10_000, Some(1), ""),
                part(2, "own", 310_000, 690_000, Some(1), "act"),
            ],
            not_kept: 0,
        };
        let band = |from, to, hops: [u64; 3]| ChainBand { from, to, count: 10, hops: hops.to_vec() };
        Chain {
            name: "<loop>".into(),
            line: "timer servo > servo > act".into(),
            unit: Unit::Ns,
            hops: vec!["timer servo".into(), "servo".into(), "act".into()],
            worst: Some(worst),
            bands: vec![band(100_000, 125_000, [1, 2, 1]), band(896_000, 1_024_000, [1, 1, 8])],
        }
    }

    fn words(chain: &Chain) -> String {
        section(chain, "chain").body.into_string()
    }

    #[test]
    fn the_worst_instance_has_a_row_for_each_hop_and_each_cpu() {
        let svg = words(&chain());
        for text in ["timer servo", ">servo<", ">act<", ">CPU 0<", ">CPU 1<", ">wakeup<", ">switch<", "camera"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert_eq!(svg.matches("axis step").count(), 1, "one hand-over is inferred");
        assert!(!svg.contains("<loop>") && !svg.contains("<camera>"), "{svg}");
    }

    #[test]
    fn a_column_is_filled_by_its_hops() {
        let svg = words(&chain());
        assert!(svg.contains("896 us to 1.024 ms: 10 instances\nact: 80 %, on average 1 ns"), "{svg}");
    }

    #[test]
    fn the_table_sums_to_the_latency() {
        let mut chain = chain();
        let worst = chain.worst.as_mut().unwrap();
        worst.parts = (0..40).map(|n| ChainPart { from: n * 1_000, time: n + 1, ..ChainPart::default() }).collect();
        worst.latency = 820;
        let table = parts(&chain, chain.worst.as_ref().unwrap()).text();
        assert_eq!(table.lines().count(), 1 + ROWS + 1, "{table}");
        assert!(table.contains("0.3 us") && table.contains("24 shorter parts"), "{table}");
    }

    #[test]
    fn nothing_done_is_one_sentence() {
        assert!(words(&Chain { worst: None, bands: vec![], ..chain() }).contains("No instance reached the end."));
    }
}
