// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the newsgroup post tells of Windows CE .NET 4.2 and Windows ME on a 266 MHz machine, for comparison.
use super::outlet::Outlet;

/// Seconds of the sieve to this outlet, and of showing the file alone, where the post has them.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Published {
    /// Windows CE .NET: both at once.
    pub ce_both_s: f64,
    /// Windows CE .NET: showing what was computed, alone; the post says "less than".
    pub ce_display_below_s: Option<f64>,
    /// Windows ME: both at once.
    pub me_both_s: Option<f64>,
}

/// Computing alone on Windows CE .NET, in seconds: the sieve to a file.
pub const CE_COMPUTE_S: f64 = 9.0;

/// What the post has of an outlet.
pub fn published(outlet: Outlet) -> Option<Published> {
    let row = |ce_both_s, ce_display_below_s, me_both_s| Some(Published { ce_both_s, ce_display_below_s, me_both_s });
    match outlet {
        Outlet::Terminal => row(20.0, Some(2.0), Some(16.0)),
        Outlet::File => row(CE_COMPUTE_S, None, Some(16.0)),
        Outlet::Telnet => row(9.0, None, None),
        Outlet::Pipe | Outlet::Count | Outlet::Nothing => None,
    }
}
