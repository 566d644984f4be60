// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the events of one sub-buffer, for a caller that merges several CPUs in order of time.
use backwall_trace::event::Stamped;
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::page::{Page, PageLayout};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// Events before the sub-buffer are missing, up to its first instant.
    pub(super) before: Option<u64>,
    /// Events in the sub-buffer or after it are missing from this time on; 0 if it was not readable at all.
    pub(super) behind: Option<u64>,
}

impl Missing {
    pub(super) fn is_any(&self) -> bool {
        self.before.is_some() || self.behind.is_some()
    }
}

pub(super) fn read_page(
    bytes: &[u8],
    layout: &PageLayout,
    decoder: &Decoder,
    mut give: impl FnMut(u64, Stamped),
) -> Missing {
    let Ok(page) = Page::new(bytes, layout) else { return Missing { before: None, behind: Some(0) } };
    let mut missing = Missing { before: page.missed().map(|_| page.first_ns()), behind: None };
    let mut last_ns = page.first_ns();
    for record in page.records() {
        let Ok(record) = record else {
            missing.behind = Some(last_ns);
            break;
        };
        last_ns = record.at_ns;
        if let Some(stamped) = decoder.decode(record.at_ns, record.data) {
            give(record.at_ns, stamped);
        }
    }
    missing
}
