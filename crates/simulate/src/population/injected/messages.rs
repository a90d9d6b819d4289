//! Frauds by messages.

use crate::population::calendar::{HOUR, between};
use crate::population::number::{destination, in_range, risk_range};
use crate::population::scene::Scene;
use crate::random::Random;

/// Codes are requested for numbers side by side, whose network gets a part of what each message costs. No code is used.
pub(super) fn sms_pumping(scene: &mut Scene<'_>, random: &mut Random, number: u32) {
    let (from, range) = (scene.moment(random, 0..20), risk_range(random));
    let sender = format!("APP-{}", number + 1);
    // Within a thousand numbers.
    let first = random.below(99) * 1_000;
    let mut time = from;
    for message in 0..400 {
        let called = in_range(&range, first + message);
        scene.happening.code_abroad(&sender, called, time);
        time += u64::from(between(random, 2..10));
    }
    let range = destination(&range);
    let pair = ("traffic", format!("{sender}>{range}"));
    let about = [("sender", sender), ("destination", range), pair];
    scene.fraud("sms-pumping", (from, time.max(from + HOUR)), about);
}
