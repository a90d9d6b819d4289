//! The plans of earlier versions. Calls that began before a version came into use go by them, and old charges are explained
//! by them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use accounts::AccountsError;
use ledger::Millis;
use rating::{Moment, Plans};
use store::Page;

use crate::back::Back;
use crate::definition::Definition;
use crate::rules::Rules;
use crate::versions::{self, StoredVersion};

/// The versions whose plans stay in memory for explanations: people look at the charges of a few days.
const EXPLAINED_MAX: usize = 4;

/// How long after its begin a call goes by the version that was in use then, at least.
const CALL_MAX: Millis = 86_400_000;

/// The most earlier plans by which calls go.
const PLANS_MAX: usize = 16;

/// Plans of earlier versions, for explanations.
#[derive(Debug, Default)]
pub(crate) struct PastPlans(Mutex<Vec<PastPlan>>);

/// What calls went by for some time.
#[derive(Clone, Debug)]
pub(crate) struct PastPlan {
    /// The number of the version.
    pub(crate) version: i64,
    /// When it came into use.
    pub(crate) since: Millis,
    /// Its plans. `None` if they cannot be read any more: they had files elsewhere, or an older form.
    pub(crate) plans: Option<Arc<Plans>>,
}

/// The versions, the newest of which is known: most calls go by it.
pub(crate) struct Versions<'s> {
    plans: &'s PastPlans,
    back: &'s Back,
    newest: Option<StoredVersion>,
}

/// Lets calls that began before a version came into use go by the plans before it.
pub(crate) fn in_place_of(plans: Plans, earlier: &Plans, (at, now): (Millis, Millis)) -> Plans {
    let since = versions::calls_since(at);
    // Only earlier plans are forgotten, however many come later.
    let mut earlier = earlier.before(since);
    earlier.forget((now - CALL_MAX).div_euclid(1_000), PLANS_MAX);
    earlier.then(plans, since)
}

/// Returns the plans before a version that is used since a time, by which calls may still go. Without a number, those of
/// all versions.
pub(crate) fn before(
    back: &Back,
    (number, at): (Option<i64>, Millis),
    now: Millis,
) -> Result<Option<Plans>, AccountsError> {
    let page = Page { before: number, after: None, limit: PLANS_MAX as u32 };
    let (found, _) = back.versions(page)?;
    let ends = std::iter::once(at).chain(found.iter().map(|version| version.at));
    let used = found.iter().zip(ends).take_while(|(_, end)| *end > now - CALL_MAX);
    let mut all: Option<Plans> = None;
    for (version, _) in used.collect::<Vec<_>>().into_iter().rev() {
        let Some(plans) = read(back, version)? else { continue };
        all = Some(match all {
            Some(earlier) => in_place_of(plans, &earlier, (version.at, now)),
            None => plans,
        });
    }
    Ok(all)
}

impl PastPlans {
    /// Returns the versions as they are now.
    pub(crate) fn versions<'s>(&'s self, back: &'s Back) -> Result<Versions<'s>, AccountsError> {
        Ok(Versions { plans: self, back, newest: versions::newest(back)? })
    }

    fn add(&self, past: PastPlan) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, past);
        all.truncate(EXPLAINED_MAX);
    }

    fn known(&self, version: i64) -> Option<PastPlan> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|past| past.version == version).cloned()
    }
}

impl Versions<'_> {
    /// Returns what a call goes by that began at a moment. `None` if no version is known.
    pub(crate) fn at(
        &self,
        start: Moment,
        rules: &Rules,
    ) -> Result<Option<PastPlan>, AccountsError> {
        let by = versions::used_by(start);
        let newest = self.newest.as_ref().filter(|newest| newest.at <= by);
        let version = match newest {
            Some(newest) => Some(newest.clone()),
            None => self.back.version_at(by)?,
        };
        let Some(version) = version else { return Ok(None) };
        let (number, since) = (version.number, version.at);
        if rules.version == Some(number) {
            let plans = Some(Arc::new(rules.own_plans.clone()));
            return Ok(Some(PastPlan { version: number, since, plans }));
        }
        if let Some(known) = self.plans.known(number) {
            return Ok(Some(known));
        }
        let plans = read(self.back, &version)?.map(Arc::new);
        let past = PastPlan { version: number, since, plans };
        self.plans.add(past.clone());
        Ok(Some(past))
    }
}

fn read(back: &Back, version: &StoredVersion) -> Result<Option<Plans>, AccountsError> {
    let (texts, definition) = (version.texts(back)?, version.files.first());
    let texts = definition.zip(texts);
    Ok(texts.and_then(|(file, texts)| Definition::plans_of(Path::new(&file.name), &texts)))
}
