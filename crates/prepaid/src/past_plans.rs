//! The plans of versions that are no longer in use, by which old charges are explained.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use accounts::AccountsError;
use ledger::Millis;
use rating::Plans;
use store::Page;

use crate::back::Back;
use crate::definition::Definition;
use crate::versions::StoredVersion;

/// The plans that stay in memory: people look at the charges of a few days.
const PLANS_MAX: usize = 4;

/// Plans of versions that are no longer in use.
#[derive(Debug, Default)]
pub(crate) struct PastPlans(Mutex<Vec<PastPlan>>);

/// What calls went by for some time.
#[derive(Clone, Debug)]
pub(crate) struct PastPlan {
    /// The number of the version.
    pub(crate) version: i64,
    /// Its plans. `None` if they cannot be read any more: they had files elsewhere, or an older form.
    pub(crate) plans: Option<Arc<Plans>>,
}

/// The time before the version of now.
pub(crate) struct Past<'s> {
    plans: &'s PastPlans,
    back: &'s Back,
    /// When the version of now came into use. `None` if no version is known.
    end: Option<Millis>,
}

impl Past<'_> {
    /// Returns the version that was in use at a time, if it is another one than now.
    pub(crate) fn at(&self, at: Millis) -> Result<Option<PastPlan>, AccountsError> {
        if self.end.is_none_or(|end| end <= at) {
            return Ok(None);
        }
        let Some(version) = self.back.version_at(at)? else { return Ok(None) };
        if let Some(known) = self.plans.known(version.number) {
            return Ok(Some(known));
        }
        let plans = read(self.back, &version)?.map(Arc::new);
        let past = PastPlan { version: version.number, plans };
        self.plans.note(past.clone());
        Ok(Some(past))
    }
}

impl PastPlans {
    /// Returns the time before the version of now.
    pub(crate) fn past<'s>(&'s self, back: &'s Back) -> Result<Past<'s>, AccountsError> {
        let (newest, _) = back.versions(Page::newest(1))?;
        Ok(Past { plans: self, back, end: newest.first().map(|newest| newest.at) })
    }

    fn note(&self, past: PastPlan) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, past);
        all.truncate(PLANS_MAX);
    }

    fn known(&self, version: i64) -> Option<PastPlan> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|past| past.version == version).cloned()
    }
}

fn read(back: &Back, version: &StoredVersion) -> Result<Option<Plans>, AccountsError> {
    let mut texts = BTreeMap::new();
    for file in &version.files {
        if let Some(text) = back.version_text(&file.digest)? {
            texts.insert(file.name.clone(), text);
        }
    }
    let definition = version.files.first().map(|file| Path::new(&file.name));
    Ok(definition.and_then(|definition| Definition::plans_of(definition, &texts)))
}
