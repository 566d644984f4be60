// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the instrument for the target machine, and the guests of the lab.
use embed::Tools;
use std::path::Path;

#[path = "../embed.rs"]
mod embed;

/// Most guests are for a PC, the lab's default machine, whatever the target machine is.
const PC: &str = "x86_64";

/// Machines whose guests need another compiler. If it is missing, this backwall has no guests for that machine.
const OTHERS: [(&str, &str); 1] = [("arm64-virt", "aarch64")];

/// Machines that Detent does not support and whose Linux kernels can only take interrupts from a PCI device.
const WITH_PCI_ALONE: [(&str, &str); 1] = [("riscv64-virt", "riscv64")];

/// Linux guests that take their interrupt from a PCI device: the Makefile argument that builds them, and the suffix of
/// their folder.
const PCI: (&str, &str) = ("INPUT=pci", "-pci");

/// Files that a Linux guest needs for its second kind of input: the first process and its function names.
const FIRST_PROCESS: [&str; 2] = ["init", "init.names"];

/// Programs of Linux guests, and the function names of the first one. The programs are static, mostly C library, and unpacked
/// when needed.
const PROGRAMS: [&str; 3] = ["init", "init.names", "recorder"];

/// The probe for guests of another architecture. Guests of backwall's own architecture use the carried probe.
const PROBE: &str = "probe";

/// Images that are stored with the names of their functions. A debugger reads the source lines from a separate `make`.
const IMAGES_WITH_NAMES: [&str; 3] =
    ["kernel/detent.elf", "detent-probe/detent-probe.elf", "detent-probe/detent-osbench.elf"];

fn main() {
    let out = embed::out();
    let target = Tools::of(&embed::target(), &out);
    let guest = Tools::of(PC, &out);
    ["wire", "probe", "lab/guests/bench", "lab/machine"].into_iter().for_each(embed::depends_on);
    target.make("lab/instrument", &out.join("instrument"));
    guests(Some(&guest), "x86-pc", &out);
    probe(Some(&guest), PC, "x86-pc", &out);
    programs_with_pci(Some(&guest), "x86-pc", &FIRST_PROCESS, &out);
    OTHERS.iter().for_each(|(machine, architecture)| {
        let tools = Tools::found(architecture, &out).ok();
        guests(tools.as_ref(), machine, &out);
        let linking = tools.as_ref().filter(|tools| tools.link());
        probe(linking, architecture, machine, &out);
        programs_with_pci(linking, machine, &FIRST_PROCESS, &out);
        detent(tools.as_ref(), machine, &out);
    });
    WITH_PCI_ALONE.iter().for_each(|(machine, architecture)| {
        let tools = Tools::found(architecture, &out).ok();
        let linking = tools.as_ref().filter(|tools| tools.link());
        bare(tools.as_ref(), machine, &out);
        probe(linking, architecture, &format!("{machine}{}", PCI.1), &out);
        programs_with_pci(linking, machine, &PROGRAMS, &out);
    });
    guest.make("kernel", &out.join("kernel"));
    guest.make("lab/guests/detent", &out.join("detent-probe"));
    IMAGES_WITH_NAMES.iter().for_each(|image| guest.without_debug_information(&out.join(image)));
}

fn detent(tools: Option<&Tools>, machine: &str, out: &Path) {
    let port = machine.split('-').next().unwrap_or_default();
    for (part, names) in [("kernel", &["detent"][..]), ("lab/guests/detent", &["detent-probe", "detent-osbench"][..])] {
        let folder = out.join(format!("{}-{machine}", names[0]));
        let images: Vec<_> = names.iter().map(|name| folder.join(format!("{name}-{port}.elf"))).collect();
        match tools {
            Some(tools) => {
                tools.make_with(part, &folder, &[format!("PORT={port}")]);
                images.iter().for_each(|image| tools.without_debug_information(image));
            }
            None => images.iter().for_each(|image| embed::nothing(image)),
        }
    }
}

fn bare(tools: Option<&Tools>, machine: &str, out: &Path) {
    const PART: &str = "lab/guests/bare";
    let (folder, words) = (out.join("bare").join(machine), [format!("MACHINE={machine}")]);
    let names = tools.map(|tools| {
        tools.make_with(PART, &folder, &words);
        embed::listed(PART, &words)
    });
    embed::table(&names.unwrap_or_default(), &folder, &out.join(format!("bare-{machine}.rs")));
}

fn guests(tools: Option<&Tools>, machine: &str, out: &Path) {
    bare(tools, machine, out);
    programs_of_linux(tools.filter(|tools| tools.link()), machine, out);
}

fn probe(tools: Option<&Tools>, architecture: &str, machine: &str, out: &Path) {
    let folder = out.join(format!("linux-{machine}"));
    let program = folder.join(PROBE);
    match tools.filter(|_| architecture != embed::target()) {
        Some(tools) => {
            tools.make_with("probe", &folder, &[program.display().to_string()]);
            tools.without_debug_information(&program);
            embed::packed(&program);
        }
        None => embed::nothing(&folder.join(format!("{PROBE}.gz"))),
    }
}

fn programs_of_linux(tools: Option<&Tools>, machine: &str, out: &Path) {
    programs_in(tools, (machine, out), &out.join(format!("linux-{machine}")), &PROGRAMS, None);
}

fn programs_with_pci(tools: Option<&Tools>, machine: &str, programs: &[&str], out: &Path) {
    let (word, ending) = PCI;
    programs_in(tools, (machine, out), &out.join(format!("linux-{machine}{ending}")), programs, Some(word));
}

/// Parts that a machine's inputs share are compiled once.
fn programs_in(
    tools: Option<&Tools>,
    (machine, out): (&str, &Path),
    folder: &Path,
    programs: &[&str],
    input: Option<&str>,
) {
    let parts = out.join(format!("parts-{machine}"));
    let mut words = vec![format!("MACHINE={machine}"), format!("PARTS={}", parts.display())];
    words.extend(input.map(str::to_string));
    words.extend(programs.iter().map(|program| folder.join(program).display().to_string()));
    match tools {
        Some(tools) => {
            tools.make_with("lab/guests/linux", folder, &words);
            programs.iter().for_each(|program| embed::packed(&folder.join(program)));
        }
        None => programs.iter().for_each(|program| embed::nothing(&folder.join(format!("{program}.gz")))),
    }
}
