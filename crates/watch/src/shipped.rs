// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recipes that ship with backwall, one file each.
use crate::recipe::Recipe;

pub const GENERIC: &str = "generic";

const TEXTS: [&str; 8] = [
    include_str!("recipes/linuxcnc.toml"),
    include_str!("recipes/jack.toml"),
    include_str!("recipes/pipewire.toml"),
    include_str!("recipes/klipper.toml"),
    include_str!("recipes/ros2_control.toml"),
    include_str!("recipes/ethercat.toml"),
    include_str!("recipes/franka.toml"),
    include_str!("recipes/kvm.toml"),
];

pub fn shipped() -> Vec<Recipe> {
    TEXTS.iter().map(|text| Recipe::parse(text).expect("a test reads every shipped recipe")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_shipped_recipe_is_one_and_has_a_name_of_its_own() {
        let all: Vec<Recipe> = TEXTS.iter().map(|text| Recipe::parse(text).unwrap()).collect();
        let names: BTreeSet<&str> = all.iter().map(|recipe| recipe.name.as_str()).collect();
        assert_eq!(names.len(), TEXTS.len());
        assert!(!names.contains(GENERIC));
    }
}
