//! Changes of entries within the text of a list. All that they are not about stays, octet for octet.

use std::collections::BTreeMap;

use crate::entry::{Column, Entry};
use crate::table::Table;

/// What becomes of the entries of a list.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// By the place of a row: the entry that replaces it, or none.
    pub rows: BTreeMap<usize, Option<Entry>>,
    /// Entries that are added at the end.
    pub added: Vec<Entry>,
}

impl Edit {
    /// Returns the edit that removes the rows of which something is true.
    pub fn removing(table: &Table, is_removed: impl Fn(&Entry) -> bool) -> Self {
        let rows = table.rows().iter().enumerate();
        let removed = rows.filter(|(_, row)| is_removed(&row.entry));
        Edit { rows: removed.map(|(place, _)| (place, None)).collect(), added: Vec::new() }
    }

    /// Returns the edit that adds an entry.
    pub fn adding(entry: Entry) -> Self {
        Edit { rows: BTreeMap::new(), added: vec![entry] }
    }

    /// Returns whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.added.is_empty()
    }

    /// Returns the text of a list with the changes. A column that an entry needs and the list does not have is added.
    pub fn apply(&self, table: &Table) -> String {
        let written = || self.rows.values().flatten().chain(&self.added);
        let is_missing = |column: &Column| {
            !table.columns.contains(column)
                && written().any(|entry| !entry.cell(*column).is_empty())
        };
        let more: Vec<Column> = Column::ALL.into_iter().filter(is_missing).collect();
        let separator = table.separator;
        let columns = [&table.columns[..], &more].concat();
        let line = |entry: &Entry| {
            let cells = columns.iter().map(|column| quoted(entry.cell(*column), separator));
            cells.collect::<Vec<_>>().join(&separator.to_string())
        };
        let text = table.text();
        let names = more.iter().map(|column| format!("{separator}{}", column.name()));
        let mut to = text[..table.header.content.end].to_owned();
        to.extend(names);
        let mut at = table.header.content.end;
        for (place, row) in table.rows().iter().enumerate() {
            match self.rows.get(&place) {
                None => {
                    to.push_str(&text[at..row.place.content.end]);
                    to.extend(more.iter().map(|_| separator));
                    at = row.place.content.end;
                }
                Some(None) => {
                    to.push_str(&text[at..row.place.content.start]);
                    at = row.place.next;
                }
                Some(Some(entry)) => {
                    to.push_str(&text[at..row.place.content.start]);
                    to.push_str(&line(entry));
                    at = row.place.content.end;
                }
            }
        }
        to.push_str(&text[at..]);
        let line_end = match &text[table.header.content.end..table.header.next] {
            "" => "\n",
            line_end => line_end,
        };
        if !self.added.is_empty() && !to.ends_with(['\n', '\r']) {
            to.push_str(line_end);
        }
        for entry in &self.added {
            to.push_str(&line(entry));
            to.push_str(line_end);
        }
        to
    }
}

/// Returns a value as a cell (RFC 4180, section 2). A `#` at the begin of a line would make a note of it.
fn quoted(value: &str, separator: char) -> String {
    match value.contains([separator, ',', ';', '"', '\n', '\r']) || value.starts_with('#') {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::table;

    fn entry(key: &str, because: &str) -> Entry {
        Entry { key: key.into(), because: because.into(), ..Entry::default() }
    }

    fn check(before: &str, edit: impl FnOnce(&Table) -> Edit, after: &str) {
        let before = table(before);
        let text = edit(&before).apply(&before);
        assert_eq!(text, after);
        table(&text);
    }

    #[test]
    fn a_removed_row_leaves_the_others_as_they_are_written() {
        check(
            "# ours\nkey , because\n  1 ,one\n# note\n2,\"two\nlines\"\n\n3 , three",
            |list| Edit::removing(list, |entry| entry.key == "2"),
            "# ours\nkey , because\n  1 ,one\n# note\n\n3 , three",
        );
        check("key\n1\n2", |list| Edit::removing(list, |entry| entry.key == "2"), "key\n1\n");
    }

    #[test]
    fn an_added_row_has_the_separator_and_the_line_end_of_the_list() {
        let add = |_: &Table| Edit::adding(entry("2", "a;b"));
        check("key;because\r\n1;one", add, "key;because\r\n1;one\r\n2;\"a;b\"\r\n");
        check(
            "because,key",
            |_| Edit::adding(entry("2", "say \"no\"")),
            "because,key\n\"say \"\"no\"\"\",2\n",
        );
        check("key\r1\r", |_| Edit::adding(entry("2", "")), "key\r1\r2\r");
    }

    #[test]
    fn a_key_that_looks_like_a_note_is_none() {
        let before = table("key\n1\n");
        let text = Edit::adding(entry("#31#", "")).apply(&before);
        assert_eq!(table(&text).rows()[1].entry.key, "#31#");
    }

    #[test]
    fn a_column_that_is_missing_is_added() {
        check(
            "# numbers\nkey\n1\n# more\n2\n",
            |_| Edit::adding(entry("3", "three")),
            "# numbers\nkey,because\n1,\n# more\n2,\n3,three\n",
        );
    }

    #[test]
    fn a_replaced_row_stands_where_it_was() {
        check(
            "key,because\n1,one\n2,two\n",
            |_| Edit { rows: [(0, Some(entry("1", "first")))].into(), added: Vec::new() },
            "key,because\n1,first\n2,two\n",
        );
    }
}
