//! One attempt of a subscriber: an inquiry, a call without an answer, or a call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::{CallAnswer, CallPhase, CallRequest, Front, FrontError, Load, Report};
use crate::random::Random;

/// The seconds that a network wants at once: the three minutes of the thesis.
const WANTED: u64 = 180;

/// The number that is called.
const CALLED: &str = "46812345678";

/// An attempt that is under way.
pub(super) struct Attempt<'a, F: Front> {
    pub(super) load: &'a Load,
    pub(super) front: &'a mut F,
    pub(super) random: Random,
    pub(super) subscriber: String,
    pub(super) session: String,
    pub(super) report: &'a mut Report,
    /// The seconds that the subscriber has used.
    pub(super) used: &'a AtomicU64,
}

impl<F: Front> Attempt<'_, F> {
    /// Asks for the balance, which is never above that of the start, since there are no refills.
    pub(super) fn inquiry(&mut self, before: i64) -> Result<(), FrontError> {
        self.report.counts.inquiries += 1;
        let balance = self.front.balance(&self.subscriber)?;
        if balance > before {
            let subscriber = &self.subscriber;
            self.report.fault(format!("{subscriber} had {before} and has {balance} billionths"));
        }
        Ok(())
    }

    /// Begins a call that no one answers, and ends it.
    pub(super) fn without_answer(&mut self) -> Result<(), FrontError> {
        let answer = self.send(CallPhase::First, 0, None)?;
        if !self.is_granted(&answer) {
            return Ok(());
        }
        self.report.counts.without_answer += 1;
        self.end(1, 0)
    }

    /// Makes a call.
    pub(super) fn call(&mut self) -> Result<(), FrontError> {
        let mut answer = self.send(CallPhase::First, 0, None)?;
        if !self.is_granted(&answer) {
            return Ok(());
        }
        let mut number = 1;
        while let (Some(granted), false) = (answer.granted, answer.is_final) {
            if number > self.load.intermediates {
                break;
            }
            answer = self.send(CallPhase::Next, number, Some(granted))?;
            number += 1;
        }
        let granted = answer.granted.unwrap_or_default();
        let used = match answer.is_final {
            true => granted,
            false => u64::from(self.random.below(granted.min(u64::from(u32::MAX)) as u32 + 1)),
        };
        match answer.is_final {
            true => self.report.counts.cut += 1,
            false => self.report.counts.calls += 1,
        }
        self.end(number, used)
    }

    fn end(&mut self, number: u32, used: u64) -> Result<(), FrontError> {
        self.send(CallPhase::Final, number, Some(used)).map(drop)
    }

    /// Returns whether a call may begin. It may be refused for lack of money; any other refusal is wrong.
    fn is_granted(&mut self, answer: &CallAnswer) -> bool {
        match (&answer.refused, answer.granted) {
            (None, Some(granted)) if (1..=WANTED).contains(&granted) => return true,
            (Some(code), None) if code == "no-money" => self.report.counts.refused += 1,
            _ => self.report.fault(format!("{}: {answer:?}", self.session)),
        }
        false
    }

    /// Sends a request, some of them twice: the second answer is that of the first.
    fn send(
        &mut self,
        phase: CallPhase,
        number: u32,
        used: Option<u64>,
    ) -> Result<CallAnswer, FrontError> {
        let request = CallRequest {
            session: self.session.clone(),
            number,
            phase,
            subscriber: self.subscriber.clone(),
            called: CALLED.to_owned(),
            used,
            wanted: (phase != CallPhase::Final).then_some(WANTED),
        };
        let begun = Instant::now();
        let answer = self.front.interrogate(&request)?;
        self.report.answered(begun.elapsed());
        self.used.fetch_add(used.unwrap_or_default(), Ordering::Relaxed);
        if self.random.chance(self.load.repeated) {
            self.report.counts.repeated += 1;
            let again = self.front.interrogate(&request)?;
            if again != answer {
                self.report.fault(format!("{}: first {answer:?}, then {again:?}", self.session));
            }
        }
        Ok(answer)
    }
}
