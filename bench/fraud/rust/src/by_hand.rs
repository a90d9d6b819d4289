//! The rules of `examples/fraud/rules` as a program by hand: a table of keys, each with a ring of steps for each window.
//!
//! Windows slide in steps of a sixtieth, as Tollgate's, so that the alerts are the same. There is no late event, no change of a rule,
//! nothing durable, and no key is forgotten.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use crate::alert::Alert;
use crate::event::{Event, INDICATION};

/// The steps of a window.
const STEPS: u32 = 60;

struct Rule {
    name: &'static str,
    at_least: u32,
    /// The seconds of a step.
    step: u32,
    /// For how many seconds there is no other alert about the key.
    again: u32,
}

const TWO_IN_A_MINUTE: Rule = Rule { name: "two-in-a-minute", at_least: 2, step: 1, again: 600 };
const SAME_NUMBER_TWICE: Rule =
    Rule { name: "same-number-twice", at_least: 2, step: 1, again: 600 };
const THOUSAND_AN_HOUR: Rule =
    Rule { name: "thousand-an-hour", at_least: 1_000, step: 60, again: 3_600 };

/// What a rule knows of a key: how many events there were in each step with one, and until when it is not alerted.
#[derive(Default)]
struct Window {
    steps: VecDeque<(u32, u32)>,
    total: u32,
    quiet_until: u32,
}

#[derive(Default)]
struct Caller {
    minute: Window,
    hour: Window,
}

/// Takes events in the order of their times.
#[derive(Default)]
pub struct Judgement {
    callers: HashMap<u64, Caller, RandomState>,
    pairs: HashMap<(u64, u64), Window, RandomState>,
    pub alerts: Vec<Alert>,
}

impl Judgement {
    pub fn take(&mut self, event: &Event) {
        if event.kind != INDICATION {
            return;
        }
        let Event { time: at, caller, called, .. } = *event;
        let Judgement { callers, pairs, alerts } = self;
        let Caller { minute, hour } = callers.entry(caller).or_default();
        let pair = pairs.entry((caller, called)).or_default();
        let mut judge = |window: &mut Window, rule: &Rule, called: Option<u64>| {
            if window.fires(rule, at) {
                alerts.push(Alert { rule: rule.name, caller, called, at });
            }
        };
        judge(minute, &TWO_IN_A_MINUTE, None);
        judge(hour, &THOUSAND_AN_HOUR, None);
        judge(pair, &SAME_NUMBER_TWICE, Some(called));
    }
}

impl Window {
    /// Counts an event, and returns whether there is an alert.
    fn fires(&mut self, rule: &Rule, at: u32) -> bool {
        let step = at / rule.step;
        while let Some((_, count)) = self.steps.pop_front_if(|(first, _)| *first + STEPS <= step) {
            self.total -= count;
        }
        match self.steps.back_mut() {
            Some((last, count)) if *last == step => *count += 1,
            _ => self.steps.push_back((step, 1)),
        }
        self.total += 1;
        let fires = self.total >= rule.at_least && at >= self.quiet_until;
        if fires {
            self.quiet_until = at + rule.again;
        }
        fires
    }
}
