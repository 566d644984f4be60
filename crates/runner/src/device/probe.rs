// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe for a device, and the list of what it can measure.
#![expect(clippy::disallowed_types, reason = "starts programs")]
use crate::device::target::Device;
use backwall_os::complaint::not_started;
use backwall_os::refusal::{Result, unable};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

pub const ALL: &str = "all";
pub const NONE: &str = "none";
/// The loads of this family run at idle priority. Only `iltiming` uses them; [`ALL`] leaves them out.
const IDLE_FAMILY: &str = "idle";

#[derive(Debug)]
pub struct Probe {
    device: Device,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    pub measures: Vec<String>,
    pub counted: Vec<String>,
    pub loads: Vec<String>,
    pub copies: BTreeMap<String, u32>,
    pub operations: Vec<ListedOperation>,
    figures: Vec<(String, Figure)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    pub name: String,
    pub fields: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedOperation {
    /// Test number and variant, such as `1.00`.
    pub test: String,
    /// The row in Table 2 of the 2002 paper.
    pub paper_row: Option<u64>,
    pub name: String,
    pub other_process: bool,
    pub other_processor: bool,
    pub real_time: bool,
    pub swept: bool,
    /// Iterations in the smallest of the operation's three batches; 0 for one operation per sample, without batches.
    pub batch: u64,
    pub about: String,
}

impl Probe {
    /// The probe that backwall carries, for this machine.
    ///
    /// # Errors
    /// If it cannot be put into memory.
    pub fn carried() -> Result<Self> {
        Ok(Self { device: Device::here()? })
    }

    /// The probe in the file `program`, for another port or the fake device; without a file, the carried probe.
    ///
    /// # Errors
    /// If the carried probe cannot be put into memory.
    pub fn behind(program: Option<&Path>) -> Result<Self> {
        let device = program.map_or_else(Device::here, |program| Ok(Device::Behind(program.to_path_buf())))?;
        Ok(Self { device })
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    pub fn command(&self, arguments: &[String]) -> Command {
        self.device.command(arguments)
    }

    pub fn catalogue(&self) -> Result<Catalogue> {
        let output = self.command(&["list".to_string()]).output();
        let refused = |error| {
            let (program, why) = (self.device.program().display(), not_started(&error));
            unable(format!("cannot start the probe {program}: {why}"))
        };
        let output = output.map_err(refused)?;
        if !output.status.success() {
            return Err(unable(format!("the probe does not list its abilities: {}", output.status)));
        }
        Ok(catalogue(&String::from_utf8_lossy(&output.stdout)))
    }
}

/// Parses lines `measure TAB name TAB periodic|counted TAB ...` and `load TAB name TAB unit TAB about TAB copies`.
fn catalogue(text: &str) -> Catalogue {
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let of = |kind: &'static str| rows.iter().filter(move |row| row.len() > 1 && row[0] == kind);
    let names = |kind| of(kind).map(|row| row[1].to_string()).collect();
    let counted = of("measure").filter(|row| row.get(2) == Some(&"counted")).map(|row| row[1].to_string()).collect();
    let figures = of("series").flat_map(|row| figures(row)).collect();
    let operations = of("operation").filter_map(|row| listed(row)).collect();
    let copies = of("load").filter_map(|row| Some((row[1].to_string(), row.get(4)?.parse().ok()?))).collect();
    Catalogue { measures: names("measure"), counted, loads: names("load"), copies, operations, figures }
}

/// A line `operation TAB test TAB row of the paper TAB name TAB process TAB processor TAB scheduler TAB caches TAB batch TAB about`.
fn listed(row: &[&str]) -> Option<ListedOperation> {
    let [_, test, paper_row, name, process, processor, scheduler, caches, batch, about] = row else { return None };
    Some(ListedOperation {
        test: test.to_string(),
        paper_row: paper_row.parse().ok().filter(|row| *row > 0),
        name: name.to_string(),
        other_process: *process == "other-process",
        other_processor: *processor == "other-processor",
        real_time: *scheduler == "real-time",
        swept: *caches == "swept",
        batch: batch.parse().ok()?,
        about: about.to_string(),
    })
}

/// A line `series TAB measure TAB name TAB number of points TAB points ... TAB key=value ...`.
fn figures(row: &[&str]) -> Vec<(String, Figure)> {
    let [_, measure, name, points, rest @ ..] = row else { return Vec::new() };
    let count = points.parse::<usize>().unwrap_or(0).min(rest.len());
    let (points, fields) = rest.split_at(count);
    let fields = fields.iter().filter_map(|field| field.split_once('='));
    let fields: BTreeMap<String, String> = fields.map(|(key, value)| (key.into(), value.into())).collect();
    let of_point = |name: &str| (measure.to_string(), Figure { name: name.into(), fields: fields.clone() });
    backwall_wire::figures(name, points).map(of_point).collect()
}

impl Catalogue {
    /// The figures of a measure. If the probe lists no figures, there is one, with the measure's name.
    pub fn figures_of(&self, measure: &str) -> Vec<Figure> {
        let known = self.figures.iter().filter(|(of, _)| of == measure).map(|(_, figure)| figure);
        let known: Vec<Figure> = known.cloned().collect();
        let unknown = || vec![Figure { name: measure.to_string(), fields: BTreeMap::new() }];
        if known.is_empty() { unknown() } else { known }
    }

    /// The loads that a name stands for: no load for [`NONE`], several for [`ALL`], otherwise one.
    pub fn loads_of(&self, name: &str) -> Option<Vec<String>> {
        match name {
            NONE => Some(Vec::new()),
            ALL => Some(self.loads.iter().filter(|load| !load.starts_with(IDLE_FAMILY)).cloned().collect()),
            one => self.loads.iter().any(|load| load == one).then(|| vec![one.to_string()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_every_load_but_those_of_idle_priority() {
        let list = "measure\twakeup\tperiodic\tabsolute timer\nmeasure\tcosts\tcounted\toperations\nload\tspin\tturns\tcounts\nload\tidle1\tturns\tcounts\n";
        let catalogue = catalogue(list);
        assert_eq!(
            (catalogue.measures.as_slice(), catalogue.counted.as_slice()),
            (&["wakeup".into(), "costs".into()][..], &["costs".into()][..])
        );
        assert_eq!(catalogue.loads_of("all").unwrap(), ["spin"]);
        assert_eq!(catalogue.loads_of("idle1").unwrap(), ["idle1"]);
        assert_eq!(catalogue.loads_of("none").unwrap(), [""; 0]);
        assert_eq!(catalogue.loads_of("nothing"), None);
    }

    #[test]
    fn a_measure_gives_one_figure_for_each_response_point_of_each_series() {
        let list = "series\tinterrupt\tedge\t3\tpin\tisr\tist\nseries\tcopy\tcopy\t2\ta\tb\tsize=64\tto=memory\n\
                    series\tcut\tx\t9\ta\nseries\tcut\n";
        let catalogue = catalogue(list);
        let named =
            |measure: &str| -> Vec<String> { catalogue.figures_of(measure).into_iter().map(|one| one.name).collect() };
        assert_eq!((named("interrupt"), named("wakeup")), (vec!["isr".into(), "ist".into()], vec!["wakeup".into()]));
        let copy = catalogue.figures_of("copy").remove(0);
        let field = |key: &str, value: &str| (key.to_string(), value.to_string());
        assert_eq!((copy.name.as_str(), copy.fields), ("copy", [field("size", "64"), field("to", "memory")].into()));
    }

    #[test]
    fn the_carried_probe_says_what_it_can_do() {
        let catalogue = Probe::carried().unwrap().catalogue().unwrap();
        assert!(catalogue.measures.contains(&"wakeup".to_string()));
        assert!(catalogue.loads.contains(&"spin".to_string()));
    }
}
