//! Since when measures count. A measure that is added to others knows nothing of what was before.
//!
//! A condition over measures that began at different times would compare a day of one with an hour of another: a rule is judged once its
//! newer measures know their whole window.

use measures::{Kind, Seconds};

use crate::definition::{Rule, Subject};
use crate::form::{Form, Translation};
use crate::octets::{Cut, Reader, write_number};

/// Since when measures count, by their subjects and places: 0 since the node began to count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Since(Vec<Vec<Seconds>>);

impl Since {
    pub(crate) fn of(form: &Form) -> Self {
        Since(form.subjects.iter().map(|subject| vec![0; subject.measures.len()]).collect())
    }

    /// Notes that what was read until a time, by a translation, has not counted for the measures that are new.
    pub(crate) fn begin(&mut self, translation: &Translation, time: Seconds) {
        for (subject, measures) in self.0.iter_mut().enumerate() {
            for (measure, since) in measures.iter_mut().enumerate() {
                if translation.measure_from(subject, measure).is_none() {
                    *since = (*since).max(time.saturating_add(1));
                }
            }
        }
    }

    /// Appends it.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        self.0.iter().flatten().for_each(|since| write_number(to, (*since).into()));
    }

    /// Takes over what is stored, by a translation if that was in another form.
    pub(crate) fn read(
        &mut self,
        reader: &mut Reader<'_>,
        translation: Option<&Translation>,
    ) -> Result<(), Cut> {
        let mut next = || Seconds::try_from(reader.number()?).map_err(|_| Cut);
        let mut read = |count: usize| (0..count).map(|_| next()).collect::<Result<Vec<_>, Cut>>();
        let Some(translation) = translation else {
            for measures in &mut self.0 {
                let stored = read(measures.len())?;
                for (own, stored) in measures.iter_mut().zip(stored) {
                    *own = (*own).max(stored);
                }
            }
            return Ok(());
        };
        for old in translation.subjects() {
            let stored = read(old.measures.len())?;
            for ((place, _), stored) in old.measures.iter().zip(stored) {
                if let (Some(subject), Some(measure)) = (old.place, place) {
                    let own = &mut self.0[subject][*measure];
                    *own = (*own).max(stored);
                }
            }
        }
        Ok(())
    }

    /// Returns from when on a rule of a subject is judged: 0 if all of its measures began together.
    pub(crate) fn judged_from(&self, (place, subject): (usize, &Subject), rule: &Rule) -> Seconds {
        let (since, measures) = (&self.0[place], subject.layout.measures());
        let read = rule.condition.measures(measures.len());
        // These are absent until they are known.
        let counts = |place: &usize| {
            !matches!(measures[*place].kind, Kind::Usual | Kind::Deviation | Kind::Last)
        };
        let read: Vec<usize> = read.into_iter().filter(counts).collect();
        let is_together = read.windows(2).all(|pair| since[pair[0]] == since[pair[1]]);
        // What was the first event is not known before the whole of its time is.
        let waits_for = |place: &&usize| !is_together || measures[**place].kind == Kind::First;
        let new = read.iter().filter(|place| since[**place] > 0).filter(waits_for);
        let whole =
            new.map(|place| since[*place].saturating_add(measures[*place].window.seconds()));
        whole.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::tests::form;

    #[test]
    fn new_measures_begin_when_the_others_are_read_and_stay_so() {
        let (old, new) = (form(&[(1, &[3, 4]), (2, &[5])]), form(&[(2, &[6, 5]), (3, &[3])]));
        let translation = Translation::new(&old, &new);
        let mut stored = Vec::new();
        let mut before = Since::of(&old);
        before.0[1][0] = 7;
        before.write(&mut stored);
        let mut since = Since::of(&new);
        since.read(&mut Reader(&stored), Some(&translation)).unwrap();
        since.begin(&translation, 50);
        assert_eq!(since.0, [vec![51, 7], vec![51]]);
        let mut stored = Vec::new();
        since.write(&mut stored);
        let mut again = Since::of(&new);
        again.read(&mut Reader(&stored), None).unwrap();
        assert_eq!(again, since);
        assert!(again.read(&mut Reader(&stored[1..]), None).is_err());
    }
}
