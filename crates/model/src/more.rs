// SPDX-License-Identifier: MIT OR Apache-2.0
//! Members that have no field of their own. They stand in the file beside those that have, so one of the same name would stand
//! there twice, and no reader could tell which is meant. Only the owner of the fields, in this crate, can add one.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;

/// Values by name, none of which has the name of a field of its owner. It can be read like a map.
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
    /// Adds a value under a name, or under `said_` and that name where `fields` has it already.
    pub(crate) fn add(&mut self, fields: &[&str], name: &str, value: V) {
        let mut name = name.to_string();
        while fields.contains(&name.as_str()) {
            name.insert_str(0, "said_");
        }
        self.0.insert(name, value);
    }
}
