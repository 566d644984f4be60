// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top of the page: what was measured, the verdict, the figures one looks for first.
use crate::report::phrase;
use crate::report::section::escape;
use crate::report::verdict;
use crate::run::{Origin, Run, Series};
use crate::units::grouped;

/// Title line, verdict, tiles, warnings.
pub fn html(run: &Run) -> String {
    let machine = escape(&format!("{} on {}", phrase::system(run), phrase::processor(run)));
    let command = escape(&run.command.join(" "));
    format!(
        "<header>\n<p class=\"brand\"><b>backwall</b> <span>how late can the response be, and why</span></p>\n<h1>{machine}</h1>\n\
         <p class=\"meta\"><code>{command}</code> · {} · {:.1} s · {} · backwall {}</p>\n{}</header>\n{}{}{}",
        escape(&run.started),
        run.seconds,
        badges(run),
        escape(&run.version),
        "",
        the_verdict(run),
        tiles(run),
        warnings(run)
    )
}

fn badges(run: &Run) -> String {
    let kind = if run.origin == Origin::Measured { "good" } else { "note" };
    let mut badges = format!("<span class=\"badge {kind}\">{}</span>", phrase::origin(run.origin));
    if !run.evidence {
        badges.push_str(" <span class=\"badge bad\">no evidence</span>");
    }
    if run.interrupted {
        badges.push_str(" <span class=\"badge bad\">interrupted</span>");
    }
    badges
}

fn the_verdict(run: &Run) -> String {
    format!(
        "<section id=\"verdict\" aria-labelledby=\"verdict-title\">\n<h2 id=\"verdict-title\">Verdict</h2>\n<p class=\"paste\">{}</p>\n\
         <p class=\"aside\">{}</p>\n</section>\n",
        escape(&verdict::sentence(run)),
        escape(phrase::BACK_WALL)
    )
}

/// The figures of the phase the verdict is about.
fn tiles(run: &Run) -> String {
    let Some(series) = verdict::headline(run).filter(|series| series.max.is_some()) else { return String::new() };
    let value = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::value(value, series.unit));
    let phase = phrase::phase(series);
    let mut tiles = tile("median", &value(phrase::quantile(series, 0.5).and_then(|quantile| quantile.value)), &phase);
    if let Some((quantile, figure)) = phrase::highest_quantile(series) {
        let limit = quantile.high.map_or("not bounded by these samples".to_string(), |high| {
            format!("at most {} at 95 % confidence", phrase::value(high, series.unit))
        });
        tiles += &tile(&format!("{} % of responses within", phrase::percent(quantile.q)), &value(Some(figure)), &limit);
    }
    tiles += &tile("back wall", &value(series.max), &format!("largest of {}, {phase}", samples(series)));
    tiles +=
        &tile("lost", &grouped(series.lost), &format!("of {} due, {} late", grouped(series.due), grouped(series.late)));
    format!("<div class=\"tiles\">\n{tiles}</div>\n")
}

fn samples(series: &Series) -> String {
    grouped(series.done.saturating_sub(series.warmup))
}

/// The unit stands smaller than the figure.
fn tile(name: &str, value: &str, note: &str) -> String {
    let (figure, unit) = value.split_once(' ').unwrap_or((value, ""));
    format!(
        "<div><span>{}</span><b>{} <i>{}</i></b><small>{}</small></div>\n",
        escape(name),
        escape(figure),
        escape(unit),
        escape(note)
    )
}

fn warnings(run: &Run) -> String {
    let items: String = run.warnings.iter().map(|warning| format!("<li>{}</li>\n", escape(warning))).collect();
    if items.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"warnings\" class=\"warnings\" aria-labelledby=\"warnings-title\">\n<h2 id=\"warnings-title\">Warnings</h2>\n<ul>\n{items}</ul>\n</section>\n"
    )
}
