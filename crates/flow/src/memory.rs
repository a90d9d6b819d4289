//! What nodes remember from file to file: noted in the journal with each file, and taken from there at the start.

use node::{HeldChanges, Noted};
use store::{Answer, Connection, StoreError, params};

use crate::held;
use crate::journal::{Entry, Journal};
use crate::prepare::Prepared;
use crate::time::{at_ms, now_ms};

/// What a node noted of a job's records.
pub(crate) struct NotedBy<'p> {
    pub(crate) node: &'p str,
    pub(crate) form: String,
    pub(crate) noted: Box<dyn Noted>,
}

/// The same, on its way into the journal.
#[derive(Debug)]
pub(crate) struct NotedRow {
    node: String,
    form: String,
    octets: Vec<u8>,
    held: Option<HeldChanges>,
}

impl NotedBy<'_> {
    /// What is to be noted with the job, if anything is. It is asked once.
    pub(crate) fn row(&mut self) -> Option<NotedRow> {
        let held = self.noted.held();
        let octets = self.noted.octets();
        let is_any = !octets.is_empty() || held.is_some();
        let (node, form) = (self.node.to_owned(), self.form.clone());
        is_any.then(|| NotedRow { node, form, octets: octets.into(), held })
    }
}

impl NotedRow {
    pub(crate) fn insert(&self, db: &Connection, entry: Entry) -> Answer<()> {
        let NotedRow { node, form, octets, held } = self;
        if let Some(changes) = held {
            held::note(db, entry, node, changes)?;
        }
        if octets.is_empty() {
            return Ok(());
        }
        let Entry(file) = entry;
        let insert = "INSERT INTO noted (file, node, form, octets) VALUES (?, ?, ?, ?)";
        db.prepare_cached(insert)?.execute(params![file, node, form, octets]).map(drop)
    }
}

/// Gives the nodes of a flow what they noted before. Returns what a user should know.
pub(crate) fn restore(flow: &Prepared, journal: &Journal) -> Result<Vec<String>, StoreError> {
    let reader = journal.reader()?;
    let mut told = Vec::new();
    for node in flow.graph.nodes.iter() {
        let Some(remembers) = node.template.remembers() else { continue };
        let form = remembers.form();
        let since = now_ms() - remembers.window().as_millis() as i64;
        let mut others = 0;
        let mut restored = || -> Answer<()> {
            let mut select = reader.prepare(
                "SELECT done_ms, form, octets FROM noted JOIN file ON file.id = noted.file
                 WHERE node = ? AND done_ms >= ? ORDER BY done_ms, file.id",
            )?;
            let mut rows = select.query(params![node.name, since])?;
            while let Some(row) = rows.next()? {
                if row.get_ref(1)?.as_str()? != form {
                    others += 1;
                    continue;
                }
                let octets = row.get_ref(2)?.as_blob()?;
                if let Err(problem) = remembers.restore(at_ms(row.get(0)?), octets) {
                    told.push(format!("\"{}\" cannot read what it noted: {problem}", node.name));
                }
            }
            Ok(())
        };
        journal.answer(restored())?;
        if others > 0 {
            told.push(format!(
                "\"{}\" was made of something else when it noted the records of {}: it knows \
                 nothing of those",
                node.name,
                diagnostics::counted(others, "file")
            ));
        }
    }
    Ok(told)
}

/// Forgets what is older than the windows of the flow's nodes; of nodes that are no more, all of it.
pub(crate) fn forget(flow: &Prepared, journal: &Journal) {
    let now = journal.now_ms();
    let nodes = flow.graph.nodes.iter();
    let windows: Vec<(String, i64)> = nodes
        .filter_map(|node| {
            let remembers = node.template.remembers()?;
            remembers.forget(at_ms(now));
            let since = now - remembers.window().as_millis() as i64;
            Some((node.name.clone(), since))
        })
        .collect();
    journal.later(move |db| {
        // Files are numbered in the order in which they were done.
        let delete = "DELETE FROM noted WHERE node = ?1 AND file <
                      (SELECT id FROM file WHERE done_ms >= ?2 ORDER BY done_ms LIMIT 1)";
        let mut delete = db.prepare_cached(delete)?;
        windows.iter().try_for_each(|(node, since)| delete.execute(params![node, since]).map(drop))
    });
}
