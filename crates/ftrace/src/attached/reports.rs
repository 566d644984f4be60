// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports during a recording, on request: both sides of a channel with one place.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

pub(super) struct Reports<Side> {
    asked: Arc<AtomicBool>,
    side: Side,
}

pub(super) fn reports<T>() -> (Reports<SyncSender<T>>, Reports<Receiver<T>>) {
    let (tell, heard) = sync_channel(1);
    let asked = Arc::new(AtomicBool::new(false));
    (Reports { asked: asked.clone(), side: tell }, Reports { asked, side: heard })
}

impl<T> Reports<SyncSender<T>> {
    /// Sends the report if somebody requested one. A request lasts until its report is sent. A second request before then gets
    /// the same report; it does not cause an old report later.
    pub(super) fn tell(&self, made: impl FnOnce() -> T) -> bool {
        let told = self.asked.load(Ordering::Acquire) && self.side.try_send(made()).is_ok();
        if told {
            self.asked.store(false, Ordering::Release);
        }
        told
    }
}

impl<T> Reports<Receiver<T>> {
    pub(super) fn so_far(&self) -> Option<T> {
        let told = self.side.try_recv().ok();
        if told.is_none() {
            self.asked.store(true, Ordering::Release);
        }
        told
    }

    pub(super) fn untaken(&self) -> Option<T> {
        self.side.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_never_older_than_the_question() {
        let (teller, asker) = reports();
        assert!(!teller.tell(|| unreachable!("nobody has asked")));
        assert_eq!(asker.so_far(), None);
        // The next request comes while the report is being made.
        let made = || {
            assert_eq!(asker.so_far(), None);
            1
        };
        assert!(teller.tell(made));
        assert_eq!(asker.so_far(), Some(1));
        assert!(!teller.tell(|| 2), "nobody has asked for another");
        assert_eq!(asker.so_far(), None);
        assert!(teller.tell(|| 3));
        assert_eq!(asker.so_far(), Some(3));
    }

    #[test]
    fn what_was_told_last_can_be_taken_after_the_teller_ended() {
        let (teller, asker) = reports();
        assert_eq!(asker.so_far(), None);
        assert!(teller.tell(|| 1));
        drop(teller);
        assert_eq!(asker.untaken(), Some(1));
        assert_eq!(asker.untaken(), None);
    }
}
