// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that the kernel may move or swap out under a thread: transparent huge pages and swap.
use super::{Machine, Reading};

pub(super) fn huge_pages(machine: &Machine) -> Reading {
    const FILE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    let why = "background compaction stops threads while it moves their pages";
    let text = match machine.read(FILE) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word);
    match chosen {
        Some("always") => Reading::note(format!("{FILE}: always"), why)
            .fix(format!("give huge pages only to programs that ask for them\necho madvise > {FILE}")),
        Some(word @ ("madvise" | "never")) => {
            Reading::good(format!("{FILE}: {word}"), "only programs that ask for huge pages get them")
        }
        _ => Reading::unknown(&machine.strange(FILE, &text), why),
    }
}

pub(super) fn swap(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/swaps";
    match machine.read(FILE) {
        Ok(text) if text.lines().count() < 2 => Reading::good(format!("{FILE}: none"), "no page can be written out"),
        Ok(text) => Reading::note(
            format!("{FILE}: {} in use", text.lines().count() - 1),
            "a page that was written out takes milliseconds to fetch; memory locked with mlockall stays in RAM",
        )
        .fix("lock the program's memory, or switch swapping off\nswapoff -a"),
        Err(unread) => Reading::unknown(&unread, "whether pages can be written out"),
    }
}
