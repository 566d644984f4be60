// SPDX-License-Identifier: MIT OR Apache-2.0
//! A section of the page. All markup comes from `maud`, which escapes every inserted text.
use maud::{Markup, Render, html};

pub struct Section {
    pub id: String,
    pub title: String,
    /// What the reader sees and how to read it; may be empty.
    pub intro: String,
    pub body: Markup,
    /// Closed until a reader opens it; a link to it opens it too.
    pub is_folded: bool,
}

impl Section {
    pub fn new(id: impl Into<String>, title: impl Into<String>, intro: impl Into<String>, body: Markup) -> Self {
        Self { id: id.into(), title: title.into(), intro: intro.into(), body, is_folded: false }
    }

    #[must_use]
    pub fn folded(self) -> Self {
        Self { is_folded: true, ..self }
    }
}

impl Render for Section {
    fn render(&self) -> Markup {
        let title = html! { h2 id={ (self.id) "-title" } { (self.title) } };
        let section = html! {
            section id=(self.id) aria-labelledby={ (self.id) "-title" } {
                @if !self.is_folded { (title) }
                @if !self.intro.is_empty() { p { (self.intro) } }
                (self.body)
            }
        };
        html! {
            @if self.is_folded { details class="fold" { summary { (title) } (section) } } @else { (section) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_open_an_element_or_leave_an_attribute() {
        let section = Section::new("x\"><b>", "<script>", "<i>", html! { p { "ok" } }).render().into_string();
        for forbidden in ["<script>", "<i>", "<b>"] {
            assert!(!section.contains(forbidden), "{section}");
        }
        assert!(section.contains("<p>ok</p>"));
    }
}
