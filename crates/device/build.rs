// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the probe that the tool carries, for the machine that the tool is for.
use carry::Tools;

fn main() {
    let out = carry::out();
    let tools = Tools::of(&carry::target(), &out);
    carry::depends_on("wire");
    tools.make("probe", &out.join("probe"));
    let probe = out.join("probe/probe");
    tools.without_debug_information(&probe);
    // A static program of Linux, mostly its C library: the tool unpacks it where it starts it.
    carry::packed(&probe);
}
