// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall generate man DIR`: man pages made from the flags.
use crate::exit::{Exit, unable};
use backwall_os::folder::Folder;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder that receives one page per command
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The same text for every page.
const EXIT_STATUS: &str = "\
.SH \"EXIT STATUS\"
.TP
0
Done; all requirements passed.
.TP
1
A requirement failed, a comparison regressed, or a deadline can be missed.
.TP
2
Wrong usage or input.
.TP
3
Undecided, or the run is invalid.
.TP
4
The machine could not do it: a right, feature or program is missing.
";

/// Writes `backwall.1`, `backwall-run.1` and so on, from the table of `flags`.
pub fn run(args: &Args, flags: clap::Command) -> anyhow::Result<Exit> {
    let failed =
        |error: std::io::Error| unable(format!("cannot write man pages to {}: {error}", args.folder.display()));
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    let folder = Folder::open(&args.folder).map_err(failed)?;
    let mut flags = flags.disable_help_subcommand(true);
    flags.build();
    write(&flags, &folder).map_err(failed)?;
    Ok(Exit::Done)
}

fn write(command: &clap::Command, folder: &Folder) -> std::io::Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    text.extend_from_slice(EXIT_STATUS.as_bytes());
    folder.write(&page.get_filename(), &text)?;
    command.get_subcommands().filter(|below| !below.is_hide_set()).try_for_each(|below| write(below, folder))
}
