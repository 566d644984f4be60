// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages of a probe or load: the first ones as warnings, and a count of the rest, so that memory stays bounded in a long run.
use backwall_model::Warning;

const KEPT: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct Notes {
    kept: Vec<Warning>,
    more: u64,
}

impl Notes {
    pub fn push(&mut self, warning: Warning) {
        if self.kept.len() < KEPT {
            self.kept.push(warning);
        } else {
            self.more += 1;
        }
    }

    pub fn all(&self) -> impl Iterator<Item = Warning> {
        let more = (self.more > 0)
            .then(|| Warning::new("not-kept", format!("and {} more like these (not stored)", self.more)));
        self.kept.clone().into_iter().chain(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut notes = Notes::default();
        (0..KEPT + 7).for_each(|number| notes.push(Warning::new(Warning::PROBE, number.to_string())));
        let all: Vec<Warning> = notes.all().collect();
        assert_eq!((all.len(), all[KEPT].text.as_str()), (KEPT + 1, "and 7 more like these (not stored)"));
        assert_eq!(Notes::default().all().count(), 0);
    }
}
