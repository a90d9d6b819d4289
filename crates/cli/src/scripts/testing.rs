//! Runs the tests that stand beside the functions of scripts.

use std::path::Path;

use dup::Machine;
use record::{Arena, Memory, SlotIndex};

use super::loaded::Loaded;
use super::records::{RecordError, record};
use crate::modules::read_named;
use crate::outcome::CommandError;

/// Runs one test. The inner result is its failure.
pub(crate) fn test(
    script: &Path,
    loaded: &Loaded,
    machine: &mut Machine,
    place: usize,
) -> Result<Result<(), RecordError>, CommandError> {
    let Loaded { program, plan, .. } = loaded;
    let test = &program.tests()[place];
    let folder = script.parent().unwrap_or(Path::new(""));
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let mut fixtures: Vec<SlotIndex> = Vec::new();
    for (ty, file) in &test.fixtures {
        let path = folder.join(file);
        let octets = read_named(&path)?;
        // Several fixtures share one memory, which has one source; JSON needs none.
        let path_of_json = path.with_extension("json");
        let read = record(plan, &mut memory, *ty, &path_of_json, octets.trim_ascii());
        match read {
            Ok(record) => fixtures.push(record.root),
            Err(error) => {
                let message = format!("{}: not one record as JSON: {error}", path.display());
                return Err(CommandError::Mistakes(message));
            }
        }
    }
    let outcome = machine.test(place, &mut memory, &fixtures);
    Ok(outcome.map_err(|fault| RecordError::Fault(program.describe(&fault))))
}
