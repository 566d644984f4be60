// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a probe or a load complains of: the first sentences, and how many more there were. A run of days stays bounded.

/// Sentences that are kept.
const KEPT: usize = 100;

/// Sentences in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    kept: Vec<String>,
    more: u64,
}

impl Notes {
    /// Takes one.
    pub fn push(&mut self, text: String) {
        if self.kept.len() < KEPT {
            self.kept.push(text);
        } else {
            self.more += 1;
        }
    }

    /// Those that were kept, and a last one about the others.
    pub fn all(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("and {} more like these, which are not kept", self.more));
        self.kept.clone().into_iter().chain(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut notes = Notes::default();
        (0..KEPT + 7).for_each(|number| notes.push(number.to_string()));
        let all: Vec<String> = notes.all().collect();
        assert_eq!((all.len(), all[KEPT].as_str()), (KEPT + 1, "and 7 more like these, which are not kept"));
        assert_eq!(Notes::default().all().count(), 0);
    }
}
