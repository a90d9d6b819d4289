//! Masks the subscriber data in records in suspense.

use ::suspense::{Alike, Suspended};
use inspection::masking::{Mask, without_numbers};

use super::show::RecordAction;

/// Masks the reason of a record, and removes its octets.
pub(super) fn hide(mask: &Mask, record: &mut Suspended) {
    let values = record.values.iter_mut().map(|value| (&*value.name, &mut value.value));
    mask.reason_with_values(&mut record.reason, values);
    record.octets.clear();
}

/// Masks the reason of records, and its values.
pub(super) fn hide_alike(mask: &Mask, alike: &mut Alike) {
    for common in &mut alike.common {
        for value in &mut common.values {
            value.value = mask.value_of_reason(&alike.reason, &common.name, &value.value);
        }
    }
    alike.reason = mask.reason(&alike.reason);
}

/// Masks the texts of an action.
pub(super) fn hide_action(mask: &Mask, action: &mut RecordAction) {
    action.because = without_numbers(&action.because);
    action.reason = action.reason.as_deref().map(|reason| mask.reason(reason));
}
