// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of the page with their meaning, which appears under the pointer or on keyboard focus, without a script.
use maud::{Markup, html};

pub const WORDS: [(&str, &str); 12] = [
    (
        "maximum",
        "The largest latency seen, for this load and this many samples. It is not a bound: a longer run may find a larger one.",
    ),
    ("latency", "Time of the response minus time of the stimulus. backwall subtracts no overhead from it."),
    (
        "wakeups",
        "Wakeups that were due = done + missed + unseen. A tool that does not count the missed ones hides its worst cases, \
         because a late response makes the next stimuli disappear.",
    ),
    ("missed", "Due but never answered, because the previous response was still running."),
    ("unseen", "Due, but the recording does not show the result."),
    ("late", "Answered, but after the deadline (the next release, unless the plan sets another)."),
    (
        "quantile",
        "p99.9 is the latency that 99.9 % of the responses did not exceed; missed stimuli do not count as responses. Its \
         limits hold at 95 % confidence; late responses that come in clusters count as fewer samples. “≥” means that \
         the samples bound the quantile only from below.",
    ),
    ("jitter", "Largest minus smallest latency of the phase."),
    (
        "stages",
        "The kernel's own timestamps of the same wakeups. backwall takes them by tracing, which costs a little \
        time.",
    ),
    ("C-states", "Idle states of the CPU. The CPU takes longer to leave a deeper one."),
    ("steal", "Time in which a hypervisor ran something else on this CPU. No setting inside the machine changes it."),
    (
        "self-check",
        "The probe's clock reading minus the kernel's for the same wakeups. Large differences mean that backwall's figures cannot be trusted.",
    ),
];

/// A word or a figure's name with its meaning; unchanged if it has none.
pub fn term(word: &str) -> Markup {
    let known = match word {
        "max" => "maximum",
        "stimuli" => "wakeups",
        _ if word.starts_with('p') && word[1..].starts_with(|letter: char| letter.is_ascii_digit()) => "quantile",
        _ => word,
    };
    match WORDS.iter().find(|(name, _)| *name == known) {
        Some((_, meaning)) => html! { dfn tabindex="0" { (word) span class="tip" role="tooltip" { (meaning) } } },
        None => html! { (word) },
    }
}
