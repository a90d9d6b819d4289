//! What makes the profiles of keys, so that what was counted by other rules can be read: measures that both have stay as they are.
//!
//! Octets: the version, and the number of subjects; for each, its identity and the number of its measures; for each of these, its
//! identity, and what notes have of it.

use std::collections::HashMap;

use crate::definition::Subject;
use crate::notes::Input;
use crate::octets::{Cut, Reader, write_number};

/// The version of the octets.
const VERSION: u8 = 1;

/// The version of profiles and notes: a later one cannot read those of an earlier one.
const PROFILES: &str = "profiles 5";

/// A digest of what makes the keys of a subject, or the values of a measure.
pub(crate) type Identity = [u8; 8];

/// What makes the profiles of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) subjects: Vec<SubjectForm>,
}

/// What makes the profiles of the keys of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubjectForm {
    pub(crate) identity: Identity,
    pub(crate) measures: Vec<MeasureForm>,
}

/// What makes the values of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeasureForm {
    identity: Identity,
    /// What notes have of it.
    input: Input,
}

/// Why a description of a form cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormError {
    #[error(transparent)]
    Cut(#[from] Cut),
    #[error("a description of the form {0} is not known: a later version has written it")]
    Version(u8),
    #[error("a measure is noted in a form that is not known: {0}")]
    Input(u8),
}

fn identity<'t>(texts: impl IntoIterator<Item = &'t str>) -> Identity {
    let mut digest = blake3::Hasher::new();
    for text in texts {
        digest.update(&(text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    *digest.finalize().as_bytes().first_chunk().expect("a digest has 32 octets")
}

impl Form {
    /// Returns the form of subjects, all of whose values depend on what `common` says, too.
    pub(crate) fn of(subjects: &[Subject], common: &str) -> Self {
        let of_subject = |subject: &Subject| {
            let own = [common, subject.name.as_str(), subject.key.as_str()];
            let measures = subject.identities.iter().zip(subject.layout.measures());
            SubjectForm {
                identity: identity(own),
                measures: measures
                    .map(|(text, measure)| MeasureForm {
                        identity: identity(own.into_iter().chain([text.as_str()])),
                        input: Input::of(measure.kind),
                    })
                    .collect(),
            }
        };
        Form { subjects: subjects.iter().map(of_subject).collect() }
    }

    /// Returns the octets that describe it.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut octets = vec![VERSION];
        write_number(&mut octets, self.subjects.len() as u64);
        for SubjectForm { identity, measures } in &self.subjects {
            octets.extend_from_slice(identity);
            write_number(&mut octets, measures.len() as u64);
            for MeasureForm { identity, input } in measures {
                octets.extend_from_slice(identity);
                octets.push(*input as u8);
            }
        }
        octets
    }

    /// Reads the octets that describe a form.
    pub(crate) fn read(octets: &[u8]) -> Result<Self, FormError> {
        let mut reader = Reader(octets);
        match reader.array()? {
            [VERSION] => {}
            [other] => return Err(FormError::Version(other)),
        }
        let mut subjects = Vec::new();
        for _ in 0..reader.number()? {
            let identity = reader.array()?;
            let mut measures = Vec::new();
            for _ in 0..reader.number()? {
                let (identity, [input]) = (reader.array()?, reader.array()?);
                let input = Input::from_octet(input).ok_or(FormError::Input(input))?;
                measures.push(MeasureForm { identity, input });
            }
            subjects.push(SubjectForm { identity, measures });
        }
        Ok(Form { subjects })
    }

    /// Returns a text that is the same for the same form alone.
    pub(crate) fn name(&self) -> String {
        format!("{PROFILES} {}", blake3::hash(&self.write()).to_hex())
    }
}

/// Returns the places of measures.
fn places(of: &[MeasureForm]) -> HashMap<Identity, usize> {
    of.iter().enumerate().map(|(place, measure)| (measure.identity, place)).collect()
}

/// How profiles and notes of another form are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Translation {
    subjects: Vec<SubjectTranslation>,
}

/// How those of a subject are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubjectTranslation {
    /// The place that it has now, if it is still there.
    pub(crate) place: Option<usize>,
    /// For each measure that it had, the place that it has now, if it is still there; and what notes have of it.
    pub(crate) measures: Vec<(Option<usize>, Input)>,
    /// For each measure that it has now, the place that it had.
    pub(crate) from: Vec<Option<usize>>,
}

impl Translation {
    /// Returns how what was stored in one form is read in another.
    pub(crate) fn new(from: &Form, to: &Form) -> Self {
        let of_subject = |old: &SubjectForm| {
            let place = to.subjects.iter().position(|new| new.identity == old.identity);
            let new = place.map_or(&[][..], |place| &to.subjects[place].measures);
            let (in_old, in_new) = (places(&old.measures), places(new));
            let find = |of: &HashMap<Identity, usize>, measure: &MeasureForm| {
                of.get(&measure.identity).copied()
            };
            let of_old = |measure: &MeasureForm| (find(&in_new, measure), measure.input);
            SubjectTranslation {
                place,
                measures: old.measures.iter().map(of_old).collect(),
                from: new.iter().map(|measure| find(&in_old, measure)).collect(),
            }
        };
        Translation { subjects: from.subjects.iter().map(of_subject).collect() }
    }

    /// Returns whether anything that was counted still is.
    pub(crate) fn has_any(&self) -> bool {
        let mut places = self.subjects.iter().flat_map(|subject| &subject.measures);
        places.any(|(place, _)| place.is_some())
    }

    /// Returns how the subjects are read, in the order that they had.
    pub(crate) fn subjects(&self) -> &[SubjectTranslation] {
        &self.subjects
    }

    /// Returns the place that a measure had, by those that it and its subject have now.
    pub(crate) fn measure_from(&self, subject: usize, measure: usize) -> Option<(usize, usize)> {
        let old = self.subjects.iter().position(|of| of.place == Some(subject))?;
        Some((old, *self.subjects[old].from.get(measure)?.as_ref()?))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a form of subjects with measures, by numbers.
    pub(crate) fn form(subjects: &[(u8, &[u8])]) -> Form {
        let input = |number: u8| if number > 9 { Input::One } else { Input::Number };
        let measure = |number: &u8| MeasureForm { identity: [*number; 8], input: input(*number) };
        let subject = |(number, measures): &(u8, &[u8])| SubjectForm {
            identity: [*number; 8],
            measures: measures.iter().map(measure).collect(),
        };
        Form { subjects: subjects.iter().map(subject).collect() }
    }

    #[test]
    fn a_description_is_read_as_it_was_written_and_no_part_of_one_is() {
        let form = form(&[(1, &[3, 12]), (2, &[])]);
        let octets = form.write();
        assert_eq!(Form::read(&octets), Ok(form));
        for end in 0..octets.len() {
            assert!(Form::read(&octets[..end]).is_err(), "{end}");
        }
        let later = [&[VERSION + 1], &octets[1..]].concat();
        assert_eq!(Form::read(&later), Err(FormError::Version(VERSION + 1)));
    }

    #[test]
    fn measures_are_found_at_their_new_places() {
        let (old, new) = (form(&[(1, &[3, 4]), (2, &[5])]), form(&[(2, &[6, 5]), (3, &[3])]));
        let translation = Translation::new(&old, &new);
        assert!(translation.has_any());
        let gone = &translation.subjects()[0];
        assert_eq!((gone.place, gone.measures.as_slice()), (None, &[(None, Input::Number); 2][..]));
        let stays = &translation.subjects()[1];
        assert_eq!(stays.place, Some(0));
        assert_eq!(stays.measures, [(Some(1), Input::Number)]);
        assert_eq!(stays.from, [None, Some(0)]);
        assert_eq!(translation.measure_from(0, 1), Some((1, 0)));
        assert_eq!(translation.measure_from(0, 0), None);
        assert!(!Translation::new(&old, &form(&[(9, &[3])])).has_any());
    }
}
