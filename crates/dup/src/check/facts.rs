//! The facts at a point of a function: variables that were set, fields that are known to be present.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::typed::{Expression, ExpressionWhat as What, Place, Root, StepWhat};

/// The path to a place: `0` for a variable, `0/c3/a1/[2]` for a part of it.
pub(super) type Key = String;

/// The fields known to be present. Each branch of a statement has its own set; most add nothing, so they share storage.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    known: Rc<BTreeSet<Key>>,
}

impl Facts {
    pub(super) fn add(&mut self, key: Key) {
        self.extend(vec![key]);
    }

    pub(super) fn extend(&mut self, keys: Vec<Key>) {
        if keys.iter().any(|key| !self.known.contains(key)) {
            Rc::make_mut(&mut self.known).extend(keys);
        }
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.known.contains(key)
    }

    /// Returns what is known below a place, relative to it.
    pub(super) fn below<'f>(&'f self, key: &str) -> impl Iterator<Item = &'f str> {
        let below = format!("{key}/");
        let length = key.len();
        self.known
            .range(below.clone()..)
            .take_while(move |known| known.starts_with(&below))
            .map(move |known| &known[length..])
    }

    /// Forgets what is known below a place.
    pub(super) fn forget_below(&mut self, key: &str) {
        let below: Vec<Key> = self.below(key).map(|rest| format!("{key}{rest}")).collect();
        if !below.is_empty() {
            let known = Rc::make_mut(&mut self.known);
            below.iter().for_each(|key| {
                known.remove(key);
            });
        }
    }

    /// Forgets a place and what is known below it.
    pub(super) fn forget(&mut self, key: &str) {
        self.forget_below(key);
        if self.known.contains(key) {
            Rc::make_mut(&mut self.known).remove(key);
        }
    }

    /// Returns the facts that hold on both of two paths.
    pub(super) fn both(self, other: &Facts) -> Facts {
        if Rc::ptr_eq(&self.known, &other.known) {
            return self;
        }
        Facts { known: Rc::new(self.known.intersection(&other.known).cloned().collect()) }
    }

    /// Keeps only the facts that no turn of a loop changes: variables that are set, and the parts of constants.
    pub(super) fn keep(&mut self, stays: impl Fn(usize) -> bool) {
        Rc::make_mut(&mut self.known).retain(|key| {
            let (variable, below) =
                key.split_once('/').map_or((key.as_str(), false), |(v, _)| (v, true));
            !below || variable.parse().is_ok_and(&stays)
        });
    }
}

/// Returns the keys of the steps to a place, with its own last. `None` if it cannot be tracked (an element at a
/// computed position, a function's result).
pub(super) fn keys(place: &Place) -> Option<Vec<Key>> {
    let Root::Variable(variable) = place.root else { return None };
    let mut key = variable.to_string();
    let mut keys = vec![key.clone()];
    for step in &place.steps {
        match &step.what {
            StepWhat::Component { place, .. } => key.push_str(&format!("/c{place}")),
            StepWhat::Alternative(place) => key.push_str(&format!("/a{place}")),
            StepWhat::Element(index) => match &index.what {
                What::Number(position) => key.push_str(&format!("/[{position}]")),
                _ => return None,
            },
        }
        keys.push(key.clone());
    }
    Some(keys)
}

/// Returns the places that are present if a condition is true, or false.
pub(super) fn implied(condition: &Expression, truth: bool) -> Vec<Key> {
    match (&condition.what, truth) {
        (What::Present(place), true) => keys(place).unwrap_or_default(),
        (What::Not(inner), _) => implied(inner, !truth),
        (What::And(left, right), true) | (What::Or(left, right), false) => {
            let mut both = implied(left, truth);
            both.extend(implied(right, truth));
            both
        }
        _ => Vec::new(),
    }
}
