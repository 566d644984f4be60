// SPDX-License-Identifier: MIT OR Apache-2.0
//! Members of `run.json` that have no struct field, stored next to those that have one. A repeated name would make the file
//! ambiguous, so only this crate, which knows the field names, can add members.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;

/// Values by name, never with a name of the owner's fields. Readable as a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct More<V>(BTreeMap<String, V>);

impl<V> Default for More<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<V> Deref for More<V> {
    type Target = BTreeMap<String, V>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a, V> IntoIterator for &'a More<V> {
    type Item = (&'a String, &'a V);
    type IntoIter = std::collections::btree_map::Iter<'a, String, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<V> More<V> {
    /// Adds a value by name, with the prefix `said_` if `fields` already has the name.
    pub(crate) fn add(&mut self, fields: &[&str], name: &str, value: V) {
        let mut name = name.to_string();
        while fields.contains(&name.as_str()) {
            name.insert_str(0, "said_");
        }
        self.0.insert(name, value);
    }
}
