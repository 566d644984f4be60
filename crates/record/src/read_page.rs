// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of one sub-buffer of a ring, for who puts those of several processors in order of time.
use trace::decoder::Decoder;
use trace::event::Stamped;
use trace::page::{Page, PageLayout};

/// Gives every event of a sub-buffer; where some before it or in it are missing, since when.
pub(super) fn read_page(
    bytes: &[u8],
    layout: &PageLayout,
    decoder: &Decoder,
    mut give: impl FnMut(u64, Stamped),
) -> Option<u64> {
    let Ok(page) = Page::new(bytes, layout) else { return Some(0) };
    let mut gap_at = page.missed().map(|_| page.first_ns());
    let mut last_ns = page.first_ns();
    for record in page.records() {
        let Ok(record) = record else {
            gap_at.get_or_insert(last_ns);
            break;
        };
        last_ns = record.at_ns;
        if let Some(stamped) = decoder.decode(record.at_ns, record.data) {
            give(record.at_ns, stamped);
        }
    }
    gap_at
}
