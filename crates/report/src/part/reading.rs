// SPDX-License-Identifier: MIT OR Apache-2.0
//! How to read the page: explains each word it uses once.
use crate::phrase;
use crate::section::Section;
use crate::term::WORDS;
use backwall_model::{Origin, Run};
use maud::html;

pub fn section(run: &Run) -> Section {
    let mut words: Vec<(&str, &str)> = vec![("back wall", phrase::BACK_WALL)];
    words.extend(WORDS);
    if run.origin == Origin::Emulated {
        words.push((
            "instructions",
            "The unit of time in the lab: executed instructions. The lab emulates no caches and no bus. So it counts \
                the length of code paths and of sections with interrupts off exactly, but says nothing about microseconds.",
        ));
    }
    let list = html! { dl class="reading" { @for (word, meaning) in words { dt { (word) } dd { (meaning) } } } };
    Section::new("reading", "How to read this page", "", list)
}
