// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the last run of each device as one Prometheus text: the output of [`prometheus`] with the device as a label. Each
//! metric's header appears once.
use super::prometheus::prometheus;
use backwall_model::Run;
use std::collections::BTreeMap;
use std::fmt::Write;

const BEGAN: (&str, &str) = (
    "backwall_run_started_timestamp_seconds",
    "# HELP backwall_run_started_timestamp_seconds Start of the device's last run, by its clock.\n# TYPE backwall_run_started_timestamp_seconds gauge\n",
);

/// The whole text, from the devices and their last runs. Device names contain only letters, digits, `-`, `_` and `.`.
pub fn fleet(last: &[(&str, &Run)]) -> String {
    let mut families: BTreeMap<String, (String, String)> = BTreeMap::new();
    for (device, run) in last {
        add(&mut families, device, &prometheus(run));
        if let Some(began) = run.began() {
            let (name, head) = BEGAN;
            let (_, rows) = families.entry(name.to_string()).or_insert_with(|| (head.to_string(), String::new()));
            let _ = writeln!(rows, "{name}{{device=\"{device}\"}} {}", began.as_second());
        }
    }
    families.into_values().map(|(head, rows)| head + &rows).collect()
}

fn add(families: &mut BTreeMap<String, (String, String)>, device: &str, text: &str) {
    let (mut name, mut head) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            name = rest.split(' ').next().unwrap_or_default().to_string();
            head = format!("{line}\n");
        } else if line.starts_with('#') {
            head += &format!("{line}\n");
        } else {
            let (_, rows) = families.entry(name.clone()).or_insert_with(|| (head.clone(), String::new()));
            *rows += &labelled(line, device);
        }
    }
}

fn labelled(line: &str, device: &str) -> String {
    let bare = line.find([' ', '{']).unwrap_or(line.len());
    match line[bare..].strip_prefix('{') {
        Some(labels) => format!("{}{{device=\"{device}\",{labels}\n", &line[..bare]),
        None => format!("{}{{device=\"{device}\"}}{}\n", &line[..bare], &line[bare..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Origin, Plan};
    use jiff::Timestamp;

    #[test]
    fn every_metric_has_one_head_and_every_sample_its_device() {
        let run = Run::begin(Origin::Measured, Plan::default(), vec![], Timestamp::from_second(7).unwrap());
        let text = fleet(&[("a", &run), ("b", &run)]);
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
        let mut once = heads.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), heads.len());
        assert!(text.lines().filter(|line| !line.starts_with('#')).all(|line| line.contains("{device=\"")));
        assert!(text.contains("backwall_run_started_timestamp_seconds{device=\"b\"} 7\n"));
        assert!(
            text.contains("backwall_run_evidence{device=\"a\"} 1\nbackwall_run_evidence{device=\"b\"} 1\n"),
            "{text}"
        );
    }
}
