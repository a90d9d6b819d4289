//! Sums of a job's records and of the groups it released, for the audit of a node: what came, plus what waited before,
//! equals what went on, waits, or was given up.
//!
//! Records are summed when they come to wait. So what a group becomes is compared with the sums of its original
//! records, even if they decode differently later or a script leaves one out.

use std::collections::BTreeMap;

use journal::JobId;
use node::{ChangedGroup, Release, Sum, Summed};
use store::{Answer, Connection, Row, params};

use assurance::control_totals::AmountRow;

/// The names of the sides; the first two are inputs.
const SIDES: [&str; 7] = ["came", "waited", "emitted", "kept", "dropped", "aside", "changed"];
const CAME: usize = 0;
const WAITED: usize = 1;
const EMITTED: usize = 2;
const KEPT: usize = 3;
const DROPPED: usize = 4;
const ASIDE: usize = 5;
/// Sums of waiting records whose definition the flow has removed or changed: they are not compared with what the group
/// becomes.
const CHANGED: usize = 6;

/// The sums of a job in a node.
pub(super) struct Sums<'n> {
    db: &'n Connection,
    of: &'n [Sum],
    /// The amounts, by sum and side.
    sides: Vec<[Summed; SIDES.len()]>,
    /// Sums that the flow no longer has, with the amounts that waited.
    gone: BTreeMap<String, Summed>,
    /// Whether any group that waits has sums.
    is_any: bool,
}

impl<'n> Sums<'n> {
    pub(super) fn new(db: &'n Connection, of: &'n [Sum]) -> Answer<Self> {
        let is_any = db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM held_sum)")?
            .query_row([], |row| row.get(0))?;
        let sides = vec![Default::default(); of.len()];
        Ok(Sums { db, of, sides, gone: BTreeMap::new(), is_any })
    }

    /// Adds the group with this number. A group that began before the flow had a sum is not checked against it.
    pub(super) fn add(&mut self, id: i64, group: &ChangedGroup) -> Answer<()> {
        let waited = match group.id {
            Some(_) if self.is_any => waited(self.db, id)?,
            _ => Vec::new(),
        };
        match group.released {
            Some(_) => waited.iter().for_each(|(sum, waited)| self.end_changed(sum, *waited)),
            None if group.came.is_empty() => {}
            None => waited.iter().try_for_each(|(sum, _)| self.leave_out(id, sum))?,
        }
        for (place, sum) in self.of.iter().enumerate() {
            let waited = match group.id {
                None => Some(Summed::default()),
                Some(_) => waited.iter().find(|(of, _)| of == sum).map(|(_, waited)| *waited),
            };
            let Some(waited) = waited else { continue };
            let mut came = Summed::default();
            group.came.iter().for_each(|part| came.add(part.values[place]));
            let mut all = waited;
            all += came;
            let went = match &group.released {
                None => (KEPT, came),
                Some(Release::Complete | Release::Expired) => (EMITTED, group.emitted[place]),
                Some(Release::Dropped) => (DROPPED, all),
                Some(Release::Suspended(_)) => (ASIDE, all),
            };
            let before = match group.released {
                None => {
                    keep(self.db, id, sum, came)?;
                    Summed::default()
                }
                Some(_) => waited,
            };
            for (side, of) in [(CAME, came), (WAITED, before), went] {
                self.sides[place][side] += of;
            }
        }
        Ok(())
    }

    /// Marks a waiting group's sum as unknown: records came after the flow removed or changed that sum. The empty text
    /// matches no sum that the flow may have later.
    fn leave_out(&self, group: i64, sum: &Sum) -> Answer<()> {
        if self.of.contains(sum) {
            return Ok(());
        }
        self.db
            .prepare_cached("UPDATE held_sum SET text = '' WHERE in_group = ? AND name = ?")?
            .execute(params![group, sum.name])
            .map(drop)
    }

    /// Counts a sum of a group that ended, if the flow no longer has that sum or defines it otherwise.
    fn end_changed(&mut self, sum: &Sum, waited: Summed) {
        match self.of.iter().position(|of| of.name == sum.name) {
            Some(place) if self.of[place] == *sum => {}
            Some(place) => {
                self.sides[place][WAITED] += waited;
                self.sides[place][CHANGED] += waited;
            }
            None => *self.gone.entry(sum.name.clone()).or_default() += waited,
        }
    }

    /// Notes the sums with the job.
    pub(super) fn note(self, entry: JobId, node: &str) -> Answer<()> {
        for (Sum { name, .. }, sides) in self.of.iter().zip(self.sides) {
            for (side, of) in SIDES.iter().zip(sides).filter(|(_, of)| *of != Summed::default()) {
                AmountRow::new(node, side, name, of).insert(self.db, entry)?;
            }
        }
        for (name, of) in &self.gone {
            for side in [WAITED, CHANGED] {
                AmountRow::new(node, SIDES[side], name, *of).insert(self.db, entry)?;
            }
        }
        Ok(())
    }
}

/// Returns the sums of the records that wait in a group.
fn waited(db: &Connection, group: i64) -> Answer<Vec<(Sum, Summed)>> {
    let mut select = db
        .prepare_cached("SELECT name, text, high, low, records FROM held_sum WHERE in_group = ?")?;
    let summed = |row: &Row<'_>| {
        let (high, low): (i64, i64) = (row.get(2)?, row.get(3)?);
        let sum = (i128::from(high) << 32) + i128::from(low);
        let records = row.get::<_, i64>(4)? as u64;
        Ok((Sum { name: row.get(0)?, text: row.get(1)? }, Summed { sum, records }))
    };
    select.query_map([group], summed)?.collect()
}

fn keep(db: &Connection, group: i64, Sum { name, text }: &Sum, came: Summed) -> Answer<()> {
    const LOW: i128 = 0xffff_ffff;
    let Summed { sum, records } = came;
    db.prepare_cached(
        "INSERT INTO held_sum (in_group, name, text, high, low, records) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low,
             records = records + excluded.records",
    )?
    .execute(params![group, name, text, (sum >> 32) as i64, (sum & LOW) as i64, records as i64])
    .map(drop)
}
