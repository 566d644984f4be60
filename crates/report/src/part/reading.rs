// SPDX-License-Identifier: MIT OR Apache-2.0
//! How to read the page: the words it uses, each once.
use crate::phrase;
use crate::section::Section;
use backwall_model::{Origin, Run};
use maud::html;

const WORDS: [(&str, &str); 8] = [
    ("latency", "Instant of the response less instant of the stimulus, always whole, with nothing subtracted."),
    (
        "due, done, missed",
        "Stimuli that were due, those that got a response, and the difference. A tool that does not count the missed ones \
      hides its worst cases, because a late response makes the next stimuli disappear.",
    ),
    ("late", "Answered, but after the deadline: the next release, unless the plan says otherwise."),
    (
        "quantile",
        "p99.9 is the latency that 99.9 % of the responses did not exceed; missed stimuli are no responses. Its limits hold at 95 % \
         confidence; late responses that come in clusters count as fewer samples (a warning then names the extremal index).",
    ),
    ("jitter", "Largest less smallest latency of the phase."),
    (
        "stages",
        "Stamps that the kernel put on the same wake-ups. They are taken by tracing, which itself takes a little time.",
    ),
    (
        "steal",
        "Time in which a hypervisor ran something else on this processor. No setting inside the machine changes it.",
    ),
    (
        "self-check",
        "Our reading less the kernel's for the same wake-ups. Large differences mean that our figures are not to be trusted.",
    ),
];

pub fn section(run: &Run) -> Section {
    let mut words: Vec<(&str, &str)> = vec![("back wall", phrase::BACK_WALL)];
    words.extend(WORDS);
    if run.origin == Origin::Emulated {
        words.push((
            "instructions",
            "The unit of time in the lab: executed instructions. There are no caches and no bus in it, so \
          it shows the length of paths and of masked regions exactly, and says nothing about microseconds.",
        ));
    }
    let list = html! { dl class="reading" { @for (word, meaning) in words { dt { (word) } dd { (meaning) } } } };
    Section::new("reading", "How to read this page", "", list)
}
