//! The ends of hours and days of the clock, at which rules are judged for all keys: without a record.

use measures::Seconds;
use node::KeyDigest;

use crate::definition::Rules;
use crate::judging::{Fired, Judged, Judging};
use crate::profiles::Profiles;

/// A rule that fires about a key at the end of an hour or a day.
pub(crate) struct FiredAtEnd<'r> {
    pub(crate) digest: KeyDigest,
    pub(crate) key: Box<[u8]>,
    pub(crate) fired: Fired<'r>,
}

impl FiredAtEnd<'_> {
    fn order(&self) -> (Seconds, &str, &[u8]) {
        (self.fired.at, &self.fired.subject.name, &self.key)
    }
}

/// Returns the first time that ends an hour or a day of rules after a time, if there are such rules.
pub(crate) fn next_end(rules: &Rules, after: Seconds) -> Option<Seconds> {
    let periods = rules.subjects.iter().flat_map(|subject| subject.periods());
    periods.filter_map(|length| ends_of(rules, length, (after, Seconds::MAX)).next()).min()
}

/// Returns the times in order, behind one and until another one, at which an hour or a day of so many seconds is over.
fn ends_of(
    rules: &Rules,
    length: Seconds,
    (after, until): (Seconds, Seconds),
) -> impl Iterator<Item = Seconds> {
    let next = move |from: &Seconds| {
        let step = i64::from(rules.moment(*from).local / length);
        let over = rules.clock.reaches((step + 1) * i64::from(length), (*from).into());
        Seconds::try_from(over).ok().filter(|over| *over <= until)
    };
    std::iter::successors(next(&after), next)
}

/// Ends that are longer ago are not judged: a wrong time of a first record would make rules judge decades.
const BACK_MAX: Seconds = 35 * 86_400;

/// Judges the rules of all hours and days that are over after a time and until another one, by the profiles of before. The result is in
/// the order of ends, keys and rules, whatever order profiles are in.
pub(crate) fn judge<'r>(
    rules: &'r Rules,
    (after, until): (Seconds, Seconds),
    profiles: &Profiles,
    judging: &mut Judging,
) -> Vec<FiredAtEnd<'r>> {
    let after = after.max(until.saturating_sub(BACK_MAX));
    let mut all = Vec::new();
    for (place, subject) in rules.subjects.iter().enumerate() {
        for length in subject.periods() {
            let ends: Vec<Seconds> = ends_of(rules, length, (after, until)).collect();
            if ends.is_empty() {
                continue;
            }
            let longest = subject.layout.longest();
            for (digest, key, profile) in
                profiles.named().filter(|(_, _, of)| of.subject as usize == place)
            {
                let mut alerted = profile.alerted.clone();
                let counts = |end: &&Seconds| profile.measures_until(longest) >= **end - 1;
                for end in ends.iter().take_while(counts) {
                    let judged = Judged {
                        subject: place,
                        key,
                        filters: &[],
                        of_record: &[],
                        measures: &profile.measures,
                        alerted: &mut alerted,
                    };
                    // The last second is of the hour that is over.
                    judging.judge_end(rules, (end - 1, length), judged, |fired| {
                        all.push(FiredAtEnd { digest: *digest, key: key.into(), fired });
                    });
                }
            }
        }
    }
    all.sort_by(|one, other| one.order().cmp(&other.order()));
    all
}
