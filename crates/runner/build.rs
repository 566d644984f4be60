// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the probe for the target machine; backwall carries it as part of its own file.
#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]
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
    std::fs::write(out.join("loads.rs"), loads()).expect("OUT_DIR is writable");
    // The probe is a static Linux program, so most of its bytes are the C library. backwall unpacks it in memory to start it.
    embed::packed(&probe);
}

fn loads() -> String {
    let table = std::fs::read_to_string("../../probe/tables.c").expect("the probe's table");
    let rows = table.split("#define LOADS_ALL(entry)").nth(1).and_then(|rest| rest.split("\n\n").next());
    let rows = rows.into_iter().flat_map(str::lines);
    let names: Vec<&str> = rows.filter_map(|row| row.trim().strip_prefix("entry(")?.split(')').next()).collect();
    format!("pub const LOADS: [&str; {}] = {names:?};\n", names.len())
}
