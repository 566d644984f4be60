// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the newsgroup post tells of Windows CE .NET 4.2 and Windows ME on a 266 MHz machine, for comparison.
use super::outlet::Outlet;
use run::picture::Published;

/// Computing alone on Windows CE .NET, in seconds: the sieve to a file.
const CE_COMPUTE_S: f64 = 9.0;
/// Showing that file there; the post says "less than".
const CE_DISPLAY_S: f64 = 2.0;
/// Bytes pushed into Windows CE .NET in a second, in thousands: zeros, and a large .zip file.
const PUSHED_KB: (f64, f64) = (353.0, 211.0);

fn published(text: String, ratio: Option<f64>) -> Option<Published> {
    Some(Published { text, ratio, at_least: false })
}

/// The sieve with its messages to this outlet.
pub fn sieve(outlet: Outlet) -> Option<Published> {
    let (compute, display) = (CE_COMPUTE_S, CE_DISPLAY_S);
    match outlet {
        Outlet::Terminal => {
            let text = format!("CE 20 s, of parts {compute} s and below {display} s; ME 16 s");
            Some(Published { text, ratio: Some(20.0 / (compute + display)), at_least: true })
        }
        Outlet::File => published(format!("CE {compute} s; ME 16 s"), None),
        Outlet::Telnet => published(format!("CE {compute} s"), None),
        Outlet::Count => published("CE: CPU time as with a file".into(), None),
        Outlet::Pipe | Outlet::Nothing => None,
    }
}

/// Data into the device, whose file system compresses; the time of a .zip file over that of zeros.
pub fn pushed() -> Option<Published> {
    let (zeros, zip) = PUSHED_KB;
    published(format!("CE {zeros} KB/s zeros, {zip} KB/s a .zip file"), Some(zeros / zip))
}

/// Data out of the device.
pub fn pulled() -> Option<Published> {
    published("CE 253 KB/s, either file".into(), Some(1.0))
}

/// The browser: the same page from the same server.
pub fn browser() -> Option<Published> {
    published("CE at 50 % of the speed of ME".into(), None)
}

/// Images that compress beside images that do not; images that are drawn beside images that are not.
pub fn no_difference() -> Option<Published> {
    published("no difference".into(), Some(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratios_are_those_of_the_posts_own_figures() {
        let ratio = |published: Option<Published>| published.unwrap().ratio.unwrap();
        assert!((ratio(pushed()) - 1.673).abs() < 5e-4);
        assert!((ratio(sieve(Outlet::Terminal)) - 1.818).abs() < 5e-4);
        assert!(sieve(Outlet::File).unwrap().ratio.is_none(), "the post has no parts of it");
    }
}
