// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenarios that the tool carries, and how a name or a file becomes one.
use super::scenario::{BadScenario, Scenario};
use std::path::Path;

/// Name and text of each, in the order `lab list` prints them.
const SHIPPED: &[(&str, &str)] = &[
    ("bare-answer", include_str!("../../../lab/scenarios/bare-answer.toml")),
    ("bare-misbehave", include_str!("../../../lab/scenarios/bare-misbehave.toml")),
    ("bare-service", include_str!("../../../lab/scenarios/bare-service.toml")),
    ("bare-poisson", include_str!("../../../lab/scenarios/bare-poisson.toml")),
    ("bare-masked", include_str!("../../../lab/scenarios/bare-masked.toml")),
    ("linux-stock", include_str!("../../../lab/scenarios/linux-stock.toml")),
    ("linux-stock-polygons", include_str!("../../../lab/scenarios/linux-stock-polygons.toml")),
    ("linux-rt", include_str!("../../../lab/scenarios/linux-rt.toml")),
    ("linux-rt-polygons", include_str!("../../../lab/scenarios/linux-rt-polygons.toml")),
    ("linux-stock-sweep", include_str!("../../../lab/scenarios/linux-stock-sweep.toml")),
    ("linux-rt-sweep", include_str!("../../../lab/scenarios/linux-rt-sweep.toml")),
];

/// All of them. They are checked by a test, so none is bad.
pub fn all() -> impl Iterator<Item = Result<Scenario, BadScenario>> {
    SHIPPED.iter().map(|(name, text)| Scenario::parse(name, text))
}

/// The shipped scenario of that name, or the one in the file of that name.
pub fn find(name_or_file: &str) -> Result<Scenario, BadScenario> {
    if let Some((name, text)) = SHIPPED.iter().find(|(name, _)| *name == name_or_file) {
        return Scenario::parse(name, text);
    }
    let bad = |fault: String| BadScenario { name: name_or_file.to_string(), fault };
    let path = Path::new(name_or_file);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(bad("no such scenario; `backwall lab list` prints the names, a file ends in .toml".to_string()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    Scenario::parse(name_or_file, &text).map(|scenario| named_after(scenario, path))
}

fn named_after(scenario: Scenario, path: &Path) -> Scenario {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Scenario { name, ..scenario }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::guest;

    #[test]
    fn every_shipped_scenario_is_sound_and_names_a_guest_that_exists() {
        for scenario in all() {
            let scenario = scenario.unwrap();
            guest::kind_of(&scenario.guest).unwrap();
        }
    }

    #[test]
    fn a_name_that_is_neither_shipped_nor_a_file_is_refused() {
        assert!(find("nothing").unwrap_err().to_string().contains("lab list"));
        assert!(find("/nonexistent/x.toml").unwrap_err().to_string().contains("No such file"));
    }
}
