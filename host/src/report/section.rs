// SPDX-License-Identifier: MIT OR Apache-2.0
//! A section of the page, and the only way text from outside gets into HTML or SVG.
use serde::{Deserialize, Serialize};

/// Name of the file of [`Section`]s in a run's folder, where a run has pictures beside its figures.
pub const FILE: &str = "pictures.json";

/// One headed part of the page. Other parts of the tool add theirs through [`super::html::page`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Anchor: letters, digits and hyphens, once on the page.
    pub id: String,
    /// Heading, as plain text.
    pub title: String,
    /// What the reader sees and how to read it, as plain text; may be empty.
    pub intro: String,
    /// Trusted markup: whoever makes it escapes what came from outside with [`escape`].
    pub body_html: String,
}

impl Section {
    /// A section of trusted markup below a heading of plain text.
    pub fn new(id: &str, title: &str, intro: &str, body_html: String) -> Self {
        Self { id: id.into(), title: title.into(), intro: intro.into(), body_html }
    }

    /// The section as markup.
    pub(crate) fn html(&self) -> String {
        let intro = if self.intro.is_empty() { String::new() } else { format!("<p>{}</p>\n", escape(&self.intro)) };
        let id = escape(&self.id);
        let heading = format!("<h2 id=\"{id}-title\">{}</h2>", escape(&self.title));
        format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n{heading}\n{intro}{}\n</section>\n",
            self.body_html
        )
    }
}

/// Text made harmless inside an element or a quoted attribute; control characters become `?`.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(' '),
            letter if letter.is_control() => safe.push('?'),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_open_an_element_or_leave_an_attribute() {
        assert_eq!(escape("<b a='\"'>&\u{0}\n"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;? ");
        let section = Section::new("x", "<script>", "<i>", "<p>ok</p>".into()).html();
        assert!(!section.contains("<script>") && !section.contains("<i>") && section.contains("<p>ok</p>"));
    }
}
