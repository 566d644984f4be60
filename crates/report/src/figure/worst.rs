// SPDX-License-Identifier: MIT OR Apache-2.0
//! One response as a strip from its timer to its thread: who used the CPU, in the order in which such parts occur.
use crate::brief::short_figure;
use crate::drawing::{Anchor, Drawing, swatch};
use crate::plot::WIDTH;
use crate::trace::{accused, cause};
use backwall_model::units::Unit;
use backwall_model::{Cause, Holder, Share, Shares, Stages};
use maud::{Markup, html};

const LEFT: f64 = 2.0;
const RIGHT: f64 = WIDTH - 2.0;
const TOP: f64 = 22.0;
const HEIGHT: f64 = 30.0;
const LETTER: f64 = 8.6;
/// Marks of stages closer together than this would overlap.
const APART: f64 = 96.0;

/// Draws the strip between its two ends and lists its parts. `stages` gives the times of the interrupt, the wakeup and the
/// switch.
pub fn draw(shares: &Shares, value: u64, ends: (&str, &str), stages: Option<&Stages>, id: &str) -> Markup {
    let mut parts: Vec<&Share> = shares.iter().collect();
    parts.sort_by_key(|share| place(share));
    html! {
        (picture(&parts, value, ends, stages, id))
        ul class="legend parts" {
            @for share in &parts {
                li {
                    (swatch(&class(share))) " " b { (short_figure(share.ns, Unit::Ns)) } " "
                    (cause::phrase(share.cause, share.culprit.as_ref()))
                }
            }
        }
    }
}

fn picture(parts: &[&Share], value: u64, (from, to): (&str, &str), stages: Option<&Stages>, id: &str) -> Markup {
    let total = parts.iter().fold(0u64, |sum, share| sum.saturating_add(share.ns)).max(1) as f64;
    let mut drawing = Drawing::new(WIDTH, TOP + HEIGHT + 24.0);
    let mut left = LEFT;
    for share in parts {
        let width = (RIGHT - LEFT) * share.ns as f64 / total;
        drawing.rect(&class(share), (left, TOP), (width.max(1.0), HEIGHT));
        let label = accused::label_of_share(share);
        if width > (label.chars().count() + 2) as f64 * LETTER {
            drawing.text("on-stage", (left + width / 2.0, TOP + 20.0), Anchor::Middle, &label);
        }
        let told =
            format!("{} {}", short_figure(share.ns, Unit::Ns), cause::phrase(share.cause, share.culprit.as_ref()));
        drawing.hint((left, TOP), (width, HEIGHT), &[told]);
        left += width;
    }
    drawing.text("mark", (LEFT, TOP + HEIGHT + 17.0), Anchor::Start, from);
    drawing.text(
        "mark",
        (RIGHT, TOP + HEIGHT + 17.0),
        Anchor::End,
        &format!("{to}, {} later", short_figure(value, Unit::Ns)),
    );
    stages.into_iter().for_each(|stages| marks(&mut drawing, stages));
    drawing.finish(id, &format!("From {from} to {to}"), "Who had the CPU; the parts are in the list below.")
}

/// Marks the interrupt, the wakeup and the switch above the strip. A mark too close to the previous one is left out.
fn marks(drawing: &mut Drawing, stages: &Stages) {
    let total = stages.of_worst.iter().fold(0u64, |sum, part| sum.saturating_add(*part)).max(1) as f64;
    let (mut at, mut last) = (0u64, LEFT);
    for (part, name) in stages.of_worst.iter().zip(["interrupt", "wakeup", "switch"]) {
        at = at.saturating_add(*part);
        let x = LEFT + (RIGHT - LEFT) * at as f64 / total;
        if x - last > APART && RIGHT - x > APART / 2.0 {
            drawing.line("axis", (x, TOP - 4.0), (x, TOP + HEIGHT));
            drawing.text("mark", (x, TOP - 8.0), Anchor::Middle, name);
            last = x;
        }
    }
}

/// The position of a share in a wakeup: before the interrupt, in interrupts, in softirqs, other threads, the kernel's path, the
/// rest.
fn place(share: &Share) -> usize {
    let holder = share.culprit.as_ref().map(|culprit| &culprit.holder);
    match (share.cause, holder) {
        (Cause::IdleExit | Cause::Late | Cause::Masked | Cause::Below | Cause::TimerSlack, _)
        | (Cause::CatchUp | Cause::Backlog | Cause::NotWaiting | Cause::Stopped | Cause::Frozen, _) => 0,
        (Cause::Interference, Some(Holder::Interrupt(_))) => 1,
        (Cause::Interference, Some(Holder::Softirq(_))) => 2,
        (Cause::Dispatch | Cause::PageFault | Cause::AfterFault | Cause::OwnRun, _) => 4,
        (Cause::Unexplained | Cause::Others, _) => 5,
        _ => 3,
    }
}

fn class(share: &Share) -> String {
    format!("stage t{}", place(share))
}
