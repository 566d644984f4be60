// SPDX-License-Identifier: MIT OR Apache-2.0
//! The self-check: backwall's reading minus the kernel's for the same wakeups. The difference is backwall's own error.
use crate::drawing::{Anchor, Drawing};
use crate::plot::WIDTH;
use crate::section::Section;
use backwall_model::units::{grouped, tenths};
use backwall_model::{Run, SelfCheck};
use maud::{Markup, html};

pub fn section(run: &Run) -> Option<Section> {
    let check = run.self_check.as_ref()?;
    let intro = format!(
        "The kernel stamped the same {} wakeups ({}). The probe's clock reading minus the kernel's is backwall's own \
            error; backwall never subtracts this error from a figure.",
        grouped(check.compared),
        check.what
    );
    Some(Section::new("self-check", "Self-check: backwall's own error", intro, html! { figure { (scale(check)) } }))
}

fn scale(check: &SelfCheck) -> Markup {
    let values = [("min", check.min_ns), ("median", check.p50_ns), ("p99", check.p99_ns), ("max", check.max_ns)];
    let mut drawing = Drawing::new(WIDTH, 84.0);
    let (low, high) = (check.min_ns.min(0) as f64, check.max_ns.max(1) as f64);
    let at = |ns: i64| 60.0 + (WIDTH - 160.0) * (ns as f64 - low) / (high - low);
    drawing.line("axis", (at(check.min_ns), 42.0), (at(check.max_ns), 42.0));
    drawing.rect("range", (at(check.min_ns), 37.0), (at(check.p99_ns) - at(check.min_ns), 10.0));
    let mut free = [f64::MIN; 2];
    for (index, (name, ns)) in values.into_iter().enumerate() {
        let above = index % 2 == 0;
        let side = &mut free[usize::from(above)];
        let x = at(ns).max(*side);
        *side = x + 120.0;
        drawing.rect("tick", (at(ns) - 1.5, 32.0), (3.0, 20.0));
        drawing.text(
            "mark",
            (x, if above { 22.0 } else { 70.0 }),
            Anchor::Start,
            &format!("{name} {} us", tenths(ns as f64 / 1e3)),
        );
    }
    drawing.finish(
        "self-check-picture",
        "The probe's clock reading minus the kernel's",
        &format!("{values:?}, nanoseconds"),
    )
}
