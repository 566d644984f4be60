// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keys identify series. Code names and compares series only by their keys.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The load name of a phase without load.
pub const NO_LOAD: &str = "none";
/// Load or C-state setting of a phase if nobody stated it: in a capture, or in another tool's result.
pub const UNKNOWN: &str = "unknown";
/// The load name of a run that follows an application on the machine as it is, without a load of its own.
pub const AS_FOUND: &str = "as-found";
/// C-states were left as they were.
pub const IDLE_AS_IS: &str = "as-is";
/// CPUs were kept out of C-states.
pub const IDLE_OFF: &str = "off";

/// Identity of a series: its measure and phase. Unique in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Name of the measure: `wakeup`, `ist`, `app` …
    pub name: String,
    /// Load of the phase; `none` if it has none.
    pub load: String,
    /// C-state setting of the phase: `as-is` or `off`.
    pub idle: String,
    /// The CPU, if a run measures several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// Other properties that tell series apart (`size` → `64`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variant: BTreeMap<String, String>,
}

impl Key {
    /// A key without variants, for a run on one CPU.
    pub fn new(name: impl Into<String>, load: impl Into<String>, idle: impl Into<String>) -> Self {
        Self { name: name.into(), load: load.into(), idle: idle.into(), cpu: None, variant: BTreeMap::new() }
    }

    /// The name with CPU and variant, which is unique within its phase: `wakeup`, or `wakeup[cpu=3]`.
    pub fn label(&self) -> String {
        let cpu = self.cpu.map(|cpu| format!("cpu={cpu}"));
        let variant = self.variant.iter().map(|(name, value)| format!("{name}={value}"));
        let apart: Vec<String> = cpu.into_iter().chain(variant).collect();
        if apart.is_empty() { self.name.clone() } else { format!("{}[{}]", self.name, apart.join(",")) }
    }

    /// The same key with another load.
    pub fn with_load(&self, load: &str) -> Self {
        Self { load: load.to_string(), ..self.clone() }
    }

    /// The same key with another C-state setting.
    pub fn with_idle(&self, idle: &str) -> Self {
        Self { idle: idle.to_string(), ..self.clone() }
    }

    /// Another series of the same phase, CPU and variant.
    pub fn with_name(&self, name: &str) -> Self {
        Self { name: name.to_string(), ..self.clone() }
    }

    /// Whether both belong to the same phase, CPU and variant.
    pub fn beside(&self, other: &Self) -> bool {
        self.with_name(&other.name) == *other
    }
}

/// Printed as in a requirement: `wakeup[load=none,idle=as-is]`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[load={},idle={}", self.name, self.load, self.idle)?;
        self.cpu.map_or(Ok(()), |cpu| write!(f, ",cpu={cpu}"))?;
        self.variant.iter().try_for_each(|(name, value)| write!(f, ",{name}={value}"))?;
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_with_all_that_tells_it_from_others() {
        let mut key = Key::new("read", "none", "off");
        assert_eq!(key.to_string(), "read[load=none,idle=off]");
        key.cpu = Some(3);
        key.variant.insert("size".into(), "64".into());
        assert_eq!(key.to_string(), "read[load=none,idle=off,cpu=3,size=64]");
        assert_eq!(
            (key.label().as_str(), Key::new("read", "none", "off").label().as_str()),
            ("read[cpu=3,size=64]", "read")
        );
    }

    #[test]
    fn a_processor_and_a_variant_stand_in_the_file_only_where_there_are_some() {
        let key = Key::new("wakeup", "none", "as-is");
        let written = serde_json::to_string(&key).unwrap();
        assert_eq!(written, r#"{"name":"wakeup","load":"none","idle":"as-is"}"#);
        assert_eq!(serde_json::from_str::<Key>(&written).unwrap(), key);
    }

    #[test]
    fn keys_differ_in_every_field() {
        let key = Key::new("ist", "none", "as-is");
        let on_cpu = Key { cpu: Some(0), ..key.clone() };
        assert!(key.beside(&key.with_name("app")) && !key.beside(&on_cpu));
        for other in [key.with_name("app"), key.with_load("all"), key.with_idle("off"), on_cpu] {
            assert_ne!(key, other);
        }
    }
}
