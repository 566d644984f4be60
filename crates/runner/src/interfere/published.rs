// SPDX-License-Identifier: MIT OR Apache-2.0
//! The newsgroup post's figures of Windows CE .NET 4.2 and Windows ME on a 266 MHz machine.
use super::outlet::Outlet;
use backwall_model::papers::{Row, number, post};
use backwall_model::picture::PostFigures;

const SAID: &[Row] = post::SAID.rows;
/// Seconds that the sieve takes with its messages on the screen: on Windows ME and on Windows CE .NET.
const TO_SCREEN_S: (u64, u64) = (number(SAID[1].values[0]), number(SAID[2].values[0]));
const TO_FILE_S: (u64, u64) = (number(SAID[3].values[0]), number(SAID[4].values[0]));
const TO_TELNET_S: u64 = number(SAID[5].values[0]);
const CE_DISPLAY_S: u64 = number(SAID[6].values[0]);
/// Thousands of bytes per second copied to Windows CE .NET: zeros, and a large .zip file.
const PUSHED_KB: [u64; 2] = SAID[11].numbers(0);
const PULLED_KB: u64 = number(SAID[12].values[0]);

fn published(text: String, ratio: Option<f64>) -> Option<PostFigures> {
    Some(PostFigures { text, ratio, at_least: false })
}

pub fn sieve(outlet: Outlet) -> Option<PostFigures> {
    let ((me, ce), (me_file, ce_file)) = (TO_SCREEN_S, TO_FILE_S);
    match outlet {
        Outlet::Terminal => {
            let text = format!("CE {ce} s (to a file {ce_file} s, showing the file under {CE_DISPLAY_S} s); ME {me} s");
            Some(PostFigures { text, ratio: Some(ce as f64 / (ce_file + CE_DISPLAY_S) as f64), at_least: true })
        }
        Outlet::File => published(format!("CE {ce_file} s; ME {me_file} s"), None),
        Outlet::Telnet => published(format!("CE {TO_TELNET_S} s"), None),
        Outlet::Count => published("CE: the same CPU time as with a file".into(), None),
        Outlet::Pipe | Outlet::Nothing => None,
    }
}

/// Copying to the device, whose file system compresses: the time of a .zip file divided by that of zeros.
pub fn pushed() -> Option<PostFigures> {
    let [zeros, zip] = PUSHED_KB;
    published(format!("CE {zeros} KB/s for zeros, {zip} KB/s for a .zip file"), Some(zeros as f64 / zip as f64))
}

pub fn pulled() -> Option<PostFigures> {
    published(format!("CE {PULLED_KB} KB/s, both files"), Some(1.0))
}

pub fn browser() -> Option<PostFigures> {
    published("CE at 50 % of the speed of ME".into(), None)
}

/// The post reports no difference between compressible and incompressible images, nor between drawing them or not.
pub fn no_difference() -> Option<PostFigures> {
    published("no difference".into(), Some(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratios_are_those_of_the_posts_own_figures() {
        let ratio = |published: Option<PostFigures>| published.unwrap().ratio.unwrap();
        assert!((ratio(pushed()) - 1.673).abs() < 5e-4);
        assert!((ratio(sieve(Outlet::Terminal)) - 1.818).abs() < 5e-4);
        assert!(sieve(Outlet::File).unwrap().ratio.is_none(), "the post has no parts of it");
    }
}
