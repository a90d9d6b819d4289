//! What is different between two texts of a list, and the edit that makes one of the other.

use std::collections::HashMap;

use crate::edit::Edit;
use crate::entry::{Column, Entry};
use crate::table::Table;

/// What is different between a list and a new text of it. Entries belong together by their keys; a key may have several.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// The entries of keys that only the new text has.
    pub added: Vec<Entry>,
    /// The entries of keys that only the list has.
    pub removed: Vec<Entry>,
    /// The keys whose entries are others.
    pub changed: Vec<ChangedKey>,
    /// What makes the new entries of the list.
    pub edit: Edit,
}

/// A key whose entries are others.
#[derive(Clone, Debug)]
pub struct ChangedKey {
    /// The entries of the list.
    pub before: Vec<Entry>,
    /// The new entries.
    pub after: Vec<Entry>,
}

impl Difference {
    /// Compares a list with a new text. A column that the new text does not have is not compared: an entry that stays has what it
    /// had there, and a new one has that of `otherwise`, if the list has the column.
    pub fn between(list: &Table, new: &Table, otherwise: &Entry) -> Self {
        let (before, after) = (by_key(list), by_key(new));
        let mut difference = Difference::default();
        for (key, places) in before.iter().filter(|(key, _)| !after.contains(key)) {
            difference.removed.extend(before.entries(list, key));
            difference.edit.rows.extend(places.iter().map(|place| (*place, None)));
        }
        let absent: Vec<Column> =
            Column::ALL.into_iter().filter(|column| !new.columns().contains(column)).collect();
        for (key, places) in after.iter() {
            let old = before.places(key);
            let with_rest = |(number, place): (usize, &usize)| {
                let mut entry = new.rows()[*place].entry.clone();
                let rest = old.get(number).map_or(otherwise, |old| &list.rows()[*old].entry);
                let has = |column: &&Column| list.columns().contains(column);
                for column in absent.iter().filter(has) {
                    *entry.cell_mut(*column) = rest.cell(*column).to_owned();
                }
                entry
            };
            let entries: Vec<Entry> = places.iter().enumerate().map(with_rest).collect();
            let known: Vec<Entry> = before.entries(list, key).collect();
            if entries == known {
                continue;
            }
            let Edit { rows, added } = &mut difference.edit;
            for (number, place) in old.iter().enumerate() {
                rows.insert(*place, entries.get(number).cloned());
            }
            added.extend(entries.iter().skip(old.len()).cloned());
            match known.is_empty() {
                true => difference.added.extend(entries),
                false => difference.changed.push(ChangedKey { before: known, after: entries }),
            }
        }
        difference
    }
}

/// The places of the rows of each key, in the order in which the keys first stand in the list.
struct ByKey<'t> {
    places: HashMap<&'t str, Vec<usize>>,
    order: Vec<&'t str>,
}

fn by_key(table: &Table) -> ByKey<'_> {
    let mut by_key = ByKey { places: HashMap::new(), order: Vec::new() };
    for (place, row) in table.rows().iter().enumerate() {
        let key = row.entry.key.as_str();
        let places = by_key.places.entry(key).or_default();
        if places.is_empty() {
            by_key.order.push(key);
        }
        places.push(place);
    }
    by_key
}

impl<'t> ByKey<'t> {
    fn contains(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    fn places(&self, key: &str) -> &[usize] {
        self.places.get(key).map_or(&[], Vec::as_slice)
    }

    fn entries<'s>(&'s self, table: &'s Table, key: &str) -> impl Iterator<Item = Entry> + 's {
        self.places(key).iter().map(|place| table.rows()[*place].entry.clone())
    }

    fn iter(&self) -> impl Iterator<Item = (&'t str, &[usize])> {
        self.order.iter().map(|key| (*key, self.places(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::table;

    fn check(
        list: &str,
        new: &str,
        (added, removed, changed): (&[&str], &[&str], &[&str]),
        after: &str,
    ) {
        let (list, new) = (table(list), table(new));
        let otherwise = Entry { source: "import".into(), ..Entry::default() };
        let found = Difference::between(&list, &new, &otherwise);
        let keys = |entries: &[Entry]| entries.iter().map(|of| of.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&found.added), added);
        assert_eq!(keys(&found.removed), removed);
        let of_changed: Vec<_> = found.changed.iter().map(|of| of.before[0].key.clone()).collect();
        assert_eq!(of_changed, changed);
        assert_eq!(found.edit.apply(&list), after);
    }

    #[test]
    fn the_new_entries_take_their_places_and_notes_stay() {
        check(
            "# ours\nkey,until,who\n1,,anna\n# the second\n2,,anna\n3,2026-01-01,anna\n",
            "key,until,who\n3,2027-01-01,anna\n4,,bert\n1,,anna\n",
            (&["4"], &["2"], &["3"]),
            "# ours\nkey,until,who\n1,,anna\n# the second\n3,2027-01-01,anna\n4,,bert\n",
        );
    }

    #[test]
    fn a_column_that_the_new_text_does_not_have_is_not_compared() {
        check(
            "key,until,source\n1,2026-01-01,support\n",
            "key\n1\n2\n",
            (&["2"], &[], &[]),
            "key,until,source\n1,2026-01-01,support\n2,,import\n",
        );
    }

    #[test]
    fn a_key_may_have_several_entries() {
        check(
            "key,from,until\n1,,2026-01-01\n1,2026-06-01,\n2,,\n",
            "key,from,until\n1,,2026-02-01\n2,,\n2,,\n",
            (&[], &[], &["1", "2"]),
            "key,from,until\n1,,2026-02-01\n2,,\n2,,\n",
        );
        check("key\n1\n2\n", "key\n2\n1\n", (&[], &[], &[]), "key\n1\n2\n");
    }
}
