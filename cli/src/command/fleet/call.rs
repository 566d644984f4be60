// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shared by `fleet run` and `fleet snapshot`: the devices of a file, the tool for each, the fleet's folder and the ID of the
//! call.
use super::{Folder, create};
use crate::exit::usage;
use crate::options::Printing;
use backwall_fleet::place::Place;
use backwall_fleet::plan::{Device, Plan};
use backwall_fleet::reach::{Tool, Until};
use backwall_os::Stop;
use backwall_os::console::progress::each_of;
use backwall_os::regular_file;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Default number of devices measured at a time: each needs a connection and memory for its data.
const JOBS: u16 = 32;
/// Size limit of a file of devices, far beyond any fleet.
const MOST_BYTES: u64 = 16 << 20;

#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Fleet file: devices, and what to measure on them
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Devices to measure at a time
    #[arg(long, value_name = "N", default_value_t = JOBS, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

pub(super) struct Call {
    pub(super) place: Place,
    pub(super) stop: Stop,
    pub(super) began: Timestamp,
    plan: Plan,
    tools: BTreeMap<Option<PathBuf>, Tool>,
    jobs: u16,
}

impl Call {
    /// Reads the fleet file, then the tools. Creates nothing until both are valid.
    pub(super) fn begin(args: &Args) -> anyhow::Result<Self> {
        let name = args.file.display();
        let text = regular_file::text(&args.file, MOST_BYTES).map_err(|error| usage(format!("{name}: {error}")))?;
        let plan = Plan::parse(&text).map_err(|error| usage(format!("{name}: {error}")))?;
        let this = std::env::current_exe()?;
        let tools =
            Tool::all(&plan, &this).map_err(|(path, error)| usage(format!("tool {}: {error}", path.display())))?;
        let place = create(&args.folder)?;
        Ok(Self { place, stop: Stop::on_signals()?, began: Timestamp::now(), plan, tools, jobs: args.jobs })
    }

    pub(super) fn tool(&self, device: &Device) -> &Tool {
        &self.tools[&device.tool]
    }

    /// Calls `one` for every device, several at a time. After the user asks to stop, calls `stopped` for the remaining devices.
    pub(super) fn each<R: Send>(
        &self,
        one: impl Fn(&Device, &Until) -> R + Sync,
        stopped: impl Fn(&Device) -> R + Sync,
        quiet: bool,
    ) -> Vec<R> {
        let asked = || self.stop.asked();
        let call = format!("{:x}p{:x}", self.began.as_nanosecond(), std::process::id());
        let until = Until { limit: self.plan.limit, stop: &asked, call: &call };
        let each = |device: &Device| if self.stop.asked() { stopped(device) } else { one(device, &until) };
        each_of(&self.plan.devices, usize::from(self.jobs), "devices", quiet, each)
    }
}
