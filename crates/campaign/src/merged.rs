// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of the units that are done, put together.
use crate::merge::Merging;
use crate::place::{self, EDGES, Place, State};
use crate::unit::Unit;
use exit::usage;
use lab::unit_key;
use run::Run;
use system::regular_file;

/// The units that are done, as one run; `None`: none is.
///
/// # Errors
/// Where a result cannot be read, or is another one's.
pub fn merged(place: &Place, units: &[&Unit]) -> anyhow::Result<Option<Run>> {
    let mut merging = Merging::default();
    for unit in units.iter().filter(|unit| place.state(unit) == State::Done) {
        let result = place.result(unit);
        let fault = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", result.display()));
        let edges = regular_file::read(&result.join(EDGES), place::MOST_EDGE_BYTES).map_err(|error| fault(&error))?;
        merging.add(store::read(&result)?, unit_key::digest(&edges)).map_err(|error| fault(&error))?;
    }
    Ok(merging.finish(units.len() as u64))
}
