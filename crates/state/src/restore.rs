//! Restores nodes with state at the start.

use journal::Journal;
use store::StoreError;

use super::in_memory::UnusedState;
use super::{behind, counters, groups, in_memory, judged, key_index};
use crate::groups::{Forms, Keepings};
use flow::topology::Topology;

/// Restores the state of the nodes in this process, and raises alarms for stored state that no node
/// of the flow uses. Returns messages for the user.
pub fn restore(
    flow: &Topology,
    keepings: &Keepings,
    (journal, unused): (&Journal, &UnusedState),
    is_here: impl Fn(usize) -> bool,
) -> Result<Vec<String>, StoreError> {
    let reader = journal.reader()?;
    let orphans = journal.answer(groups::orphans(flow, &reader))?;
    let mut forms = journal.answer(Forms::look(flow, keepings, &reader))?;
    if let Some(new) = forms.take_new() {
        journal.commit(new)?;
    }
    let wrong = orphans.into_iter().chain(forms.unreadable);
    let kinds = [groups::ORPHANED, groups::UNREADABLE];
    let raised = journal.answer(alarm::raised(&reader, &kinds))?;
    alarm::reconcile(wrong, &raised, journal)?;
    groups::clear_late(flow, journal, &reader)?;
    groups::look_at_keys(flow, journal)?;
    counters::check_counters(flow, journal)?;
    behind::clear(flow, journal, &reader)?;
    judged::note_rules(flow, journal)?;
    key_index::note_nodes(flow, journal)?;
    in_memory::restore(flow, (journal, unused), is_here)
}
