// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the probe that the tool carries, for the machine that the tool is for.
use embed::Tools;

#[path = "../embed.rs"]
mod embed;

fn main() {
    let out = embed::out();
    let tools = Tools::of(&embed::target(), &out);
    embed::depends_on("wire");
    tools.make("probe", &out.join("probe"));
    let probe = out.join("probe/probe");
    tools.without_debug_information(&probe);
    // A static program of Linux, mostly its C library: the tool unpacks it where it starts it.
    embed::packed(&probe);
}
