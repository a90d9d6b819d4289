//! Which rules were alerted about a key.

use measures::Seconds;

/// The rules that were alerted, by their numbers, and until when they are not again. Of most keys there are none: that takes one word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alerted(Option<Box<Rules>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rules(Vec<(u32, Seconds)>);

impl Alerted {
    /// Returns the rules, each with its time.
    pub(crate) fn rules(&self) -> &[(u32, Seconds)] {
        self.0.as_ref().map_or(&[], |rules| &rules.0)
    }

    /// Returns whether a rule is not alerted again at a time.
    pub(crate) fn holds(&self, rule: u32, time: Seconds) -> bool {
        self.rules().iter().any(|(known, until)| *known == rule && time < *until)
    }

    /// Notes that a rule was alerted, and until when it is not again.
    pub(crate) fn note(&mut self, rule: u32, until: Seconds) {
        let Rules(rules) = &mut **self.0.get_or_insert_with(|| Box::new(Rules(Vec::new())));
        match rules.iter_mut().find(|(known, _)| *known == rule) {
            Some(known) => known.1 = until,
            None => rules.push((rule, until)),
        }
    }

    /// Returns the octets of memory that it uses, besides its own.
    pub(crate) fn octets(&self) -> usize {
        let of_rules =
            |rules: &Rules| size_of::<Rules>() + rules.0.capacity() * size_of::<(u32, Seconds)>();
        self.0.as_deref().map_or(0, of_rules)
    }
}

impl FromIterator<(u32, Seconds)> for Alerted {
    fn from_iter<I: IntoIterator<Item = (u32, Seconds)>>(rules: I) -> Self {
        let rules: Vec<_> = rules.into_iter().collect();
        Alerted((!rules.is_empty()).then(|| Box::new(Rules(rules))))
    }
}
