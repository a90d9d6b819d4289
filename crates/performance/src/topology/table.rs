//! The table of a topology: `object,parent,kind`, in any order of rows.
//!
//! An object without a parent is a root, and each parent has a row of its own: otherwise, a parent that is misspelt would cut a part
//! of the network off. The parents of all objects of a kind are of one kind, so that each cell has a site.

use std::collections::HashMap;
use std::sync::Arc;

use cells::{Cell, Table};
use diagnostics::{Diagnostic, Source, Span, did_you_mean};

use super::{KindId, ObjectId, Topology, TopologyFull};

/// Mistakes with a name that may be meant, at most: to find one is slow, and a table that has so many is wrong as a whole.
const HINTS_MAX: usize = 100;

/// Objects of a circle that are named, at most.
const NAMED_MAX: usize = 8;

impl Topology {
    /// Reads a table with the columns `object`, `parent` and `kind`.
    ///
    /// # Errors
    ///
    /// All mistakes, with their places.
    pub fn read(source: &Arc<Source>) -> Result<Topology, Vec<Diagnostic>> {
        let mut reading = Reading {
            source,
            topology: Topology::default(),
            rows: Vec::new(),
            order: Vec::new(),
            mistakes: Vec::new(),
        };
        reading.read();
        reading.check_parents();
        reading.check_kinds();
        reading.check_circles();
        let Reading { mut topology, rows, order, mut mistakes, .. } = reading;
        if !mistakes.is_empty() {
            mistakes.sort_by_key(|mistake| mistake.span.start);
            return Err(mistakes);
        }
        for object in order {
            if let Some(parent) = rows[object.index()].parent {
                topology.link(object, parent);
            }
        }
        Ok(topology)
    }
}

/// The row of an object. A name that only parents have has none.
#[derive(Clone, Copy, Default)]
struct Row {
    object: Option<Span>,
    parent: Option<ObjectId>,
    parent_span: Span,
}

struct Reading<'r> {
    source: &'r Arc<Source>,
    topology: Topology,
    /// The row of each object.
    rows: Vec<Row>,
    /// The objects, in the order of their rows.
    order: Vec<ObjectId>,
    mistakes: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn read(&mut self) {
        let columns = ["object", "parent", "kind"];
        let Some(mut table) = Table::open(self.source, columns, &mut self.mistakes) else { return };
        while let Some(row) = table.next(&mut self.mistakes) {
            if let Err(full) = self.row(&row.cells) {
                self.wrong(row.cells[0].span, full.to_string(), None);
                return;
            }
        }
    }

    fn row(&mut self, [object, parent, kind]: &[Cell<'_>; 3]) -> Result<(), TopologyFull> {
        for (cell, what) in [(object, "a name"), (kind, "a kind")] {
            if cell.text.is_empty() {
                self.wrong(cell.span, format!("an object has {what}"), None);
            }
        }
        if object.text.is_empty() {
            return Ok(());
        }
        let id = self.intern(&object.text)?;
        if let Some(first) = self.rows[id.index()].object {
            let hint = format!("it is on line {} too", self.source.line_of(first.start));
            self.wrong(object.span, format!("\"{}\" stands there twice", object.text), Some(hint));
            return Ok(());
        }
        let above = match parent.text.is_empty() {
            true => None,
            false => Some(self.intern(&parent.text)?),
        };
        self.topology.kinds[id.index()] = self.topology.intern_kind(&kind.text)?;
        self.rows[id.index()] =
            Row { object: Some(object.span), parent: above, parent_span: parent.span };
        self.order.push(id);
        Ok(())
    }

    fn intern(&mut self, name: &str) -> Result<ObjectId, TopologyFull> {
        let object = self.topology.intern(name)?;
        if object.index() == self.rows.len() {
            self.rows.push(Row::default());
        }
        Ok(object)
    }

    fn parent(&self, object: ObjectId) -> Option<ObjectId> {
        self.rows[object.index()].parent
    }

    fn has_row(&self, object: ObjectId) -> bool {
        self.rows[object.index()].object.is_some()
    }

    /// Each parent has a row.
    fn check_parents(&mut self) {
        let mut mistakes = Vec::new();
        for object in &self.order {
            let row = self.rows[object.index()];
            let Some(parent) = row.parent.filter(|parent| !self.has_row(*parent)) else { continue };
            let name = self.topology.name(parent);
            let names = || self.order.iter().map(|known| self.topology.name(*known));
            let meant = (mistakes.len() < HINTS_MAX).then(|| did_you_mean(name, names())).flatten();
            let hint = meant
                .unwrap_or_else(|| "add a row for it, with no parent if it has none".to_owned());
            let message = format!("no row is about the parent \"{name}\"");
            mistakes.push(Diagnostic::error(self.source, row.parent_span, message).hint(hint));
        }
        self.mistakes.append(&mut mistakes);
    }

    /// The parents of a kind are of one kind, which is that of its first row with a parent.
    fn check_kinds(&mut self) {
        let mut mistakes = Vec::new();
        let mut known: HashMap<KindId, (KindId, Span)> = HashMap::new();
        for object in &self.order {
            let row = self.rows[object.index()];
            let Some(parent) = row.parent.filter(|parent| self.has_row(*parent)) else { continue };
            let (own, found) = (self.topology.kind(*object), self.topology.kind(parent));
            let (expected, first) = *known.entry(own).or_insert((found, row.parent_span));
            if found == expected {
                continue;
            }
            let [own, found, expected] =
                [own, found, expected].map(|kind| self.topology.kind_name(kind));
            let name = self.topology.name(parent);
            let message =
                format!("\"{name}\" is a {found}, and the parent of a {own} is a {expected}");
            let hint = format!("as on line {}", self.source.line_of(first.start));
            mistakes.push(Diagnostic::error(self.source, row.parent_span, message).hint(hint));
        }
        self.mistakes.append(&mut mistakes);
    }

    /// No object is above itself. Each circle is one mistake, at its first row.
    fn check_circles(&mut self) {
        let mut mistakes = Vec::new();
        // The walk that came by an object first, from 1.
        let mut walks = vec![0u32; self.rows.len()];
        for (walk, start) in (1..).zip(&self.order) {
            let mut at = Some(*start);
            while let Some(object) = at.filter(|object| walks[object.index()] == 0) {
                walks[object.index()] = walk;
                at = self.parent(object);
            }
            if let Some(object) = at.filter(|object| walks[object.index()] == walk) {
                mistakes.push(self.circle(object));
            }
        }
        self.mistakes.append(&mut mistakes);
    }

    /// Returns the mistake of a circle that an object is part of.
    fn circle(&self, object: ObjectId) -> Diagnostic {
        let all = || {
            let next = |at: &ObjectId| self.parent(*at).filter(|next| *next != object);
            std::iter::successors(Some(object), next)
        };
        let row = |object: &ObjectId| self.rows[object.index()].parent_span.start;
        let first = all().min_by_key(row).unwrap_or(object);
        let next = |at: &ObjectId| self.parent(*at);
        let count = all().count();
        let around = std::iter::successors(Some(first), next).take(count.min(NAMED_MAX));
        let mut names: Vec<&str> = around.map(|object| self.topology.name(object)).collect();
        if count > NAMED_MAX {
            names.push("…");
        }
        names.push(self.topology.name(first));
        let message = match count {
            1 => format!("\"{}\" is its own parent", names[0]),
            _ => format!("these are each other's parents: {}", names.join(" → ")),
        };
        let span = self.rows[first.index()].parent_span;
        Diagnostic::error(self.source, span, message)
            .hint("leave the parent of the topmost one empty")
    }

    fn wrong(&mut self, span: Span, message: String, hint: Option<String>) {
        self.mistakes.push(Diagnostic::error(self.source, span, message).hint_maybe(hint));
    }
}
