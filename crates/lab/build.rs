// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the instrument, for the machine that the tool is for, and the guests of the lab.
use carry::Tools;

/// The architecture of the guests, whatever machine the tool is for: the lab emulates one PC.
const GUESTS_ARE: &str = "x86_64";

/// Images that the tool carries and whose functions have names: a debugger reads the ones that a `make` of their own builds.
const IMAGES_WITH_NAMES: [&str; 3] =
    ["kernel/detent.elf", "detent-probe/detent-probe.elf", "detent-probe/detent-osbench.elf"];

fn main() {
    let out = carry::out();
    let target = Tools::of(&carry::target(), &out);
    let guest = Tools::of(GUESTS_ARE, &out);
    ["wire", "probe", "lab/guests/bench", "lab/machine"].into_iter().for_each(carry::depends_on);
    target.make("lab/instrument", &out.join("instrument"));
    guest.make("lab/guests/bare", &out.join("bare"));
    guest.make("lab/guests/linux", &out.join("linux"));
    guest.make("kernel", &out.join("kernel"));
    guest.make("lab/guests/detent", &out.join("detent-probe"));
    carry::table("lab/guests/bare", &out.join("bare"), &out.join("bare.rs"));
    IMAGES_WITH_NAMES.iter().for_each(|image| guest.without_debug_information(&out.join(image)));
    // A static program of Linux, mostly its C library: the tool unpacks it where it starts it.
    carry::packed(&out.join("linux/init"));
}
